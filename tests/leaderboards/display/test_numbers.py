import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.display import numbers, spans

NOW = dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC)


def test_rating(subtests: pytest.Subtests) -> None:
    for hundredths, decimals, text in [
        (2184, 2, "21.84"),
        (100, 2, "1.00"),
        (102184, 2, "1,021.84"),
        (250000, 0, "2,500"),
        (-40, 2, "−0.40"),
        (0, 2, "0.00"),
        (999999999999, 2, "9,999,999,999.99"),
    ]:
        with subtests.test(hundredths=hundredths, decimals=decimals, text=text):
            assert numbers.rating_text(hundredths, decimals) == text


@pytest.mark.parametrize(
    ("before", "after", "direction", "text"),
    [(2184, 2300, "up", "+1.16"), (2300, 2260, "down", "−0.40"), (100, 100, "same", "±0.00")],
)
def test_rating_delta(before: int, after: int, direction: str, text: str) -> None:
    change = numbers.rating_delta(before, after, 2)
    assert (change.direction, change.text) == (direction, text)


@given(st.integers(-(10**15), 10**15), st.integers(-(10**15), 10**15))
def test_a_delta_is_what_lies_between(before: int, after: int) -> None:
    text = numbers.rating_delta(before, after, 2).text
    assert round(float(text.replace("−", "-").replace(",", "").replace("±", "")) * 100) == after - before


def test_ordinal() -> None:
    ordinals = {
        1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 22: "22nd",
        101: "101st", 111: "111th", 1002: "1,002nd",
    }  # fmt: skip
    assert {number: numbers.ordinal(number) for number in ordinals} == ordinals


def test_ago() -> None:
    texts = {
        -30: "just now", 0: "just now", 40: "40 s ago", 89: "89 s ago", 90: "1 min ago", 3600: "60 min ago",
        5400: "1 h ago", 35 * 3600: "35 h ago", 36 * 3600: "1 day ago", 3 * 86400: "3 days ago",
        40 * 86400: "10 Apr 2026",
    }  # fmt: skip
    assert {seconds: spans.ago(NOW - dt.timedelta(seconds=seconds), NOW) for seconds in texts} == texts


def test_until() -> None:
    texts = {
        -5: "any moment", 0: "any moment", 59: "in less than a minute", 60: "in 1 minute", 240: "in 4 minutes",
        7199: "in 120 minutes", 7200: "in 2 hours", 47 * 3600: "in 47 hours", 48 * 3600: "in 2 days",
        12 * 86400: "in 12 days", 12 * 86400 - 1: "in 12 days", 40 * 86400: "in 40 days",
    }  # fmt: skip
    assert {seconds: spans.until(NOW + dt.timedelta(seconds=seconds), NOW) for seconds in texts} == texts


@pytest.mark.parametrize(
    ("days", "text"), [(0, "20 May, 12:00"), (-365, "20 May 2025, 12:00"), (3650, "17 May 2036, 12:00")]
)
def test_day_and_time(days: int, text: str) -> None:
    assert spans.day_and_time(NOW + dt.timedelta(days=days), NOW) == text


def test_clock(subtests: pytest.Subtests) -> None:
    for seconds, text in [(0, "0:00"), (7.4, "0:07"), (247, "4:07"), (3753, "1:02:33")]:
        with subtests.test(seconds=seconds, text=text):
            assert numbers.clock(seconds) == text
