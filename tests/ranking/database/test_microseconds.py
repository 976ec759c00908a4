import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from ranking.database.microseconds import microseconds_of, moment_at


@given(st.datetimes(timezones=st.just(dt.UTC)))
def test_a_moment_is_its_microseconds(moment: dt.datetime) -> None:
    assert moment_at(microseconds_of(moment)) == moment


def test_the_last_microsecond_before_1970() -> None:
    moment = dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=dt.UTC)
    assert (microseconds_of(moment), moment_at(-1)) == (-1, moment)
