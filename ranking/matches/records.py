"""Matches with their parts and changes together, and the pure result that a system makes of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from ranking.models import Change, Match, Participation, Void
from ranking.systems.base import Entrant, Result, State, System, Team
from ranking.systems.shared.rules import check_result, effective_places


@dataclass(slots=True)
class MatchRecord:
    """A match with its participations in roster order and, once rated, their changes in the same order."""

    match: Match
    parts: list[Participation]
    changes: list[Change] = field(default_factory=list)


def is_void() -> Exists:
    """A condition on matches: taken out of the history."""
    return Exists(Void.objects.filter(match=OuterRef("pk"), lifted_at=None))


def with_voids(matches: QuerySet[Match]) -> QuerySet[Match]:
    """These matches, knowing whether they are void."""
    return matches.annotate(is_void=is_void())  # type: ignore[no-redef]  # in place of the class's


def load_records(matches: Iterable[Match]) -> dict[int, MatchRecord]:
    """Rated matches as they were written, by id: two queries, however many.

    A change of somebody who was merged into another bears the other's id, also before it is rated anew.
    """
    plays = load_parts(matches)
    if not plays:
        return {}
    changes: dict[tuple[int | None, int], Change] = {}
    rows: QuerySet[Any, Any] = Change.objects.live().filter(match__in=plays).select_related("parameters")
    for change in rows.annotate(owner=Coalesce("player__merged_into", "player")):
        change.player_id = change.owner
        changes[change.match_id, change.player_id] = change
    for play in plays.values():
        found = (changes.get((play.match.pk, part.player_id)) for part in play.parts)
        play.changes = [change for change in found if change is not None]
    return plays


def load_parts(matches: Iterable[Match], parts: QuerySet[Participation] | None = None) -> dict[int, MatchRecord]:
    """Matches with their participations, by id, in the order given: one query, however many.

    With their players, unless `parts` says otherwise.
    """
    plays = {match.pk: MatchRecord(match, []) for match in matches}
    if plays:
        found = Participation.objects.select_related("player") if parts is None else parts
        for part in found.filter(match__in=plays).order_by("match", "team", "slot"):
            plays[part.match_id].parts.append(part)
    return plays


def result_of(
    play: MatchRecord, states: Sequence[State], system: System[Any], last_played: Sequence[dt.datetime | None]
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


@dataclass(frozen=True, slots=True)
class Rated:
    """What a system makes of a match: states and outcomes in roster order, and each team's chance before it."""

    states: list[State]
    outcomes: list[str]
    chances: tuple[float | None, ...]


def rate_record(
    play: MatchRecord, states: Sequence[State], system: System[Any], last_played: Sequence[dt.datetime | None]
) -> Rated:
    """Rate a match of players with these states before it; raises Refused."""
    result = result_of(play, states, system, last_played)
    skills = [skill for team in system.rate(result) for skill in team]
    outcomes = outcomes_of(effective_places(result, check_result(system, result)))
    return Rated(
        states=[system.to_state(skill) for skill in skills],
        outcomes=[Change.LEFT if part.left_early else outcomes[part.team] for part in play.parts],
        chances=system.win_probability([team.players for team in result.teams]),
    )


def forfeit_result(teams: Sequence[Sequence[int]], dropper: int, skill_of: Callable[[int], Any]) -> Result[Any]:
    """The result that a forfeit is rated as: everybody at full time but the dropper, whose team comes last."""
    return Result(
        teams=tuple(
            Team(
                players=tuple(
                    Entrant(
                        id=str(player),
                        skill=skill_of(player),
                        seconds=0.0 if player == dropper else None,
                        left_early=player == dropper,
                    )
                    for player in team
                ),
                place=2 if dropper in team else 1,
            )
            for team in teams
        ),
        duration=1.0,
    )


def rate_forfeit(
    teams: Sequence[Sequence[int]], dropper: int, states: Mapping[int, State], system: System[Any]
) -> tuple[State, float | None]:
    """The dropper's state after it, nobody else's changing, and their team's chance before. Raises Refused."""
    result = forfeit_result(teams, dropper, lambda player: system.from_state(states[player]))
    [own] = [index for index, team in enumerate(teams) if dropper in team]
    after = system.rate(result)[own][list(teams[own]).index(dropper)]
    return system.to_state(after), system.win_probability([team.players for team in result.teams])[own]


def outcomes_of(places: Sequence[int]) -> list[str]:
    """Each team's outcome: alone in first place won, first together drew, the rest lost."""
    best = min(places)
    first = Change.WIN if list(places).count(best) == 1 else Change.DRAW
    return [first if place == best else Change.LOSS for place in places]
