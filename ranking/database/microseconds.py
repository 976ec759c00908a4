"""Moments as whole microseconds since 1970, the form that columns and cursors keep. Pure."""

import datetime as dt

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)


def moment_at(microseconds: int) -> dt.datetime:
    """Return the moment so many microseconds after 1970 began; raise OverflowError beyond the year 9999."""
    return _EPOCH + microseconds * _MICROSECOND


def microseconds_of(moment: dt.datetime) -> int:
    """Return how many microseconds after 1970 began a moment is: the inverse of `moment_at`."""
    return (moment - _EPOCH) // _MICROSECOND
