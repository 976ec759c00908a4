"""One match of a plan through the scalar face of its system."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy.typing as npt

from ranking.systems.base import Entrant, Result, State, System, Team
from ranking.systems.batch.columns import Ints
from ranking.systems.batch.history import History
from ranking.systems.batch.plan import Plan


def result_of(system: System[Any], history: History, plan: Plan, match: int, states: Iterable[State]) -> Result[Any]:
    """The plan's match as a result; `states` of its seats before."""
    own = int(plan.matches[match])
    teams = slice(int(plan.team_starts[match]), int(plan.team_starts[match + 1]))
    bounds = plan.starts[teams.start : teams.stop + 1].tolist()
    entrants = _entrants(system, history, plan.seats[bounds[0] : bounds[-1]], states)
    rosters = (tuple(entrants[a - bounds[0] : b - bounds[0]]) for a, b in pairwise(bounds))
    places, scores = (_at(column, plan.teams[teams]) for column in (history.place, history.score))
    return Result(
        tuple(
            Team(roster, place or None, _given(score))
            for roster, place, score in zip(rosters, places, scores, strict=True)
        ),
        duration=_given(history.duration[own].item()),
        rounds=_counted(history.rounds[own].item()),
    )


def _entrants(system: System[Any], history: History, seats: Ints, states: Iterable[State]) -> list[Entrant[Any]]:
    columns: tuple[npt.NDArray[Any], ...] = (
        history.player, history.seconds, history.left_early, history.rounds_played, history.weight,
        history.idle_days, history.has_stats, history.party,
    )  # fmt: skip
    listed = zip(*(_at(column, seats) for column in columns), seats.tolist(), states, strict=True)
    return [
        Entrant(
            id=str(player),
            skill=system.from_state(state),
            seconds=_given(seconds),
            left_early=left,
            rounds_played=_counted(rounds),
            weight=_given(weight),
            idle_days=idle_days,
            stats={name: column[seat].item() for name, column in history.stats.items()} if has_stats else {},
            party=None if party < 0 else str(party),
        )
        for player, seconds, left, rounds, weight, idle_days, has_stats, party, seat, state in listed
    ]


def _at(column: npt.NDArray[Any], indices: Ints) -> list[Any]:
    # Not by `take`, which makes a whole column of one that nobody gave.
    values: list[Any] = column[indices].tolist()
    return values


def _given(value: float) -> float | None:
    return None if value != value else value


def _counted(value: int) -> int | None:
    return None if value < 0 else value
