"""The end of a mode's season by the mode's schedule."""

import datetime as dt
from zoneinfo import ZoneInfo

from ranking.models import Mode
from ranking.rules.schedule import next_end, read_schedule


def scheduled_end(mode: Mode, after: dt.datetime) -> dt.datetime | None:
    """The first end after a moment by the mode's schedule; None if it has none, or no dates are left."""
    if not mode.schedule:
        return None
    return next_end(read_schedule(mode.schedule), after, ZoneInfo(mode.time_zone))
