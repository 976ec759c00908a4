"""How long a ban lasts: whole days or whole hours, at most ten years; longer ones are for good."""

from __future__ import annotations

import datetime as dt

LONGEST_DAYS = 3_650
LONGEST_HOURS = 24 * LONGEST_DAYS
# Lengths that forms offer, by hours.
USUAL = {1: "1 hour", 6: "6 hours", 24: "24 hours", 72: "3 days", 168: "7 days", 720: "30 days", 2160: "90 days"}
WHOLE_DAYS = "This must be a whole number of days. For less than a day, give hours."
WHOLE_HOURS = "This must be a whole number of hours."
NOT_BOTH = "Give days or hours, not both."
ONE_OF_BOTH = "Give days or hours."
CHOSEN_AND_WRITTEN = "You chose a length and wrote another: choose none, or empty days and hours."


def length_of(days: int | None, hours: int | None) -> dt.timedelta | None:
    """The length of a ban of so many days or hours; None for good."""
    if days is None and hours is None:
        return None
    return dt.timedelta(days=days or 0, hours=hours or 0)


def length_words(length: dt.timedelta | None) -> str:
    """How long a ban lasts, for moderators: for 3 days, for 12 hours, for good."""
    if length is None:
        return "for good"
    hours = length // dt.timedelta(hours=1)
    count, unit = (hours // 24, "day") if hours % 24 == 0 else (hours, "hour")
    return f"for {count:,} {unit}{'' if count == 1 else 's'}"
