"""What tests of all rating systems ask about one."""

from ranking.systems.registry import system_class


def largest_team(system: str, most: int) -> int:
    """Return how many players a team may have, at most so many."""
    return min(most, system_class(system).max_team_size or most)
