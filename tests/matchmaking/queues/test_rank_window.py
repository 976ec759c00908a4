"""A rank window as players see it, against the matcher's own."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from matchmaking.matcher.widening import widths_at
from matchmaking.queues.rank_window import RankFilter, RankWindow, window_of


def alone(percentile, width=10, strict=False):
    return [RankFilter(percentile, width, strict)]


REACHES = [
    (alone(50), 0, RankWindow(40, 60, 20, RankWindow(30, 70))),
    (alone(50), 19, RankWindow(40, 60, 1, RankWindow(30, 70))),
    (alone(50), 20, RankWindow(30, 70, 20, RankWindow(0, 100))),
    (alone(50), 45, RankWindow(0, 100)),  # the step after it reaches no further
    (alone(50, strict=True), 300, RankWindow(40, 60)),
    (alone(95, width=20), 0, RankWindow(75, 100, 20, RankWindow(45, 100))),
    (alone(3, width=5), 0, RankWindow(0, 8, 20, RankWindow(0, 13))),
    (alone(30) + alone(60, width=5), 0, RankWindow(20, 65, 20, RankWindow(10, 70))),
    (alone(30, strict=True) + alone(60, width=5), 0, RankWindow(20, 65, 20, RankWindow(20, 70))),
    (alone(30, width=50) + alone(30, width=2), 0, RankWindow(0, 80, 20, RankWindow(0, 100))),
]  # fmt: skip


def test_reaches():
    assert [window_of(filters, waited, 20.0) for filters, waited, _ in REACHES] == [reach for _, _, reach in REACHES]


filters = st.lists(
    st.builds(RankFilter, st.floats(1, 100), st.sampled_from([1, 2, 7, 10, 50, 100]), st.booleans()),
    min_size=1,
    max_size=4,
)


@given(filters, st.integers(0, 200), st.sampled_from([0.1, 0.3, 7.0, 20.0]))
def test_it_widens_when_it_says_and_to_what_it_says(filters, waited, every):
    reach = window_of(filters, waited, every)
    if reach.wider is None:
        assert window_of(filters, waited + 20 * every, every) == reach
        return
    just_before = window_of(filters, waited + 0.9 * reach.widens_in, every)
    just_after = window_of(filters, waited + reach.widens_in + every / 10, every)
    assert (just_before.low, just_before.high) == (reach.low, reach.high)
    assert (just_after.low, just_after.high) == (reach.wider.low, reach.wider.high)


@given(filters, st.floats(0, 200))
def test_it_is_the_matchers_window(filters, waited):
    rated, width = (np.array([getattr(said, name) for said in filters], float) for name in ("percentile", "width"))
    half = widths_at(width, np.array([said.strict for said in filters]), np.full(len(filters), waited), 20.0)
    reach = window_of(filters, waited, 20.0)
    assert reach.low == max(0, (rated - half).min())
    assert reach.high == min(100, (rated + half).max())


def test_the_percentiles_of_players_within_it():
    windows = [window_of([RankFilter(own, width, True)], 0, 15) for own, width in ((3, 10), (50, 10), (96, 5))]
    assert [(window.lowest, window.highest) for window in windows] == [(1, 13), (40, 60), (91, 100)]
