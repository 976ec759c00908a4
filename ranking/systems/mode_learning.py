"""The part of a rating system's interface by which it learns about a mode: what its matches have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self


class LearnsModes(Protocol):
    """Results are those of base.py, and lessons those of shared/learning.py."""

    @property
    def learns(self) -> bool:
        """True if the system learns about a mode from each match, in blocks."""
        ...

    @property
    def learning(self) -> Any:
        """What it has learnt, with the sums of its open block; None if it learns nothing."""
        ...

    @property
    def luck_of_pairs(self) -> float:
        """The share of the pairs of a match of more than four sides that luck decides, as far as it was learnt."""
        ...

    def after(self, result: Any) -> Self:
        """The system once its mode has learnt from this match; itself if it learns nothing about a mode."""
        ...

    def lesson(self, result: Any) -> Any:
        """What a match adds to its block, as a Lesson."""
        ...

    def folded(self, lessons: Sequence[Any]) -> Self:
        """The system once a block of matches is full: its own open block, and these matches."""
        ...

    def with_learning(self, learning: Any) -> Self:
        """The system with other learnt values."""
        ...

    def with_mode_state(self, value: Any, path: str) -> Self:
        """The system with a mode's learnt values from JSON; raises Refused naming the field."""
        ...

    def mode_state(self) -> dict[str, Any] | None:
        """The learnt values as JSON; None if the system has none."""
        ...
