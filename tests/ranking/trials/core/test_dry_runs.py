"""Two boards side by side: ranks, who moves, and how alike they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.trials.core.dry_runs import MOVERS, TOP, compare, ranks, spearman


def column(*values):
    return np.array(values, dtype=np.int64)


def test_ranks_are_those_of_boards():
    assert ranks(column(500, 900, 700, 700, 100)).tolist() == [4, 1, 2, 2, 5]


SPEARMANS = [
    ((1, 2, 3), (10, 20, 30), 1.0),
    ((1, 2, 3), (30, 20, 10), -1.0),
    ((1, 2, 3, 4), (2, 1, 4, 3), 0.6),  # 1 − 6·(1 + 1 + 1 + 1)/(4·15)
    ((1, 2, 2, 3), (1, 2, 2, 3), 1.0),
    ((1, 2, 2, 3), (1, 2, 3, 4), 4.5 / (4.5 * 5) ** 0.5),  # of mean ranks 1, 2.5, 2.5, 4
    ((1, 1, 1), (1, 2, 3), None),
    ((1,), (1,), None),
    ((), (), None),
]


@pytest.mark.parametrize(("one", "other", "expected"), SPEARMANS)
def test_spearman(one, other, expected):
    assert spearman(column(*one), column(*other)) == (None if expected is None else pytest.approx(expected))


def test_compare():
    """Today a, b, c, d; c would come first, a and b share the second place, d stays."""
    found = compare([1, 2, 3, 4], column(400, 300, 200, 100), column(20, 20, 30, 10))
    assert [(p.player, p.rank, p.rank_today) for p in found.top] == [(3, 1, 3), (1, 2, 1), (2, 2, 2), (4, 4, 4)]
    assert [p.player for p in found.risers] == [3]
    assert [p.player for p in found.fallers] == [1]
    assert (found.top[0].hundredths, found.top[0].hundredths_today) == (30, 200)
    assert (found.listed, found.kept) == (4, 4)


def test_nobody_listed():
    found = compare([], column(), column())
    assert (found.listed, found.kept, found.correlation) == (0, 0, None)
    assert (found.top, found.risers, found.fallers) == ((), (), ())


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=120))
def test_lists_are_bounded_and_in_order(pairs):
    pairs.sort(key=lambda pair: -pair[0])
    found = compare(range(len(pairs)), *(column(*values) for values in zip(*pairs, strict=True)))
    assert len(found.top) == min(TOP, len(pairs))
    assert [p.rank for p in found.top] == sorted(p.rank for p in found.top)
    rises = [p.rank_today - p.rank for p in found.risers]
    falls = [p.rank - p.rank_today for p in found.fallers]
    assert rises == sorted(rises, reverse=True)
    assert falls == sorted(falls, reverse=True)
    assert all(step > 0 for step in rises + falls)
    assert max(len(rises), len(falls)) <= MOVERS
    assert 0 <= found.kept <= len(found.top)
