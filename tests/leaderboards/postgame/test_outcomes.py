"""The words of a match's result."""

from django.utils.translation import override

from leaderboards.postgame.outcomes import time_text

TIMES = {
    59.2: ("59.2", "59,2"),
    60: ("1:00", "1:00"),
    83.456: ("1:23.456", "1:23,456"),
    81.63: ("1:21.63", "1:21,63"),
}


def test_the_time_of_a_race_has_the_decimal_point_of_the_language():
    english = {seconds: time_text(seconds) for seconds in TIMES}
    with override("de"):
        assert {seconds: (english[seconds], time_text(seconds)) for seconds in TIMES} == TIMES
