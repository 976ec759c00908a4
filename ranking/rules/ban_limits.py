"""How long somebody may ban: bans of one player count together, so that no series of bans gets round a limit.

Of any stretch of time that is twice as long as the limit, a player may be banned for as long as the limit, and no
longer. So extending a ban, or lifting it and banning anew, gives no more time than one ban.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

Stretch = tuple[dt.datetime, dt.datetime | None]  # from, to; None = for good


def stays_within(longest: dt.timedelta, end: dt.datetime | None, stretches: Iterable[Stretch]) -> bool:
    """True if a ban that ends at `end` is one of at most `longest`, counted together with the player's other bans.

    `stretches`: all of the player's bans, this one included.
    """
    return end is not None and banned_time(stretches, end - 2 * longest, end) <= longest


def banned_time(stretches: Iterable[Stretch], since: dt.datetime, until: dt.datetime) -> dt.timedelta:
    """How long at least one of these stretches lasts between two moments."""
    total, covered = dt.timedelta(), since
    for start, end in sorted((start, until if end is None else end) for start, end in stretches):
        last = min(end, until)
        if last > covered:
            total += last - max(start, covered)
            covered = last
    return total
