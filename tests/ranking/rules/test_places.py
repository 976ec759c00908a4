"""Places of teams: ties share one, and teams that left as a whole come last together."""

import pytest

from ranking.rules.places import is_podium, is_top_half, places_to_show, team_places


@pytest.mark.parametrize(
    ("places", "scores", "gone", "expected"),
    [
        ((1, 2, 3), (None,) * 3, "", [1, 2, 3]),
        ((2, 2, 9, 1), (None,) * 4, "", [2, 2, 4, 1]),
        ((None,) * 4, (12, 20, 12, 3), "", [2, 1, 2, 4]),
        ((1, 2, 3, 4), (None,) * 4, "ac", [3, 1, 3, 2]),
        ((None,) * 3, (9, 8, 7), "a", [3, 1, 2]),
    ],
)
def test_places_of_teams(places, scores, gone, expected):
    teams = [{"place": place, "score": score} for place, score in zip(places, scores, strict=True)]
    assert team_places(teams, ["abcd"[at] in gone for at in range(len(teams))]) == expected


def test_podiums_from_six_teams_on_and_top_halves():
    assert [is_podium(place, places) for place, places in ((3, 5), (3, 6), (4, 6))] == [False, True, False]
    assert [is_top_half(place, places) for place, places in ((1, 2), (2, 3), (1, 3), (4, 8), (5, 8))] == [
        True, False, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        (3, [1, 2, 3]),
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (9, [1, 3, 5, 7, 9]),
        (10, [1, 3, 5, 8, 10]),
        (12, [1, 3, 6, 9, 12]),
        (100, [1, 25, 50, 75, 100]),
    ],
)
def test_all_places_up_to_eight_else_the_first_quartiles_median_and_last(places, expected):
    assert places_to_show(places) == expected
