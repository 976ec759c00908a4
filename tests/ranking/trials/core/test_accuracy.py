"""Figures worked by hand, and what holds of all of them."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.trials.core.accuracy import CLIP, Figures, bins, figures_of, slope


def predictions(*pairs):
    """(the first team's chance, whether it won) …"""
    return np.array([p for p, _ in pairs], float), np.array([won for _, won in pairs], bool)


EVEN, NEARLY = 0.5 + 0.9e-9, 0.5 + 1.1e-9
LN2 = log(2)
CASES = [
    # predictions, error %, error½ %, log-loss, Brier
    ([(0.8, 1)], 0, 0, -log(0.8), 0.04),
    ([(0.8, 0)], 100, 100, -log(0.2), 0.64),
    ([(0.2, 0)], 0, 0, -log(0.8), 0.04),
    ([(0.8, 1), (0.8, 0)], 50, 50, -(log(0.8) + log(0.2)) / 2, 0.34),
    ([(0.5, 1)], 100, 50, LN2, 0.25),
    ([(0.5, 0)], 100, 50, LN2, 0.25),
    ([(EVEN, 1)], 100, 50, LN2, 0.25),
    ([(1 - EVEN, 0)], 100, 50, LN2, 0.25),
    ([(NEARLY, 1)], 0, 0, LN2, 0.25),
    ([(NEARLY, 0)], 100, 100, LN2, 0.25),
    ([(0.5, 1), (0.9, 1), (0.9, 1), (0.9, 0)], 50, 37.5, (LN2 - 2 * log(0.9) - log(0.1)) / 4, (0.25 + 0.83) / 4),
    ([(1.0, 0)], 100, 100, -log(1e-6), (1 - 1e-6) ** 2),
    ([(0.0, 1)], 100, 100, -log(1e-6), (1 - 1e-6) ** 2),
    ([(1.0, 1)], 0, 0, -log(1 - 1e-6), 1e-12),
]


def test_figures(subtests):
    for pairs, error, error_half, log_loss, brier in CASES:
        with subtests.test(pairs=pairs):
            found = figures_of(*predictions(*pairs))
            assert (found.decided, found.error, found.error_half) == (len(pairs), error, error_half)
            assert (found.log_loss, found.brier) == pytest.approx((log_loss, brier), rel=1e-6)


def test_without_a_decided_match_there_are_no_figures():
    assert figures_of(*predictions()) == Figures(0, None, None, None, None, None)


def logit(p):
    return log(p / (1 - p))


SLOPES = [
    # wins of matches at a chance, and the slope that fits: logit of the share won over logit of the chance
    (0.8, 60, 100, logit(0.6) / logit(0.8)),
    (0.8, 80, 100, 1.0),
    (0.6, 90, 100, logit(0.9) / logit(0.6)),
    (0.8, 50, 100, 0.0),
    (0.8, 20, 100, -1.0),
    (0.8, 100, 100, None),
    (0.8, 0, 100, None),
    (0.5, 70, 100, None),
    (1 - 1e-6, 99, 100, logit(0.99) / logit(1 - 1e-6)),
    (1e-6, 99, 100, -logit(0.99) / logit(1 - 1e-6)),
    (0.5 + 1e-7, 99, 100, logit(0.99) / logit(0.5 + 1e-7)),
]


def test_slope(subtests):
    for chance, wins, matches, expected in SLOPES:
        with subtests.test(chance=chance):
            chances = np.full(matches, chance)
            found = slope(chances, np.arange(matches) < wins)
            assert found == (None if expected is None else pytest.approx(expected, rel=1e-6, abs=1e-9))


def test_a_slope_is_found_where_the_truth_has_one():
    """Outcomes drawn by twice the logit of what was predicted."""
    rng = np.random.default_rng(7)
    logits = rng.normal(size=200_000)
    won = rng.random(200_000) < 1 / (1 + np.exp(-2 * logits))
    assert slope(1 / (1 + np.exp(-logits)), won) == pytest.approx(2, abs=0.03)


chances = st.floats(0, 1).map(lambda p: min(max(p, CLIP), 1 - CLIP))
played = st.lists(st.tuples(chances, st.booleans()), min_size=1, max_size=40)


@given(played, st.randoms())
def test_which_team_is_listed_first_means_nothing(pairs, random):
    other_way = [(1 - p, not won) if random.random() < 0.5 else (p, won) for p, won in pairs]
    one, other = (figures_of(*predictions(*told)) for told in (pairs, other_way))
    assert (one.decided, one.error, one.error_half) == (other.decided, other.error, other.error_half)
    assert (one.log_loss, one.brier) == pytest.approx((other.log_loss, other.brier), rel=1e-6)
    assert (one.slope is None) == (other.slope is None)


@given(played)
def test_the_slope_is_where_the_likelihood_is_flat(pairs):
    p, won = predictions(*pairs)
    b = slope(p, won)
    if b is None or abs(b) > 1e3:
        return
    logits = np.log(p) - np.log1p(-p)
    gradient = np.sum(logits * (won - 1 / (1 + np.exp(-np.clip(b * logits, -700, 700)))))
    assert abs(gradient) < 1e-5 * max(1.0, np.sum(np.abs(logits)))


BINS = [
    # chance, won → bin's mean chance and share won
    ([(0.52, 1), (0.48, 0)], [(2, 0.52, 1.0)]),
    ([(0.52, 1), (0.52, 0)], [(2, 0.52, 0.5)]),
    ([(0.5, 1)], [(1, 0.5, 0.5)]),
    ([(0.5, 1), (0.98, 1), (0.02, 1)], [(1, 0.5, 0.5), (2, 0.98, 0.5)]),
    ([(1.0, 1)], [(1, 1.0, 1.0)]),
    ([], []),
]


@pytest.mark.parametrize(("pairs", "expected"), BINS)
def test_bins(pairs, expected):
    found = bins(*predictions(*pairs))
    assert [(b.count, b.share) for b in found] == [(count, share) for count, _, share in expected]
    assert [b.chance for b in found] == pytest.approx([chance for _, chance, _ in expected])
    assert all(0 <= b.low <= b.share <= b.high <= 1 for b in found)


def test_a_bins_interval_is_wilsons():
    """8 of 10: 0.4902 to 0.9433, as in Wilson's own tables."""
    (found,) = bins(*predictions(*[(0.7, number < 8) for number in range(10)]))
    assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
