"""What stands out in a season's matches."""

import datetime as dt

from leaderboards.rules.highlights import (
    MapRecord,
    PlayedMatch,
    find_highlights,
    longest_streak,
    since_placement,
    thinned,
)
from tests.support.factories import NOW


def played(*rows):
    """Matches of (outcome, before, after, chance, rank, map), numbered from 0, an hour apart."""
    return [
        PlayedMatch(number, outcome, before, after, chance, rank, NOW + dt.timedelta(hours=number), variant)
        for number, (outcome, before, after, chance, rank, variant) in enumerate(rows)
    ]


def test_highlights():
    found = find_highlights(
        played(
            ("win", 100, 110, 0.5, None, "Aerie"),
            ("win", 110, 140, 0.4, 7, "Cellar"),
            ("loss", 140, 120, 0.9, 9, "Aerie"),
            ("win", 120, 130, 0.3, 7, "Prism"),
            ("left", 130, 115, 0.5, 8, ""),
        ),
        placement=0,
        maps=2,
    )
    assert found is not None
    ids = [match and match.match_id for match in (found.peak, found.best_rank, found.gain, found.upset)]
    assert (ids, found.streak) == ([1, 1, 1, 3], 2)
    assert found.maps == (MapRecord("Aerie", 2, 1), MapRecord("Cellar", 1, 1))


def test_what_is_not_there_is_none():
    assert find_highlights([], placement=0, maps=5) is None
    found = find_highlights(
        played(("loss", 100, 90, 0.5, None, ""), ("win", 90, 90, 0.499, None, "")), placement=0, maps=5
    )
    assert found is not None
    assert (found.best_rank, found.gain, found.upset, found.maps, found.streak) == (None, None, None, (), 1)


def test_the_peak_counts_from_the_match_that_placed_the_player(subtests):
    """L is a match that the player left, b one too brief to place."""
    for outcomes, placement, kept in [
        ("wll", 0, [0, 1, 2]),
        ("wlw", 2, [1, 2]),
        ("wLlw", 2, [2, 3]),
        ("wbw", 2, [2]),
        ("www", 4, []),
    ]:
        with subtests.test(outcomes=outcomes, placement=placement, kept=kept):
            matches = [
                PlayedMatch(
                    index, "left" if letter == "L" else "win", 0, 9 - index, None, None, NOW, "", brief=letter == "b"
                )
                for index, letter in enumerate(outcomes)
            ]
            assert [match.match_id for match in since_placement(matches, placement)] == kept
            found = find_highlights(matches, placement=placement, maps=1)
            assert (found.peak and found.peak.match_id) == (kept[0] if kept else None)


def test_the_longest_streak(subtests):
    for results, streak in [("", 0), ("w", 1), ("lwwl", 2), ("wwlwww", 3), ("lll", 0)]:
        with subtests.test(results=results, streak=streak):
            assert longest_streak([result == "w" for result in results]) == streak


def test_thinned_keeps_both_ends(subtests):
    for points, most, kept in [
        (3, 5, [0, 1, 2]),
        (5, 5, [0, 1, 2, 3, 4]),
        (9, 5, [0, 2, 4, 6, 8]),
        (100, 3, [0, 50, 99]),
    ]:
        with subtests.test(points=points, most=most, kept=kept):
            assert thinned(range(points), most) == kept


def test_among_more_than_two_teams_a_first_place_is_a_win():
    first, shared, second, left = (
        PlayedMatch(number, outcome, 0, 0, None, None, NOW, "Aerie", place, 8)
        for number, (outcome, place) in enumerate([("win", 1), ("draw", 1), ("loss", 2), ("left", 1)])
    )
    assert [match.won for match in (first, shared, second, left)] == [True, True, False, False]
    found = find_highlights([first, shared, second, left], placement=0, maps=1)
    assert (found.streak, found.maps) == (2, (MapRecord("Aerie", 4, 2),))
