"""The scan: each segment's stretch with the largest sum, against trying every stretch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.abuse.detection.columns import heaviest_runs

CASES = [
    # weights of one segment, score, first, last
    ([1], 1, 0, 0),
    ([-1], -1, 0, 0),
    ([-3, -1, -2], -1, 1, 1),
    ([1, 2, 3], 6, 0, 2),
    ([1, -2, 3], 3, 2, 2),
    ([3, -1, 2, -5, 4], 4, 0, 2),
    ([0, 0, 2], 2, 0, 2),
]


@pytest.mark.parametrize(("weights", "score", "first", "last"), CASES)
def test_the_best_stretch(weights, score, first, last):
    found = heaviest_runs(np.zeros(len(weights), np.int64), np.array(weights, float))
    assert (found.score.tolist(), found.first.tolist(), found.last.tolist()) == ([score], [first], [last])


def test_nothing_has_no_stretch():
    found = heaviest_runs(np.empty(0, np.int64), np.empty(0))
    assert (found.segment.tolist(), found.score.tolist()) == ([], [])


segments = st.lists(st.lists(st.integers(-5, 5), min_size=1, max_size=8), min_size=1, max_size=6)


@given(segments)
def test_each_segment_as_though_it_were_alone(parts):
    segment = np.repeat(np.arange(len(parts)) * 7, [len(part) for part in parts])
    found = heaviest_runs(segment, np.array([weight for part in parts for weight in part], float))
    assert found.segment.tolist() == [7 * number for number in range(len(parts))]
    at = 0
    for number, part in enumerate(parts):
        best = max(sum(part[i : j + 1]) for i in range(len(part)) for j in range(i, len(part)))
        first, last = found.first[number] - at, found.last[number] - at
        assert 0 <= first <= last < len(part)
        assert (found.score[number], sum(part[first : last + 1])) == (best, best)
        at += len(part)
