"""The stakes of a match before it begins: each team's chance, and the change of a rating after a win, draw or loss.

They are computed live, with the arithmetic that will rate the match, as if all players stay to the end. A mode that
hides ratings hides their stakes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboards.display.numbers import Delta, rating_delta
from ranking.models import Mode, Rating
from ranking.systems.base import Entrant, Refused, Result, State, System, Team
from ranking.systems.outlook import PlayerOutlook, outlooks_of
from ranking.systems.shared.display import hundredths


@dataclass(frozen=True, slots=True)
class Stakes:
    """The change of one player's rating after a win, a draw and a loss."""

    won: Delta
    drew: Delta
    lost: Delta


@dataclass(frozen=True, slots=True)
class Outlook:
    """`chances`: each team's chance to win, 0 to 1; None if it is unknown or hidden. `stakes`: likewise None."""

    chances: tuple[float | None, ...]
    stakes: Stakes | None = None


def outlook_of(
    mode: Mode,
    system: System[Any],
    ratings: Mapping[int, Rating],
    teams: Sequence[Sequence[int]],
    *,
    parties: Mapping[int, str],
    watched: int | None,
    now: dt.datetime,
) -> Outlook:
    """The chances of these teams (player ids), and the stakes of the `watched` player.

    `ratings`: players without one are newcomers. `parties`: the party of each player who is in one.
    """
    unknown = Outlook((None,) * len(teams))
    if not (mode.ranked and mode.shows_rating):
        return unknown
    try:
        rosters = _rosters(system, ratings, teams, parties, now)
        chances = system.win_probability(rosters)
        return Outlook(tuple(chances), _stakes(system, rosters, teams, watched))
    except Refused:  # this system doesn't rate such teams
        return unknown


def chances_of(
    system: System[Any],
    ratings: Mapping[int, Rating],
    teams: Sequence[Sequence[int]],
    *,
    parties: Mapping[int, str],
    now: dt.datetime,
) -> tuple[float | None, ...]:
    """The chances of these teams like `outlook_of`, but even if the mode hides ratings."""
    try:
        return tuple(system.win_probability(_rosters(system, ratings, teams, parties, now)))
    except Refused:
        return (None,) * len(teams)


def _rosters(
    system: System[Any],
    ratings: Mapping[int, Rating],
    teams: Sequence[Sequence[int]],
    parties: Mapping[int, str],
    now: dt.datetime,
) -> list[list[Entrant[Any]]]:
    newcomer = system.to_state(system.newcomer())
    return [[_entrant(player, ratings.get(player), newcomer, parties, system, now) for player in team]
            for team in teams]  # fmt: skip


def _entrant(
    player: int,
    rating: Rating | None,
    newcomer: State,
    parties: Mapping[int, str],
    system: System[Any],
    now: dt.datetime,
) -> Entrant[Any]:
    last = None if rating is None else rating.last_match_at
    return Entrant(
        id=str(player),
        skill=system.from_state(newcomer if rating is None else rating.state),
        idle_days=max(0.0, (now - last) / dt.timedelta(days=1)) if last else 0.0,
        party=parties.get(player),
        matches=0 if rating is None else rating.matches,
    )


def _stakes(
    system: System[Any], rosters: Sequence[Sequence[Entrant[Any]]], teams: Sequence[Sequence[int]], watched: int | None
) -> Stakes | None:
    if watched is None:
        return None
    [team] = [index for index, players in enumerate(teams) if watched in players]
    result = Result(teams=tuple(Team(tuple(roster), place=place) for place, roster in enumerate(rosters, 1)))
    outlooks = outlooks_of(system, result, only=team)[team]
    return _stakes_of(outlooks[list(teams[team]).index(watched)], system.decimals)


def _stakes_of(outlook: PlayerOutlook, decimals: int) -> Stakes:
    before = hundredths(outlook.before)
    won, drew, lost = (
        rating_delta(before, hundredths(after), decimals) for after in (outlook.won, outlook.drew, outlook.lost)
    )
    return Stakes(won, drew, lost)
