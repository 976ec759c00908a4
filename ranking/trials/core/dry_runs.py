"""Compares today's board with the board of a dry run: the same players, rated by another system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

TOP, MOVERS = 50, 10

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Place:
    """A player's ranks and display ratings, in hundredths, on both boards; `player`: the row's id."""

    player: int
    rank: int
    hundredths: int
    rank_today: int
    hundredths_today: int


@dataclass(frozen=True, slots=True)
class BoardComparison:
    """`correlation`: Spearman's of the two boards, None if one is all ties; `kept`: players who stay in the top."""

    listed: int
    correlation: float | None
    kept: int
    top: tuple[Place, ...]
    risers: tuple[Place, ...]
    fallers: tuple[Place, ...]


def compare(players: Sequence[int], today: Integers, dry: Integers) -> BoardComparison:
    """Compare the players' ratings of `today` and of the dry run; `players` come in today's order.

    Players with equal ranks in the dry run keep today's order.
    """
    rank_today, rank = ranks(today), ranks(dry)
    order = np.argsort(rank, kind="stable")
    rise = rank_today - rank

    def places(rows: Integers) -> tuple[Place, ...]:
        return tuple(
            Place(players[row], int(rank[row]), int(dry[row]), int(rank_today[row]), int(today[row])) for row in rows
        )

    by_rise = np.argsort(-rise, kind="stable")
    return BoardComparison(
        listed=len(players),
        correlation=spearman(today, dry),
        kept=len(np.intersect1d(order[:TOP], np.arange(min(TOP, len(players))))),
        top=places(order[:TOP]),
        risers=places(by_rise[:MOVERS][rise[by_rise[:MOVERS]] > 0]),
        fallers=places(by_rise[::-1][:MOVERS][rise[by_rise[::-1][:MOVERS]] < 0]),
    )


def ranks(values: Integers) -> Integers:
    """Standard competition ranks ("1224"), the highest value first."""
    return np.searchsorted(np.sort(-values), -values, side="left") + 1


def spearman(one: Integers, other: Integers) -> float | None:
    """The rank correlation of two columns, with mean ranks for ties: 1 = the same order, −1 = reversed."""
    first, second = (_mean_ranks(values) for values in (one, other))
    if len(one) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])


def _mean_ranks(values: Integers) -> npt.NDArray[np.float64]:
    ordered = np.sort(values)
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return (below + up_to + 1) / 2
