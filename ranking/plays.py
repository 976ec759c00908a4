"""Matches with their parts and changes together, and the pure result that a system makes of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F

from ranking.models import Change, Match, Participation
from ranking.systems.base import Entrant, Result, State, System, Team


@dataclass(slots=True)
class Play:
    """A match with its participations in roster order and, once rated, their changes in the same order."""

    match: Match
    parts: list[Participation]
    changes: list[Change] = field(default_factory=list)


def load_plays(matches: Iterable[Match]) -> dict[int, Play]:
    """Rated matches as they were written, by id: two queries, however many."""
    plays = {match.pk: Play(match, []) for match in matches}
    if not plays:
        return {}
    changes: dict[tuple[int | None, int], Change] = {}
    for change in Change.objects.filter(match__in=plays, generation=F("mode__generation")).select_related("parameters"):
        changes[change.match_id, change.player_id] = change
    parts = Participation.objects.filter(match__in=plays).select_related("player").order_by("match", "team", "slot")
    for part in parts:
        plays[part.match_id].parts.append(part)
        if (part.match_id, part.player_id) in changes:
            plays[part.match_id].changes.append(changes[part.match_id, part.player_id])
    return plays


def result_of(
    play: Play, states: Sequence[State], system: System[Any], last_played: Sequence[dt.datetime | None]
) -> Result[Any]:
    """The result that a system rates: players by id, in roster order with their states before and last matches."""
    match = play.match
    rosters: list[list[Entrant[Any]]] = [[] for _ in match.teams]
    for part, state, last in zip(play.parts, states, last_played, strict=True):
        idle = match.ended_at - last if last else dt.timedelta()
        rosters[part.team].append(
            Entrant(
                id=str(part.player_id),
                skill=system.from_state(state),
                seconds=part.seconds,
                left_early=part.left_early,
                rounds_played=part.rounds_played,
                idle_days=max(0.0, idle / dt.timedelta(days=1)),
                stats=part.stats,
                party=part.party or None,
            )
        )
    teams = tuple(
        Team(players=tuple(roster), place=said["place"], score=said["score"])
        for roster, said in zip(rosters, match.teams, strict=True)
    )
    return Result(teams=teams, duration=match.duration, rounds=match.rounds)


def outcomes_of(places: Sequence[int]) -> list[str]:
    """Each team's outcome: alone in first place won, first together drew, the rest lost."""
    best = min(places)
    first = Change.WIN if list(places).count(best) == 1 else Change.DRAW
    return [first if place == best else Change.LOSS for place in places]
