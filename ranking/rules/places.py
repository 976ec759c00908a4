"""Places of a match's teams, as they are rated and shown: podiums, top halves, and the few that stand for all."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

PODIUM = 3  # the last place on the podium
PODIUM_TEAMS = 6  # matches of fewer teams have no podium
_MOST_SHOWN = 8


class Member(Protocol):
    """A player's part in a match; `team` is the index of the player's team."""

    team: Any  # int; a model's field is a descriptor
    left_early: Any  # bool
    place: Any  # int, of the team as rated; None: an earlier version recorded it


def places_of(teams: Sequence[Mapping[str, object]], members: Sequence[Member]) -> list[int]:
    """Return each team's place as rated, from a match's `teams` as sent and all of its members."""
    if members and all(member.left_early for member in members):
        return [len(teams)] * len(teams)
    rosters = [[member for member in members if member.team == index] for index in range(len(teams))]
    recorded: list[int] = [roster[0].place for roster in rosters if roster and roster[0].place is not None]
    if len(recorded) == len(teams):
        return recorded
    return team_places(teams, [bool(roster) and all(member.left_early for member in roster) for roster in rosters])


def team_places(teams: Sequence[Mapping[str, Any]], gone: Sequence[bool]) -> list[int]:
    """Return each team's place, 1 = best: as sent, else by scores; ties share a place, and the next places are skipped.

    `gone`: the team left whole. Such teams share the last place, even if they are all.
    """
    if all(gone):
        return [len(teams)] * len(teams)
    keys = [-(team["score"] or 0.0) if team["place"] is None else team["place"] for team in teams]
    order = [(left, 0.0 if left else key) for left, key in zip(gone, keys, strict=True)]
    return [1 + sum(other < own for other in order) for own in order]


def score_sent(team: Mapping[str, Any]) -> float | None:
    """The score of a match's team as it was sent; where the lowest is the best, it is kept as a time."""
    return team.get("time") if team["score"] is None else team["score"]


def is_podium(place: int, places: int) -> bool:
    return place <= PODIUM and places >= PODIUM_TEAMS


def is_top_half(place: int, places: int) -> bool:
    return 2 * place <= places


def places_to_show(places: int) -> list[int]:
    """Return all places if there are at most eight; else the first, the quartiles, the median and the last."""
    if places <= _MOST_SHOWN:
        return list(range(1, places + 1))
    return [1, *(-(-places * quarter // 4) for quarter in (1, 2, 3)), places]
