"""Turns one match of a plan into a `Result`, which the scalar face of its system can rate."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy.typing as npt

from ranking.systems.base import Entrant, Result, S, State, System, Team
from ranking.systems.batch.columns import Ints
from ranking.systems.batch.history import History
from ranking.systems.batch.plan import RatingPlan


def result_of(system: System[S], history: History, plan: RatingPlan, match: int, states: Iterable[State]) -> Result[S]:
    """The plan's match as a result; `states`: those of its seats before the match."""
    own = int(plan.matches[match])
    teams = slice(int(plan.team_starts[match]), int(plan.team_starts[match + 1]))
    bounds = plan.starts[teams.start : teams.stop + 1].tolist()
    entrants = _entrants(system, history, plan.seats[bounds[0] : bounds[-1]], states)
    rosters = (tuple(entrants[a - bounds[0] : b - bounds[0]]) for a, b in pairwise(bounds))
    places, scores = (_at(column, plan.teams[teams]) for column in (history.place, history.score))
    return Result(
        tuple(
            Team(roster, place or None, _optional(score))
            for roster, place, score in zip(rosters, places, scores, strict=True)
        ),
        duration=_optional(history.duration[own].item()),
        rounds=_optional_count(history.rounds[own].item()),
        variant=history.variants[history.variant[own]],
    )


def _entrants(system: System[S], history: History, seats: Ints, states: Iterable[State]) -> list[Entrant[S]]:
    columns: tuple[npt.NDArray[Any], ...] = (
        history.player, history.seconds, history.joined_at, history.left_early, history.rounds_played, history.weight,
        history.idle_days, history.has_stats, history.party, history.matches_before,
    )  # fmt: skip
    rows = zip(*(_at(column, seats) for column in columns), seats.tolist(), states, strict=True)
    return [
        Entrant(
            id=str(player),
            skill=system.from_state(state),
            seconds=_optional(seconds),
            joined_at=_optional(joined_at),
            left_early=left,
            rounds_played=_optional_count(rounds),
            weight=_optional(weight),
            idle_days=idle_days,
            stats=_stats(history, seat) if has_stats else {},
            party=None if party < 0 else str(party),
            matches=matches,
        )
        for player, seconds, joined_at, left, rounds, weight, idle_days, has_stats, party, matches, seat, state in rows
    ]


def _stats(history: History, seat: int) -> dict[str, float]:
    values = {name: column[seat].item() for name, column in history.stats.items()}
    return {name: value for name, value in values.items() if value == value}


def _at(column: npt.NDArray[Any], indices: Ints) -> list[Any]:
    # `take` would first copy a broadcast column (one without any value) as a whole.
    values: list[Any] = column[indices].tolist()
    return values


def _optional(value: float) -> float | None:
    return None if value != value else value


def _optional_count(value: int) -> int | None:
    return None if value < 0 else value
