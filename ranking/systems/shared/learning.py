"""What a system says about learning if it learns nothing about its modes; margin/learnt.py has a system that learns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

from ranking.systems.shared.fields import Malformed


class Lesson(NamedTuple):
    """What a mode learns from one match, as means over its pairs of teams; `squares` None: it had no scores.

    The last three are None if it says nothing of luck.
    """

    variant: str
    squares: float | None  # x²
    noise: float  # ed
    spread: float  # dd
    slope: float  # G
    information: float  # I
    luck: float | None = None  # the gradient of the share of luck
    luck_information: float | None = None
    shared: float | None = None  # the share of decided pairs with a side that shares the last place


class LearnsNothing:
    """Base class of all systems; those that learn override all of it."""

    __slots__ = ()
    key: ClassVar[str]

    @property
    def learns(self) -> bool:
        return False

    @property
    def learning(self) -> Any:
        return None

    @property
    def luck_of_pairs(self) -> float:
        return 0.0

    def with_learning(self, learning: Any) -> Self:
        raise NotImplementedError(f"{self.key} learns nothing.")

    def lesson(self, result: Any) -> Lesson:
        raise NotImplementedError(f"{self.key} learns nothing.")

    def folded(self, lessons: Sequence[Lesson]) -> Self:
        raise NotImplementedError(f"{self.key} learns nothing.")

    def after(self, result: Any) -> Self:
        return self

    def with_mode_state(self, value: Any, path: str) -> Self:
        raise Malformed(
            path, "%(field)s is for systems that learn about a mode, and %(system)s doesn't.", system=self.key
        )

    def mode_state(self) -> dict[str, Any] | None:
        return None
