"""Matches of a history, as an evaluation replays them."""

from ranking.evaluation.core.replay import PastMatch
from ranking.systems.base import Entrant, Result, Team

DAY = 86_400.0


def past(*teams, places=None, left="", pool="duel", day=0.0, where="a match"):
    """Teams of one-letter players; the first won unless `places` say otherwise; `left` are those who left."""
    places = places or range(1, len(teams) + 1)
    rosters = [tuple(Entrant(name, None, left_early=name in left) for name in roster) for roster in teams]
    sides = tuple(Team(roster, place) for roster, place in zip(rosters, places, strict=True))
    return PastMatch(where, pool, day * DAY, Result(sides))
