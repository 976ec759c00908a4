"""Percentiles of display ratings, by the rule that puts equals together and fills all hundred groups."""

from __future__ import annotations

WHERE_NOBODY_ELSE = 50


def percentile(below: int, above: int) -> int:
    """1 to 100, from how many have a strictly lower and how many a strictly higher rating.

    The lowest get 1; the highest get 100 from two distinct ratings on; so does somebody without equals.
    """
    others = below + above
    if others == 0:
        return 100
    return min(100, 1 + 100 * below // others)


def assumed_percentile(below: int, above: int) -> int:
    """The percentile that matchmaking assumes for somebody unplaced: 50 where nobody is below or above."""
    return percentile(below, above) if below + above else WHERE_NOBODY_ELSE
