"""The batch face of a rating system: its formula on tables of matches (see groups.py)."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import Group
from ranking.systems.batch.states import States

Columns = tuple[Any, ...]  # one for each of a kernel's fields


class Kernel(Protocol):
    """A system over the matches of one plan.

    Its last field is either hidden, and `units` then gives the rating that people see; or it is
    `display_hundredths`, and what `rate` gives for it is that rating in units, not rounded. Either is rounded by
    the replay, which asks the scalar system where that is a close call, or where it is NaN.
    """

    fields: ClassVar[tuple[str, ...]]  # of States, which hold all that there is to a skill
    unit: ClassVar[int]  # hundredths
    leavers_apart: ClassVar[bool]  # are they rated by rows of their own?

    def __init__(self, system: Any, facts: Facts) -> None: ...

    def fewest(self, teams: int, width: int) -> int:
        """The fewest matches of so many teams and seats in each for which a group pays; fewer are quicker by hand."""
        ...

    @staticmethod
    def takes(states: States) -> Bools:
        """Which states the kernel is right for; others, which hardly occur, make it step aside."""
        ...

    def rate(self, group: Group, *before: Any) -> Columns:
        """New values of the fields, by seat, from those before."""
        ...

    def units(self, *after: Any) -> Floats: ...

    def chances(self) -> tuple[Floats, Floats]:
        """By match, both teams' chances in matches of two teams; NaN for others."""
        ...
