"""One match of a plan through the scalar face of its system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ranking.systems.base import Entrant, Result, State, System, Team
from ranking.systems.batch.columns import Floats, Ints
from ranking.systems.batch.history import History
from ranking.systems.batch.plan import Plan


def result_of(system: System[Any], history: History, plan: Plan, match: int, states: Sequence[State]) -> Result[Any]:
    """The plan's match as a result; `states` of its seats before."""
    own = int(plan.matches[match])
    first_seat = int(plan.match_starts[match])
    teams = []
    for team in range(int(plan.team_starts[match]), int(plan.team_starts[match + 1])):
        seats = range(int(plan.starts[team]), int(plan.starts[team + 1]))
        players = tuple(_entrant(system, history, int(plan.seats[s]), states[s - first_seat]) for s in seats)
        where = int(plan.teams[team])
        place, score = int(history.place[where]), _given(history.score, where)
        teams.append(Team(players, place=place or None, score=score))
    return Result(tuple(teams), duration=_given(history.duration, own), rounds=_counted(history.rounds, own))


def _entrant(system: System[Any], history: History, seat: int, state: State) -> Entrant[Any]:
    stats = {name: float(column[seat]) for name, column in history.stats.items()} if history.has_stats[seat] else {}
    party = _counted(history.party, seat)
    return Entrant(
        id=str(history.player[seat]),
        skill=system.from_state(state),
        seconds=_given(history.seconds, seat),
        left_early=bool(history.left_early[seat]),
        rounds_played=_counted(history.rounds_played, seat),
        weight=_given(history.weight, seat),
        idle_days=float(history.idle_days[seat]),
        stats=stats,
        party=None if party is None else str(party),
    )


def _given(column: Floats, index: int) -> float | None:
    value = float(column[index])
    return None if value != value else value


def _counted(column: Ints, index: int) -> int | None:
    value = int(column[index])
    return None if value < 0 else value
