"""Replaying a history at once: the batch face of all rating systems.

A history is planned part by part, and rated group by group; each is one pass of a kernel's formula over all its
matches. What no kernel is right for is rated by the scalar face: a system without one, unusual matches, groups too
small to pay. So is a match in which a display rating comes within 1e-9 of a rounding boundary, where the last digits
decide: hence the same display ratings as if every match had been rated by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ranking.systems.base import System
from ranking.systems.batch.columns import Floats
from ranking.systems.batch.history import History
from ranking.systems.batch.states import DISPLAY, States, newcomers
from ranking.systems.replay.system_run import SystemRun

PART = 1 << 20  # participations planned and rated at a time, which bounds the memory that takes

Segments = Sequence[tuple[int, System[Any]]]


@dataclass(frozen=True, slots=True)
class Replayed:
    """`before` and `after` by participation, `chance` by team (NaN: the system says none), `final` by player."""

    before: States
    after: States
    chance: Floats
    final: States


def replay(segments: Segments, history: History, start: States, *, by_hand_below: int | None = None) -> Replayed:
    """What each match did, as if rated one by one in the history's order; raises Refused as the scalar face does.

    `segments`: from which match on which system, or which parameters of it, are in force; the first from match 0.
    `start`: the states of all players before; it isn't changed. A player who isn't known there enters as a newcomer
    of the segment of their first match. `by_hand_below` puts smaller groups through the scalar face; by default
    those that it rates quicker.
    """
    states, length = start.copy(), len(history.player)
    replayed = Replayed(newcomers(length), newcomers(length), np.empty(len(history.place)), states)
    for first, last, system in _parts(segments, history):
        part = _enter(system, history.part(first, last), states, by_hand_below)
        part.rate()
        bounds = (history.team_starts[[first, last]], history.match_starts[[first, last]])
        _note(part, replayed, *(slice(*bound.tolist()) for bound in bounds))
    return replayed


def _parts(segments: Segments, history: History) -> Iterator[tuple[int, int, System[Any]]]:
    """Matches from … to, and their system: the segments, long ones cut up."""
    if not segments or segments[0][0] != 0:
        raise ValueError("The first segment of a history begins with match 0.")
    ends, starts = [first for first, _ in segments[1:]] + [history.matches], history.match_starts
    for (first, system), end in zip(segments, ends, strict=True):
        while first < end:
            enough = int(np.searchsorted(starts, starts[first] + PART))
            last = min(enough, end)
            yield first, last, system
            first = last


def _enter(system: System[Any], history: History, states: States, by_hand_below: int | None) -> SystemRun:
    playing = np.zeros(len(states), bool)
    playing[history.player] = True
    states.put(np.flatnonzero(playing & ~states.known), system.to_state(system.newcomer()))
    return SystemRun(system, history, states, by_hand_below)


def _note(part: SystemRun, replayed: Replayed, teams: slice, seats: slice) -> None:
    """Copy what a part rated from the plan's order to the history's, and its players' states as they stand."""
    plan, start = part.plan, replayed.final.display_hundredths.take(part.history.player)
    for states, columns in ((replayed.before, part.before), (replayed.after, part.after)):
        states.known[seats] = True
        for name, column in columns.items():
            getattr(states, name)[seats][plan.seats] = column
    if DISPLAY not in part.before:
        shown = replayed.after.display_hundredths[seats]
        replayed.before.display_hundredths[seats] = np.where(plan.previous < 0, start, shown.take(plan.previous))
    for name, column in part.now.items():
        getattr(replayed.final, name)[plan.players] = column
    replayed.chance[teams][plan.teams] = part.chance
