import pytest

from matchmaking.queues.search_words import reach_words, search_choices


@pytest.mark.parametrize(
    ("own", "choices"),
    [
        (2, [(2, "Close"), (10, "Fast")]),
        (5, [(2, "Close"), (5, "Balanced"), (50, "Fast")]),
        (7, [(5, "Close"), (7, "Balanced"), (50, "Fast")]),
        (10, [(5, "Close"), (10, "Balanced"), (50, "Fast")]),
        (50, [(20, "Close"), (50, "Balanced"), (100, "Fast")]),
        (100, [(50, "Close"), (100, "Fast")]),
    ],
)
def test_three_words_for_widths(own: int, choices: list[tuple[int, str]]) -> None:
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
