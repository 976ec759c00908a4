"""The stakes of a match before it begins: each team's chance, and the change of a rating after each outcome.

Outcomes are a win, a draw and a loss; with more than two teams they are places. If the rating system learns from
scores, a win and a loss have their margins, too.

They are computed live, with the arithmetic that will rate the match, as if all players stay to the end. A mode that
hides ratings hides their stakes.
"""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.core.cache import cache

from leaderboards.display.numbers import Delta, rating_delta
from matchmaking.models import Lobby
from ranking.models import Mode, Rating
from ranking.rules.places import places_to_show
from ranking.systems.base import Entrant, Refused, Result, State, System, Team
from ranking.systems.outlook import field_chances, outlook_by_margin, outlook_by_place, outlooks_of
from ranking.systems.shared.display import hundredths

_KEPT = 3600  # seconds


@dataclass(frozen=True, slots=True)
class PlaceStake:
    """The change of one player's rating if their team comes in this place."""

    place: int
    change: Delta


@dataclass(frozen=True, slots=True)
class MarginStake:
    """The change of one player's rating after a win or a loss by `times` the expected margin."""

    won: bool
    times: float
    change: Delta


@dataclass(frozen=True, slots=True)
class Stakes:
    """The change of one player's rating after a win, a draw and a loss.

    `places`: if there are more than two teams, the change after each of at most eight places, best first; the other
    teams come in the order of their strength. Then a win is the first place, a loss the last one, and in a draw all
    teams share the first place.
    `margins`: if scores count, the changes by the margin of two teams, wins first, the narrowest first.
    """

    won: Delta
    drew: Delta
    lost: Delta
    places: tuple[PlaceStake, ...] = ()
    margins: tuple[MarginStake, ...] = ()

    @property
    def by_outcome(self) -> list[tuple[str, list[MarginStake]]]:
        """The margins of a win and those of a loss, each with its code."""
        wins = [stake for stake in self.margins if stake.won]
        return [("win", wins), ("loss", [stake for stake in self.margins if not stake.won])]


@dataclass(frozen=True, slots=True)
class Outlook:
    """`chances`: each team's chance to win, 0 to 1; None if it is unknown or hidden. `stakes`: likewise None."""

    chances: tuple[float | None, ...]
    stakes: Stakes | None = None


def find_outlook(
    lobby: Lobby,
    system: System[Any],
    ratings: Mapping[int, Rating],
    *,
    parties: Mapping[int, str],
    watched: int | None,
    now: dt.datetime,
) -> Outlook:
    """`outlook_of` a lobby's teams.

    It is computed once for each viewer and kept; it is computed again only if a rating or the mode's parameters change.
    """
    mode = lobby.queue.mode
    states = sorted((player, rating.state, rating.known_matches) for player, rating in ratings.items())
    given = repr((system, mode.ranked and mode.shows_rating, states, sorted(parties.items())))
    key = f"outlook:{lobby.pk}:{watched}:{zlib.crc32(given.encode()):08x}"
    outlook: Outlook | None = cache.get(key)
    if outlook is None:
        outlook = outlook_of(mode, system, ratings, lobby.teams, parties=parties, watched=watched, now=now)
        cache.set(key, outlook, _KEPT)
    return outlook


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
    """The chances of these teams like `outlook_of`, but even if the mode hides ratings.

    If the system compares two teams only, see `field_chances`.
    """
    try:
        return field_chances(system, _rosters(system, ratings, teams, parties, now))
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
        matches=0 if rating is None else rating.known_matches,
    )


def _stakes(
    system: System[Any], rosters: Sequence[Sequence[Entrant[Any]]], teams: Sequence[Sequence[int]], watched: int | None
) -> Stakes | None:
    if watched is None:
        return None
    [team] = [index for index, players in enumerate(teams) if watched in players]
    slot = list(teams[team]).index(watched)
    before = hundredths(system.display(rosters[team][slot].skill))

    def change(after: Decimal) -> Delta:
        return rating_delta(before, hundredths(after), system.decimals)

    def drawn(**how: float) -> Decimal:
        """The rating after a draw of all teams."""
        result = Result(teams=tuple(Team(tuple(roster), **how) for roster in rosters))  # type: ignore[arg-type]
        return system.display(system.rate(result)[team][slot])

    if len(teams) == 2:
        result = Result(teams=tuple(Team(tuple(roster), place=place) for place, roster in enumerate(rosters, 1)))
        outlook = outlooks_of(system, result, only=team)[team][slot]
        by_margin = outlook_by_margin(system, rosters, (team, slot))
        margins = tuple(MarginStake(one.won, one.times, change(one.after)) for one in by_margin)
        drew = drawn(score=0.0) if margins else outlook.drew
        return Stakes(change(outlook.won), change(drew), change(outlook.lost), margins=margins)
    places = places_to_show(len(teams))
    changes = [change(after) for after in outlook_by_place(system, rosters, (team, slot), places)]
    return Stakes(
        won=changes[0],
        drew=change(drawn(place=1)),
        lost=changes[-1],
        places=tuple(PlaceStake(place, by) for place, by in zip(places, changes, strict=True)),
    )
