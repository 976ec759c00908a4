"""What a rating system makes of a match or a forfeit: rows in, pure results and new states out. No database."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ranking.matches.records import MatchRecord
from ranking.models import Change
from ranking.systems.base import Entrant, Result, State, System, Team
from ranking.systems.shared.rules import check_result, effective_places


def result_of(
    record: MatchRecord,
    states: Sequence[State],
    system: System[Any],
    last_played: Sequence[dt.datetime | None],
    matches: Sequence[int],
) -> Result[Any]:
    """The result that a system rates.

    States, ends of last matches and numbers of rated matches are the players' before it, in roster order.
    """
    match = record.match
    rosters: list[list[Entrant[Any]]] = [[] for _ in match.teams]
    for part, state, last, number in zip(record.parts, states, last_played, matches, strict=True):
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
                matches=number,
            )
        )
    teams = tuple(
        Team(players=tuple(roster), place=team["place"], score=team["score"])
        for roster, team in zip(rosters, match.teams, strict=True)
    )
    return Result(teams=teams, duration=match.duration, rounds=match.rounds, variant=match.variant)


@dataclass(frozen=True, slots=True)
class Rated:
    """What a system makes of a match: the result as it was rated, states and outcomes in roster order, and each team's
    chance before it.
    """

    result: Result[Any]
    states: list[State]
    outcomes: list[str]
    chances: tuple[float | None, ...]


def rate_record(
    record: MatchRecord,
    states: Sequence[State],
    system: System[Any],
    last_played: Sequence[dt.datetime | None],
    matches: Sequence[int],
) -> Rated:
    """Rate a match; the arguments are those of `result_of`. Raises Refused."""
    result = result_of(record, states, system, last_played, matches)
    skills = [skill for team in system.rate(result) for skill in team]
    outcomes = outcomes_of(effective_places(result, check_result(system, result)))
    return Rated(
        result=result,
        states=[system.to_state(skill) for skill in skills],
        outcomes=[Change.LEFT if part.left_early else outcomes[part.team] for part in record.parts],
        chances=system.win_probability([team.players for team in result.teams]),
    )


def check_ratable(record: MatchRecord, system: System[Any]) -> None:
    """Raise Refused if the system can't rate this match, whatever its players' states."""
    newcomers = [system.to_state(system.newcomer())] * len(record.parts)
    players = len(record.parts)
    check_result(system, result_of(record, newcomers, system, [None] * players, [0] * players))


def forfeit_result(
    teams: Sequence[Sequence[int]], dropper: int, skill_of: Callable[[int], Any], matches: int = 0
) -> Result[Any]:
    """The result that a forfeit is rated as: the dropper left at once, and the dropper's team comes last.

    `matches`: the dropper's rated matches before it; nobody else is rated.
    """
    return Result(
        teams=tuple(
            Team(
                players=tuple(
                    Entrant(
                        id=str(player),
                        skill=skill_of(player),
                        seconds=0.0 if player == dropper else None,
                        left_early=player == dropper,
                        matches=matches if player == dropper else 0,
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
    teams: Sequence[Sequence[int]], dropper: int, states: Mapping[int, State], system: System[Any], matches: int
) -> tuple[State, float | None]:
    """Rate a forfeit: the dropper's state after it, and the chance of the dropper's team before it. Raises Refused.

    Nobody else's state changes. `matches`: the dropper's rated matches before it.
    """
    result = forfeit_result(teams, dropper, lambda player: system.from_state(states[player]), matches)
    own = next(index for index, team in enumerate(teams) if dropper in team)
    after = system.rate(result)[own][list(teams[own]).index(dropper)]
    return system.to_state(after), system.win_probability([team.players for team in result.teams])[own]


def outcomes_of(places: Sequence[int]) -> list[str]:
    """Each team's outcome: a single first team wins, teams that share first place draw, the others lose."""
    best = min(places)
    first = Change.WIN if list(places).count(best) == 1 else Change.DRAW
    return [first if place == best else Change.LOSS for place in places]
