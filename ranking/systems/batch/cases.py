"""Cases: leavers' matches as they would have been, had this one player stayed and come last (see shared/staying.py).

A case isn't a match of its own: it takes the sums of its match's teams from the group, and changes them by what the
player would have added. Kernels rate a group's cases in the same pass, but only the one player of each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ranking.systems.batch.columns import Floats, Ints
from ranking.systems.batch.plan import RatingPlan

NOBODY: Ints = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Cases:
    """Arrays by case, in the plan's order. A group's cases count seats, matches and teams from the group's first."""

    seat: Ints
    row: Ints  # the match
    side: Ints  # the team
    team: Ints  # the number of the team in the match
    offset: Ints  # the number of the player in the team
    number: Ints  # of the case, among all of the plan

    def __len__(self) -> int:
        return len(self.seat)

    def of_group(self, cases: slice, row: int, side: int, seat: int) -> Cases:
        """These cases, counted from a group's first match, team and seat."""
        return Cases(
            seat=self.seat[cases] - seat,
            row=self.row[cases] - row,
            side=self.side[cases] - side,
            team=self.team[cases],
            offset=self.offset[cases],
            number=self.number[cases],
        )

    def below(self, table: Floats, more: Floats | float) -> Floats:
        """A table of rows × teams, then a row for each case, in which the player's team has so much more."""
        own = table.take(self.row, axis=0)
        own[np.arange(len(self)), self.team] += more
        return np.concatenate([table, own])


def cases_of(plan: RatingPlan, seats: Ints) -> Cases | None:
    """A case for each of these seats that a kernel rates; None if there is none."""
    row = np.searchsorted(plan.match_starts, seats, side="right") - 1
    rated = ~plan.scalar[row]
    if not rated.any():
        return None
    seats, row = seats[rated], row[rated]
    side = np.searchsorted(plan.starts, seats, side="right") - 1
    return Cases(seats, row, side, side - plan.team_starts[row], seats - plan.starts[side], np.arange(len(seats)))
