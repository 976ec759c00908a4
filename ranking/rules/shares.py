"""Shares of matches, as pages and the API show them: the same rounding everywhere."""


def percent_of(part: int, matches: int) -> int | None:
    """Return a share of matches in whole per cent; None if there are no matches."""
    return round(100 * part / matches) if matches else None
