"""Medals and their words."""

import pytest

from leaderboards.display.medals import Medal, medal_of, medals_of


def test_the_first_three_win_a_medal(subtests: pytest.Subtests) -> None:
    for rank, struck, medal in [(None, False, None), (1, False, 1), (3, False, 3), (4, False, None), (1, True, None)]:
        with subtests.test(rank=rank, struck=struck, medal=medal):
            assert medal_of(rank, struck=struck) == medal


def test_words(subtests: pytest.Subtests) -> None:
    for rank, seasons, words in [
        (1, ["A"], "Champion of A"),
        (1, ["C", "A"], "Champion of C and A"),
        (2, ["C", "B", "A"], "2nd in C, B and A"),
        (3, ["E", "D", "C", "B", "A"], "3rd in E, D, C and 2 more"),
    ]:
        with subtests.test(rank=rank, seasons=seasons, words=words):
            assert Medal(rank, tuple(seasons)).words == words


def test_medals_are_grouped_by_rank_the_best_first() -> None:
    assert medals_of([(3, "D"), (None, "C"), (1, "B"), (3, "A")]) == [Medal(1, ("B",)), Medal(3, ("D", "A"))]
