from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.rules.rank_table import RankTable, TableStanding, assumed_percentile_from, percentile_from, top_percent

ratings = st.integers(-40, 40)
populations = st.lists(ratings, max_size=50)


def table(players):
    return RankTable(sorted(Counter(players).items()))


TEN = table(range(100, 1100, 100))


@given(populations, ratings)
def test_it_equals_counting_everyone(players, value):
    built = table(players)
    below, above = sum(p < value for p in players), sum(p > value for p in players)
    assert len(built) == len(players)
    assert (built.below(value), built.above(value), built.count(value)) == (
        below,
        above,
        players.count(value),
    )
    assert built.rank_of(value) == above + 1
    assert built.percentile_of(value) == percentile_from(below, above)
    assert built.assumed_percentile_of(value) == assumed_percentile_from(below, above)
    assert built.standing(value) == TableStanding(above + 1, percentile_from(below, above), len(players) + 1)


@given(st.lists(ratings, min_size=1, max_size=50), ratings, st.data())
def test_excluding_a_row_is_the_table_without_it(players, value, data):
    own = data.draw(st.sampled_from(players))
    others = list(players)
    others.remove(own)
    built, without = table(players), table(others)
    assert built.below(value, own) == without.below(value)
    assert built.above(value, own) == without.above(value)
    assert built.rank_of(value, own) == without.rank_of(value)
    assert built.percentile_of(value, own) == without.percentile_of(value)
    assert built.assumed_percentile_of(value, own) == without.assumed_percentile_of(value)
    assert built.standing(value, excluding=own) == without.standing(value)


@given(populations, ratings)
def test_excluding_a_rating_that_nobody_holds_excludes_nobody(players, value):
    assert table(players).standing(value, excluding=99) == table(players).standing(value)


@given(st.lists(ratings, min_size=1, max_size=50))
def test_ones_published_rating_stands_as_the_board_says(players):
    built = table(players)
    for own in players:
        assert built.standing(own, excluding=own) == TableStanding(
            built.rank_of(own), built.percentile_of(own), len(players)
        )


@given(st.lists(ratings, min_size=1, max_size=50))
def test_value_at_rank_is_the_order_of_the_board(players):
    built = table(players)
    assert [built.value_at_rank(n + 1) for n in range(len(players))] == sorted(players, reverse=True)


@pytest.mark.parametrize("rank", [0, 11, -1])
def test_there_is_no_rank_beyond_the_last(rank):
    with pytest.raises(IndexError, match=f"no rank {rank} among 10 players"):
        TEN.value_at_rank(rank)


def test_ranks_are_1224():
    built = table([400, 300, 300, 200])
    assert [built.rank_of(value) for value in (400, 300, 200)] == [1, 2, 4]


def test_the_next_target_is_just_above():
    assert [TEN.find_next_above(v) for v in (0, 100, 150, 1000)] == [100, 200, 200, None]


@given(populations, st.integers(1, 100))
def test_the_lowest_rating_of_a_percentile(players, wanted):
    built = table(players)
    enough = [p for p in players if built.percentile_of(p) >= wanted]
    assert built.find_value_at_percentile(wanted) == (min(enough) if enough else None)


@given(populations, st.integers(1, 12), st.one_of(st.none(), ratings), st.one_of(st.none(), ratings))
def test_a_distribution_counts_everyone_once(players, bars, low, high):
    histogram = table(players).distribution(bars, low, high)
    assert sum(bar.count for bar in histogram) == len(players)
    assert len(histogram) <= bars
    assert len({bar.high - bar.low for bar in histogram}) <= 1
    for bar, following in pairwise(histogram):
        assert bar.low < bar.high == following.low
    for bar in histogram[1:-1]:
        assert bar.count == sum(bar.low <= p < bar.high for p in players)


def test_a_distribution():
    counts = [(bar.low, bar.high, bar.count) for bar in TEN.distribution(3)]
    assert counts == [(100, 401, 4), (401, 702, 3), (702, 1003, 3)]
    assert [bar.count for bar in TEN.distribution(2, low=300, high=500)] == [4, 6]  # the rest in the end bars
    assert table([]).distribution(3) == ()
    assert [bar.count for bar in table([5, 5, 6]).distribution(10)] == [2, 1]


@given(st.dictionaries(st.integers(-(2**63), 2**63 - 1), st.integers(1, 10**9), max_size=30))
def test_bytes_keep_it(counts):
    built = RankTable(sorted(counts.items()))
    stored = built.to_bytes()
    assert RankTable.from_bytes(stored) == built == RankTable.from_bytes(memoryview(stored))
    assert RankTable.from_bytes(stored).rows() == tuple(sorted(counts.items()))


STORED = TEN.to_bytes()


@pytest.mark.parametrize(
    ("stored", "sentence"),
    [
        (b"", "no rank table"),
        (b"something else entirely, long enough", "no rank table"),
        (STORED[:10], "no rank table"),
        (STORED[:4] + b"\x03" + STORED[5:], "format 3; this program reads format 2"),
        (STORED[:-1], "checksum"),
        (STORED[:-1] + bytes([STORED[-1] ^ 1]), "checksum"),
    ],
)
def test_other_bytes_are_refused(stored, sentence):
    with pytest.raises(ValueError, match=sentence):
        RankTable.from_bytes(stored)


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        ([(2, 1), (1, 1)], "ascending"),
        ([(1, 1), (1, 1)], "distinct"),
        ([(1, 0)], "at least one player"),
        ([(2**63, 1)], "64-bit"),
        ([(0, 2**63)], "64-bit"),
    ],
)
def test_other_rows_are_refused(pairs, sentence):
    with pytest.raises(ValueError, match=sentence):
        RankTable(pairs)


@pytest.mark.parametrize(
    ("rank", "listed", "expected"),
    [(1, 1, 100), (1, 1000, 1), (10, 1000, 1), (11, 1000, 2), (1498, 12_480, 13), (8, 8, 100)],
)
def test_top_percent(rank, listed, expected):
    assert top_percent(rank, listed) == expected
