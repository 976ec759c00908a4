"""Times of files: year first, seconds since 1970, or the format and the zone that somebody names."""

import datetime as dt
import zoneinfo

import pytest

from ranking.result_files.options import BadFile, check_date_format, read_columns, read_zone
from ranking.result_files.played_times import PlayedTimes, UnknownFormat

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")


def test_times(subtests):
    for text, date_format, zone, moment, alone in (
        ("2026-01-31T18:00:00Z", "", None, "2026-01-31T18:00:00Z", False),
        ("2026-01-31 18:00", "", None, "2026-01-31T18:00:00+00:00", False),
        ("2026-01-31  18:00:05.25", "", BERLIN, "2026-01-31T17:00:05.250000+00:00", False),
        ("2026-07-31T18:00", "", BERLIN, "2026-07-31T16:00:00+00:00", False),
        ("2026-01-31 18:00:00 UTC", "", BERLIN, "2026-01-31T18:00:00+00:00", False),
        ("2026-01-31 18:00:00+0530", "", BERLIN, "2026-01-31T12:30:00+00:00", False),
        ("2026-01-31 18:00:00.123456-03", "", None, "2026-01-31T21:00:00.123456+00:00", False),
        ("2026-01-31", "", None, "2026-01-31T00:00:00+00:00", True),
        ("2026.1.5", "", BERLIN, "2026-01-04T23:00:00+00:00", True),
        ("2026/01/31", "", None, "2026-01-31T00:00:00+00:00", True),
        ("20260131", "", BERLIN, "2026-01-30T23:00:00+00:00", True),
        ("1872-11-30", "", None, "1872-11-30T00:00:00+00:00", True),
        ("1769882400", "", BERLIN, "2026-01-31T18:00:00+00:00", False),
        (1769882400.5, "", None, "2026-01-31T18:00:00.500000+00:00", False),
        ("1769882400123", "", None, "2026-01-31T18:00:00.123000+00:00", False),
        ("31.01.2026", "%d.%m.%Y", None, "2026-01-31T00:00:00+00:00", True),
        ("31.1.2026 18:00", "%d.%m.%Y %H:%M", BERLIN, "2026-01-31T17:00:00+00:00", False),
        ("1/31/2026 6:05 PM", "%m/%d/%Y %I:%M %p", None, "2026-01-31T18:05:00+00:00", False),
        ("31 Jan 2026", "%d %b %Y", None, "2026-01-31T00:00:00+00:00", True),
    ):
        with subtests.test(text):
            assert PlayedTimes(date_format, zone).read(text) == (moment, alone)


def test_whether_utc_was_assumed():
    for text, zone, assumed in (
        ("2026-01-31", None, True),
        ("2026-01-31", BERLIN, False),
        ("2026-01-31T18:00Z", None, False),
    ):
        times = PlayedTimes("", zone)
        times.read(text)
        assert times.assumed_utc == assumed, text


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("31.01.2026", ["%d.%m.%Y"]),
        ("01/02/2026", ["%d/%m/%Y", "%m/%d/%Y"]),
        ("31/01/2026 3:30 PM", ["%d/%m/%Y %I:%M %p"]),
        ("2026-01-31 3:30 pm", ["%Y-%m-%d %I:%M %p"]),
        ("Jan 31, 2026", ["%b %d, %Y"]),
    ],
)
def test_formats_that_nobody_named_are_offered(text, formats):
    with pytest.raises(UnknownFormat) as caught:
        PlayedTimes().read(text)
    assert all(f'"{one}"' in str(caught.value) for one in formats)


def test_what_is_no_time(subtests):
    for text, date_format, sentence in (
        ("2025.03.??", "", "'2025.03.??' isn't a time such as 2026-01-31, 2026-01-31 18:00 or 2026-01-31T18:00:00Z."),
        ("2026-02-30", "", "there is no such time as '2026-02-30': day is out of range for month."),
        ("soon", "", "'soon' isn't a time such as"),
        ("2026-01-31", "%d.%m.%Y", "'2026-01-31' isn't a date in the format %d.%m.%Y."),
    ):
        with subtests.test(text), pytest.raises(ValueError, match=r"time|date") as caught:
            PlayedTimes(date_format).read(text)
        assert str(caught.value).startswith(sentence)


def test_options():
    assert read_columns('date=ended_at,"a,b=c"=player1, p1 points = score1') == {
        "date": "ended_at", "a,b=c": "player1", "p1 points": "score1",
    }  # fmt: skip
    assert read_columns("date=ended_at,\r\np1=player1\n") == {"date": "ended_at", "p1": "player1"}
    assert read_columns("") == {}
    assert (read_zone(""), read_zone("Europe/Berlin")) == (None, BERLIN)
    assert dt.datetime(2026, 1, 1, tzinfo=read_zone("+02:00")).isoformat() == "2026-01-01T00:00:00+02:00"
    for text in ("%d.%m.%Y", "%d.%m.%Y %H:%M %z", "%m/%d/%Y %I:%M %p"):
        assert check_date_format(text) == text
    for read, text in ((read_columns, "date"), (read_columns, "=id"), (read_zone, "Berlin"), (read_zone, "+2"),
                       (read_zone, "../etc/passwd"), (check_date_format, "d.m.y"), (check_date_format, "%d.%m"),
                       (check_date_format, "%"), (check_date_format, "%d.%d.%Y"),
                       (check_date_format, "%d.%m.%Y %H:%M %Z"), (check_date_format, "%d.%m.%Y %I:%M"),
                       (read_columns, f"a={'x' * 140_000}")):  # fmt: skip
        with pytest.raises(BadFile, match=r".{20}"):
            read(text)
