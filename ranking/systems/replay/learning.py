"""Replays a history in which the mode learns: block by block, each by what was learnt from those before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ranking.systems.base import S, System
from ranking.systems.batch.columns import Floats
from ranking.systems.batch.history import History
from ranking.systems.batch.states import States
from ranking.systems.replay.replaying import Replayed, joined, replay
from ranking.systems.shared.learning import Lesson


@dataclass(frozen=True, slots=True)
class LearningReplay:
    """`system`: with what it had learnt in the end, and its open block. `learnt`: the number of the match that filled
    each block, and the system from then on.
    """

    replayed: Replayed
    system: System[Any]
    learnt: list[tuple[int, System[Any]]]


def replay_and_learn(
    system: System[S], history: History, start: States, *, scalar_below: int | None = None
) -> LearningReplay:
    """Rate the matches as if one by one, and learn from each; raises Refused as the scalar face does.

    `system` may have an open block, which these matches fill. A match's number in `learnt` counts from 1.
    """
    parts: list[Replayed] = []
    learnt: list[tuple[int, System[Any]]] = []
    states, first = start, 0
    while first < history.matches or not parts:
        last = min(history.matches, first + system.learning.block_size - system.learning.block.n)
        replayed = replay(
            [(0, system)], history.part(first, last), states, scalar_below=scalar_below, with_lessons=True
        )
        parts.append(replayed)
        states = replayed.final
        system = taught(system, history.part(first, last), replayed.lessons)
        if last > first and system.learning.block.n == 0:
            learnt.append((last, system))
        first = last
    return LearningReplay(joined(parts), system, learnt)


def taught(system: System[S], history: History, lessons: Floats | None) -> System[S]:
    """The system after these matches, which at most fill its block; `lessons`: by match, the numbers of a Lesson."""
    rows: list[list[Any]] = [] if lessons is None else lessons.tolist()
    variants = [history.variants[index] for index in history.variant.tolist()]
    own = (_lesson(variant, numbers) for variant, numbers in zip(variants, rows, strict=False))
    learning = system.learning.after(own)
    return system.with_learning(learning)


def _lesson(variant: str, numbers: list[Any]) -> Lesson:
    known: list[Any] = [None if number != number else number for number in numbers]
    return Lesson(variant, *known)
