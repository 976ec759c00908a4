"""A rank table: a board as its distinct display ratings, with the number of players who hold each.

Ranks are "1224" (standard competition ranking): one more than the number of players strictly above. Ten million
players make some thirteen thousand rows; a lookup is a bisection of a tuple, one or two microseconds.

Ratings are whole hundredths. Lookups take `excluding`: one holder of this rating is left out. It is a player's own
published rating, when their live rating is compared with everybody else's. A rating that nobody holds excludes nobody,
because a reader may have seen a row that was published just after the table.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from ranking.rules.table_columns import TableColumns

INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class TableStanding:
    """The rank and percentile of a rating among `listed` players, its own player included."""

    rank: int
    percentile: int
    listed: int


@dataclass(frozen=True, slots=True)
class DistributionBar:
    """One bar of a histogram: `count` players with low ≤ rating < high, in hundredths."""

    low: int
    high: int
    count: int


class RankTable:
    """Immutable; built from (rating in hundredths, players) in ascending order of rating."""

    __slots__ = ("_below", "_counts", "_total", "_values")

    def __init__(self, pairs: Iterable[tuple[int, int]] = ()) -> None:
        rows = list(pairs)
        self._values = tuple([value for value, _ in rows])
        self._counts = tuple([count for _, count in rows])
        # By row: the number of players below it; then the number of all players.
        self._below = tuple(accumulate(self._counts, initial=0))
        self._total = self._below[-1]
        if any(low >= high for low, high in pairwise(self._values)):
            raise ValueError("A rank table needs distinct ratings in ascending order.")
        if rows and min(self._counts) < 1:
            raise ValueError("A rank table needs at least one player for each rating.")
        if rows and not (self._values[0] in INT64 and self._values[-1] in INT64 and self._total in INT64):
            raise ValueError("A rank table holds 64-bit integers only.")

    def __len__(self) -> int:
        """The number of listed players."""
        return self._total

    def rows(self) -> tuple[tuple[int, int], ...]:
        """(rating in hundredths, players), in ascending order of rating."""
        return tuple(zip(self._values, self._counts, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RankTable) and (self._values, self._counts) == (other._values, other._counts)

    def __hash__(self) -> int:
        return hash((self._values, self._counts))

    def __repr__(self) -> str:
        return f"<RankTable of {self._total} players, {len(self._values)} ratings>"

    def below(self, value: int, excluding: int | None = None) -> int:
        """The number of players with a strictly lower rating."""
        below = self._below[bisect_left(self._values, value)]
        return below - 1 if excluding is not None and excluding < value and self.count(excluding) else below

    def above(self, value: int, excluding: int | None = None) -> int:
        """The number of players with a strictly higher rating."""
        above = self._total - self._below[bisect_right(self._values, value)]
        return above - 1 if excluding is not None and excluding > value and self.count(excluding) else above

    def count(self, value: int) -> int:
        """The number of players with exactly this rating."""
        index = bisect_left(self._values, value)
        return self._counts[index] if index < len(self._values) and self._values[index] == value else 0

    def rank_of(self, value: int, excluding: int | None = None) -> int:
        return self.above(value, excluding) + 1

    def percentile_of(self, value: int, excluding: int | None = None) -> int:
        return percentile_from(self.below(value, excluding), self.above(value, excluding))

    def assumed_percentile_of(self, value: int, excluding: int | None = None) -> int:
        """The percentile that matchmaking assumes for a rating, listed or not: 50 if nobody is below or above."""
        return assumed_percentile_from(self.below(value, excluding), self.above(value, excluding))

    def standing(self, value: int, excluding: int | None = None) -> TableStanding:
        """The standing of a player with this rating among the others and themselves.

        `excluding`: the player's own published rating if they are in the table.
        """
        below, above = self.below(value, excluding), self.above(value, excluding)
        others = self._total - (1 if excluding is not None and self.count(excluding) else 0)
        return TableStanding(above + 1, percentile_from(below, above), others + 1)

    def value_at_rank(self, rank: int) -> int:
        """The rating of the player at this position, 1 = best; raises IndexError if there is none."""
        if not 1 <= rank <= self._total:
            raise IndexError(f"There is no rank {rank} among {self._total} players.")
        return self._values[bisect_right(self._below, self._total - rank) - 1]

    def find_next_above(self, value: int) -> int | None:
        """The lowest rating held that is strictly higher: the next target; None at the top."""
        index = bisect_right(self._values, value)
        return self._values[index] if index < len(self._values) else None

    def find_next_below(self, value: int) -> int | None:
        """The highest rating held that is strictly lower: who follows; None at the bottom."""
        index = bisect_left(self._values, value)
        return self._values[index - 1] if index else None

    def find_value_at_percentile(self, percentile: int) -> int | None:
        """The lowest rating held whose percentile is at least this one; None where there is none."""
        index = bisect_left(self._values, percentile, key=self.percentile_of)
        return self._values[index] if index < len(self._values) else None

    def to_bytes(self) -> bytes:
        """The table in its stored form."""
        return TableColumns(np.array(self._values, np.int64), np.array(self._counts, np.int64)).to_bytes()

    @classmethod
    def from_bytes(cls, stored: bytes | memoryview) -> RankTable:
        """The table that `to_bytes` stored; raises ValueError for anything else."""
        return cls.of(TableColumns.from_bytes(stored))

    @classmethod
    def of(cls, columns: TableColumns) -> RankTable:
        return cls(zip(columns.values.tolist(), columns.counts.tolist(), strict=True))

    def distribution(
        self, bars: int, low: int | None = None, high: int | None = None, *, unit: int = 1
    ) -> tuple[DistributionBar, ...]:
        """A histogram of at most `bars` bars of equal width from `low` to `high`, both inclusive.

        Bars begin and end at multiples of `unit`, as ratings do, so that bounds are shown as they are. The last one may
        end beyond `high`.

        By default it spans all ratings. Ratings outside of `low` to `high` count in the first and last bar. So the
        counts add up to all players, and a few extreme ratings don't squeeze the rest into one bar.
        """
        if not self._total or bars < 1:
            return ()
        first = self._values[0] if low is None else low
        last = max(first, self._values[-1] if high is None else high)
        begin, span = first // unit, last // unit - first // unit + 1
        width = -(-span // bars)
        edges = [unit * (begin + width * i) for i in range(-(-span // width) + 1)]
        below = [0, *(self.below(edge) for edge in edges[1:-1]), self._total]
        return tuple(
            DistributionBar(*sides, after - before)
            for sides, (before, after) in zip(pairwise(edges), pairwise(below), strict=True)
        )


def top_percent(rank: int, listed: int) -> int:
    """The X of "top X %": rounded up, at least 1."""
    return max(1, -(-100 * rank // listed))


ASSUMED_PERCENTILE = 50


def percentile_from(below: int, above: int) -> int:
    """The percentile, 1 to 100, from the numbers of players with a strictly lower and a strictly higher rating.

    The lowest players get 1. The highest get 100 if there are two distinct ratings or more, or if nobody else is there.
    """
    others = below + above
    if others == 0:
        return 100
    return min(100, 1 + 100 * below // others)


def assumed_percentile_from(below: int, above: int) -> int:
    """The percentile that matchmaking assumes for a rating: 50 if nobody is below or above."""
    return percentile_from(below, above) if below + above else ASSUMED_PERCENTILE
