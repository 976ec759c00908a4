"""Replays a history at once, through the kernels of rating systems.

A history is planned part by part and rated group by group; a group is one pass of a kernel's formula over all its
matches. The scalar face rates the rest match by match: systems without a kernel, unusual matches, and groups too small
to pay. It also rates every match in which a display rating comes within 1e-9 of a rounding boundary, because the last
digits of a float decide there. So a replay gives the same display ratings as rating each match by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ranking.systems.base import S, System
from ranking.systems.batch.columns import Floats
from ranking.systems.batch.history import History
from ranking.systems.batch.states import DISPLAY, States, newcomers
from ranking.systems.replay._system_run import SystemRun
from ranking.systems.shared.learning import Lesson

PART = 1 << 20  # participations planned and rated at a time, which bounds the memory

LESSON = len(Lesson._fields) - 1  # numbers of a lesson

Segments = Sequence[tuple[int, System[Any]]]


@dataclass(frozen=True, slots=True)
class Replayed:
    """`before` and `after` by participation; `chance` by team, NaN if the system gives none; `final` by player.

    `lessons`: by match, the numbers of a Lesson, if they were asked for.
    """

    before: States
    after: States
    chance: Floats
    final: States
    lessons: Floats | None = None


def replay(
    segments: Segments, history: History, start: States, *, scalar_below: int | None = None, with_lessons: bool = False
) -> Replayed:
    """Rate the matches as if one by one in the history's order; raises Refused as the scalar face does.

    `segments`: pairs of a first match and the system in force from it on; the first pair has match 0. `start`: the
    states of all players before, which isn't changed; an unknown player enters as a newcomer of the system in force
    at their first match. `scalar_below`: the scalar face rates groups of fewer matches; by default it rates those
    that it rates quicker than the kernel. `with_lessons`: what modes learn from each match is wanted, too.
    """
    states, length = start.copy(), len(history.player)
    lessons = np.empty((history.matches, LESSON)) if with_lessons else None
    replayed = Replayed(newcomers(length), newcomers(length), np.empty(len(history.place)), states, lessons)
    for first, last, system in _parts(segments, history):
        part = _enter(system, history.part(first, last), states, scalar_below, with_lessons)
        part.rate()
        bounds = (history.team_starts[[first, last]], history.match_starts[[first, last]])
        _note(part, replayed, *(slice(*bound.tolist()) for bound in bounds))
        if lessons is not None and part.lessons is not None:
            lessons[first:last][part.plan.matches] = part.lessons
    return replayed


def _parts(segments: Segments, history: History) -> Iterator[tuple[int, int, System[Any]]]:
    """Yield first match, end and system of each part: the segments, long ones cut into several parts."""
    if not segments or segments[0][0] != 0:
        raise ValueError("The first segment of a history begins with match 0.")
    ends, starts = [first for first, _ in segments[1:]] + [history.matches], history.match_starts
    for (first, system), end in zip(segments, ends, strict=True):
        while first < end:
            enough = int(np.searchsorted(starts, starts[first] + PART))
            last = min(enough, end)
            yield first, last, system
            first = last


def _enter(
    system: System[S], history: History, states: States, scalar_below: int | None, with_lessons: bool
) -> SystemRun:
    playing = np.zeros(len(states), bool)
    playing[history.player] = True
    states.put(np.flatnonzero(playing & ~states.known), system.to_state(system.newcomer()))
    return SystemRun(system, history, states, scalar_below, with_lessons)


def _note(part: SystemRun, replayed: Replayed, teams: slice, seats: slice) -> None:
    """Copy a part's outcome from the plan's order to the history's order, and its players' states to `final`."""
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


def joined(parts: Sequence[Replayed]) -> Replayed:
    """Parts of a history, each begun with the states that the one before it ended with, as one; without lessons."""
    if len(parts) == 1:
        return parts[0]
    before, after = (States.joined([getattr(part, name) for part in parts]) for name in ("before", "after"))
    return Replayed(before, after, np.concatenate([part.chance for part in parts]), parts[-1].final)
