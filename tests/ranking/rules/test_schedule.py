"""Seasons end weekly, monthly, every so many days or on dates, by the clocks of the mode's time zone."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.rules.schedule import EXAMPLES, BadSchedule, next_end, read_schedule
from tests.support.examples import examples

BERLIN = "Europe/Berlin"


def moment(text, zone="UTC"):
    return dt.datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


def ends(text, after, zone="UTC", number=1):
    """The next ends as the clocks of the zone show them."""
    schedule, at, found = read_schedule(text), moment(after, zone), []
    for _ in range(number):
        at = next_end(schedule, at, ZoneInfo(zone))
        found.append(at and at.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M"))
    return found


def test_the_next_end_is_the_first_after_a_moment(subtests):
    for text, after, expected in [
        ("weekly on Monday at 18:00", "2026-05-20T12:00", ["2026-05-25 18:00", "2026-06-01 18:00"]),
        ("weekly on monday at 18:00", "2026-05-25T17:59", ["2026-05-25 18:00"]),
        ("weekly on Monday at 18:00", "2026-05-25T18:00", ["2026-06-01 18:00"]),
        ("Weekly on Sunday", "2026-05-20T12:00", ["2026-05-24 00:00"]),
        ("monthly on 31 at 18:00", "2026-01-31T18:00", ["2026-02-28 18:00", "2026-03-31 18:00", "2026-04-30 18:00"]),
        ("monthly on 31 at 18:00", "2028-02-01T00:00", ["2028-02-29 18:00"]),
        ("monthly on 1", "2026-12-15T00:00", ["2027-01-01 00:00"]),
        ("every 14 days from 2026-01-05 at 18:00", "2025-11-01T00:00", ["2026-01-05 18:00", "2026-01-19 18:00"]),
        ("every 14 days from 2026-01-05 at 18:00", "2026-01-19T18:00", ["2026-02-02 18:00"]),
        ("every 1 day from 2026-01-05", "2026-05-20T12:00", ["2026-05-21 00:00"]),
        ("on 2026-06-01 at 18:00, 2026-03-01", "2026-01-01T00:00", ["2026-03-01 00:00", "2026-06-01 18:00"]),
        ("on 2026-03-01", "2026-03-01T00:00", [None]),
        ("weekly on Monday", "9999-12-30T00:00", [None]),
    ]:
        with subtests.test(text=text):
            assert ends(text, after, number=len(expected)) == expected


@pytest.mark.parametrize(
    ("text", "after", "in_zone", "in_utc"),
    [
        ("weekly on Sunday at 18:00", "2026-03-28T00:00", "2026-03-29 18:00", "16:00"),  # summer time since the night
        ("weekly on Saturday at 18:00", "2026-03-28T00:00", "2026-03-28 18:00", "17:00"),
        ("every 7 days from 2026-03-28 at 18:00", "2026-03-29T00:00", "2026-04-04 18:00", "16:00"),
        ("on 2026-03-29 at 02:30", "2026-03-28T00:00", "2026-03-29 03:30", "01:30"),  # the clocks leave 2:30 out
        ("on 2026-10-25 at 02:30", "2026-10-24T00:00", "2026-10-25 02:30", "00:30"),  # it comes twice
    ],
)
def test_ends_keep_to_the_clocks_when_these_change(text, after, in_zone, in_utc):
    assert ends(text, after, BERLIN) == [in_zone]
    end = next_end(read_schedule(text), moment(after, BERLIN), ZoneInfo(BERLIN))
    assert end is not None
    assert (end.tzinfo, end.strftime("%H:%M")) == (dt.UTC, in_utc)


def test_what_is_no_schedule_is_refused_in_a_sentence(subtests):
    for text, sentence in [
        ("", "“” is no schedule. Write one of: weekly on Monday at 18:00"),
        ("daily", "“daily” is no schedule."),
        ("weekly on Moonday", "'moonday' is no weekday; write Monday to Sunday."),
        ("monthly on 32", "A month has no day 32; write 1 to 31."),
        ("monthly on 0", "A month has no day 0; write 1 to 31."),
        ("every 0 days from 2026-01-05", "Seasons last 1 to 3,650 days, not 0."),
        ("every 9999 days from 2026-01-05", "Seasons last 1 to 3,650 days, not 9999."),
        ("every 7 days from 2026-02-30", "There is no date 2026-02-30."),
        ("weekly on Monday at 24:00", "There is no time 24:00."),
        ("on 2026-02-01, ", "“” is no date; write such as 2026-03-01 at 18:00."),
        ("on " + ", ".join(["2026-02-01"] * 21), "A schedule has at most 20 dates, not 21."),
    ]:
        with subtests.test(text=text):
            with pytest.raises(BadSchedule) as refused:
                read_schedule(text)
            assert str(refused.value).startswith(sentence)


@examples(60)
@given(
    st.sampled_from(EXAMPLES[:3]),
    st.integers(0, 6_000_000_000).map(lambda seconds: dt.datetime.fromtimestamp(946_684_800 + seconds, dt.UTC)),
    st.sampled_from(["UTC", BERLIN, "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/Sao_Paulo"]),
)
def test_the_next_end_lies_ahead_and_no_end_between(text, after, zone):
    schedule = read_schedule(text)
    end = next_end(schedule, after, ZoneInfo(zone))
    assert end is not None
    assert end > after
    if end - after > dt.timedelta(hours=1):
        assert next_end(schedule, end - dt.timedelta(seconds=1), ZoneInfo(zone)) == end
        assert next_end(schedule, after + dt.timedelta(hours=1), ZoneInfo(zone)) == end
