"""Who passed whom between two publications of a board: by ratings before and after, without anybody's name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.rules.table_columns import TableColumns

Ints = npt.NDArray[np.int64]

_AT_ONCE = 2_000_000  # comparisons, each of which takes a byte


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Players, and their display ratings in hundredths before and after: three arrays of one length."""

    players: Ints
    before: Ints
    after: Ints

    def __len__(self) -> int:
        return len(self.players)


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """Whom one player passed, or who passed them.

    `between`: how many of them didn't move themselves: they stand between the player's two ratings. `moved`: the ids of
    those who moved, too, those first who stand closest to the player afterwards.
    """

    between: int
    moved: Ints

    @property
    def count(self) -> int:
        return self.between + len(self.moved)

    def first(self, near: Sequence[int], changed: frozenset[int], most: int) -> list[int]:
        """The ids of at most so many of them, the closest first.

        `near`: who stands between the two ratings, the closest first; `changed`: all players who moved.
        """
        names = [player for player in near if player not in changed or player in self.moved]
        moved = self.moved[: most + len(names)].tolist()
        return [*names, *(player for player in moved if player not in names)][:most]


def count_between(movers: Moves, unchanged: TableColumns) -> tuple[Ints, Ints]:
    """How many of those who didn't move stand between each mover's two ratings: who rose, and who fell."""
    return _between(unchanged, movers.before, movers.after), _between(unchanged, movers.after, movers.before)


def passings_of(movers: Moves, changed: Moves, rose: Ints, fell: Ints) -> Iterator[tuple[Passed, Passed]]:
    """Whom each mover passed, and who passed them, in their order.

    Somebody is passed who was ranked above the mover before and isn't afterwards, so drawing level is passing; and
    somebody passes the mover who wasn't ranked above them before, and is afterwards. `changed`: who stood on the board
    before and after, and may have moved; movers are among them. `rose`, `fell`: see count_between; the table is that
    of everybody else who stayed.
    """
    closest = np.argsort(changed.after, kind="stable")
    players, before, after = changed.players[closest], changed.before[closest], changed.after[closest]
    step = max(1, _AT_ONCE // max(1, len(changed)))
    for start in range(0, len(movers), step):
        part = slice(start, start + step)
        own, old, new = (column[part, None] for column in (movers.players, movers.before, movers.after))
        others = players != own
        below = others & (before > old) & (after <= new)
        above = others & (before <= old) & (after > new)
        for index in range(len(own)):
            yield (
                Passed(int(rose[start + index]), players[below[index]][::-1]),
                Passed(int(fell[start + index]), players[above[index]]),
            )


def _between(table: TableColumns, low: Ints, high: Ints) -> Ints:
    """How many players of the table have ratings above each `low` and up to `high`; 0 if `low` isn't lower."""
    sums = np.concatenate([[0], np.cumsum(table.counts)])
    up_to_high, up_to_low = (sums[np.searchsorted(table.values, bounds, "right")] for bounds in (high, low))
    between: Ints = np.maximum(0, up_to_high - up_to_low)
    return between
