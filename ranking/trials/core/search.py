"""Coordinate search: a deterministic minimum of a noisy function of few numbers, without its slope.

A round tries each coordinate whose step is large enough: a step up, then a step down. The first that is better is kept
and the step grows; else it halves. The search ends when all steps are small, or after so many replays.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, MutableMapping
from math import inf

STEP, GROWTH, LARGEST, LEAST = 0.2, 1.5, 0.4, 0.02
BETTER = 1e-7
MOST_REPLAYS = 400

Point = tuple[float, ...]
Objective = Callable[[int, Point], Generator[int, None, float]]  # by number of the alternative and point
Known = MutableMapping[tuple[int, Point], float]


class Search:
    """The search of one alternative, by its `number`.

    `known`: objectives that an earlier process has computed; new ones are added. All cost a replay.
    """

    def __init__(
        self, dimensions: int, number: int, objective: Objective, known: Known, most: int = MOST_REPLAYS
    ) -> None:
        self.best: Point = (0.0,) * dimensions
        self.value = inf
        self.replays = 0
        self.steps = [STEP] * dimensions
        self._number, self._objective, self._known, self._most = number, objective, known, most
        self._seen: set[Point] = set()

    def run(self) -> Generator[int, None, None]:
        """Search; yields what the objective yields."""
        self.value = yield from self._value(self.best)
        while self.replays < self._most and any(step >= LEAST for step in self.steps):
            for number, step in enumerate(self.steps):
                if step >= LEAST and self.replays < self._most:
                    yield from self._try(number, step)

    def _try(self, number: int, step: float) -> Generator[int, None, None]:
        for way in (step, -step):
            point = (*self.best[:number], self.best[number] + way, *self.best[number + 1 :])
            value = yield from self._value(point)
            if value < self.value - BETTER:
                self.best, self.value = point, value
                self.steps[number] = min(LARGEST, GROWTH * step)
                return
        self.steps[number] = step / 2

    def _value(self, point: Point) -> Generator[int, None, float]:
        if point not in self._seen:
            self._seen.add(point)
            self.replays += 1
        if (self._number, point) not in self._known:
            self._known[self._number, point] = yield from self._objective(self._number, point)
        return self._known[self._number, point]
