"""Rounds a hidden float to the rating that people see, and converts that to the hundredths that boards sort by.

The float's repr, read as a decimal, is rounded half away from zero; minus zero prints as zero.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

# The largest display rating, in hundredths: the largest number in a database's bigint.
LARGEST_HUNDREDTHS = 2**63 - 1

# Enough digits for any float, so that rounding to a step never fails for want of precision.
_EXACT = Context(prec=400)
_STEPS = tuple(Decimal(1).scaleb(-decimals) for decimals in range(3))


def rounded(value: float, decimals: int) -> Decimal:
    """`value` with exactly `decimals` (0 to 2) places."""
    # The decimal module's ROUND_HALF_UP rounds half away from zero.
    result = Decimal(repr(value)).quantize(_STEPS[decimals], ROUND_HALF_UP, _EXACT)
    return result if result else result.copy_abs()


def hundredths(display: Decimal) -> int:
    """A display rating as a whole number of hundredths."""
    return int(display.scaleb(2, _EXACT))


def from_hundredths(value: int, decimals: int = 2) -> Decimal:
    """The inverse of `hundredths`, with exactly `decimals` places."""
    return Decimal(value).scaleb(-2, _EXACT).quantize(_STEPS[decimals], ROUND_HALF_UP, _EXACT)
