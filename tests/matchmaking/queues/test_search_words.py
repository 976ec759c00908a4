import pytest

from matchmaking.queues.search_words import reach_words, search_choices


def test_three_words_for_widths(subtests: pytest.Subtests) -> None:
    for own, choices in [
        (2, [(2, "Close"), (10, "Fast")]),
        (5, [(2, "Close"), (5, "Balanced"), (50, "Fast")]),
        (7, [(5, "Close"), (7, "Balanced"), (50, "Fast")]),
        (10, [(5, "Close"), (10, "Balanced"), (50, "Fast")]),
        (50, [(20, "Close"), (50, "Balanced"), (100, "Fast")]),
        (100, [(50, "Close"), (100, "Fast")]),
    ]:
        with subtests.test(own=own, choices=choices):
            assert search_choices(own) == choices


def test_how_far_a_window_reaches() -> None:
    windows = [(48, 52), (40, 60), (30, 70), (0, 60), (0, 100)]
    assert [reach_words(*window) for window in windows] == [
        "Very close to your rank",
        "Close to your rank",
        "Around your rank",
        "A wide range",
        "Everybody",
    ]
