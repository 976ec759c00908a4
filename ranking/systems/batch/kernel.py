"""The interface of kernels: a rating system's formula on tables of matches (see groups.py), its batch face."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, runtime_checkable

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.states import States

FieldColumns = tuple[Any, ...]  # one array for each of a kernel's fields


class Kernel(Protocol):
    """A rating system for the matches of one plan.

    There are two kinds of kernels. If all fields are hidden, `units` computes the display rating from them. If the last
    field is `display_hundredths`, `rate` returns it in units, not rounded. The replay rounds in both cases; if a value
    is NaN or close to a rounding boundary, it asks the scalar face.
    """

    fields: ClassVar[tuple[str, ...]]  # those of States that make up a skill of the system
    unit: ClassVar[int]  # what display ratings are rounded to, in hundredths
    # True if groups.py gives each leaver a row of their own to be rated in; else the kernel rates them by leavers.py.
    leavers_apart: ClassVar[bool]

    def __init__(self, system: Any, facts: Facts) -> None: ...

    def fewest(self, teams: int, width: int) -> int:
        """The smallest group, in matches, for which the kernel is quicker than the scalar face.

        `teams` in each match, `width` seats in each team.
        """
        ...

    @staticmethod
    def takes(states: States) -> Bools:
        """By state: True if the kernel can compute with it. The scalar face rates the others, which are rare."""
        ...

    def rate(self, group: MatchGroup, *before: Any) -> FieldColumns:
        """The fields' new values by seat, from their values before.

        If the system keeps leavers from gaining by leaving (`keeps_leavers`), each column goes on with a value for each
        leaver: what this player would have if they had stayed and come last.
        """
        ...

    @staticmethod
    def units(system: Any, *fields: Any) -> Floats:
        """The display ratings in units, not rounded, from the fields' values."""
        ...

    def chances(self) -> tuple[Floats, Floats]:
        """By match of two teams: both teams' chances; NaN for other matches."""
        ...


@runtime_checkable
class LearningKernel(Protocol):
    """A kernel of a system that learns: it writes `lessons`, by match the numbers of a Lesson, unless that is None."""

    lessons: Floats | None
