"""Leavers of a group of matches, whom some kernels rate one by one, from the sums of their match's teams.

A leaver's own rule and the rule that staying is always better (see shared/rules.py and shared/staying.py) both suppose
another match: one that nobody left, or that this one player didn't leave, and in which their team came last. Only the
sums of one team differ in it, by what the player would have added. So no such match needs to be rated as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.plan import RatingPlan


class Leavers(NamedTuple):
    """Arrays by leaver, in the plan's order. Seats, matches and teams are numbered in the plan, or within a group."""

    seat: Ints
    row: Ints  # the match
    side: Ints  # the team
    team: Ints  # the number of the team in the match
    offset: Ints  # the number of the player in the team
    number: slice  # where they stand among all leavers of the plan

    def by_group(self, plan: RatingPlan) -> Iterator[Leavers | None]:
        """The leavers of each group, numbered within it; None for a group that nobody left."""
        starts = plan.groups[np.searchsorted(plan.groups, self.row, side="right") - 1]
        seat, row = self.seat - plan.match_starts[starts], self.row - starts
        side = self.side - plan.team_starts[starts]
        for first, last in pairwise(np.searchsorted(self.row, plan.groups).tolist()):
            own = slice(first, last)
            yield (
                Leavers(seat[own], row[own], side[own], self.team[own], self.offset[own], own) if first < last else None
            )

    def rows(self, table: Floats, more: Floats | float) -> Floats:
        """By leaver, a copy of their match's row in a table of matches × teams, with so much more for their team."""
        rows = table.take(self.row, axis=0)
        rows[np.arange(len(rows)), self.team] += more
        return rows


def leavers_of(plan: RatingPlan, left: Bools) -> Leavers | None:
    """Those who left (by seat) matches that a kernel rates; None if there are none."""
    seat = np.flatnonzero(left)
    row = np.searchsorted(plan.match_starts, seat, side="right") - 1
    rated = ~plan.scalar[row]
    if not rated.any():
        return None
    seat, row = seat[rated], row[rated]
    side = np.searchsorted(plan.starts, seat, side="right") - 1
    return Leavers(seat, row, side, side - plan.team_starts[row], seat - plan.starts[side], slice(len(seat)))
