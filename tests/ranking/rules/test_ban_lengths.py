"""How long a ban lasts, and how that is said."""

import datetime as dt

import pytest

from ranking.rules.ban_lengths import length_of, length_words


@pytest.mark.parametrize(
    ("days", "hours", "length", "words"),
    [
        (None, None, None, "for good"),
        (3, None, dt.timedelta(days=3), "for 3 days"),
        (1, None, dt.timedelta(days=1), "for 1 day"),
        (None, 12, dt.timedelta(hours=12), "for 12 hours"),
        (None, 1, dt.timedelta(hours=1), "for 1 hour"),
        (None, 48, dt.timedelta(days=2), "for 2 days"),
        (None, 36, dt.timedelta(hours=36), "for 36 hours"),
        (3_650, None, dt.timedelta(days=3_650), "for 3,650 days"),
    ],
)
def test_the_length_and_its_words(days: int | None, hours: int | None, length: dt.timedelta | None, words: str) -> None:
    assert (length_of(days, hours), length_words(length)) == (length, words)
