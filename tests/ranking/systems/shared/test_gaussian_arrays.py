"""Whole arrays against the functions of one number."""

import math

import numpy as np
import pytest

from ranking.systems.shared.gaussian import Phi, above
from ranking.systems.shared.gaussian_arrays import all_above, all_between, all_erfc, all_Phi, both_chances

T = np.concatenate([np.random.default_rng(1).uniform(-45, 12, 20_000), np.random.default_rng(2).normal(0, 2, 20_000)])
EDGES = np.array([-1e200, -1e6, -40.0, -38.0, -5.0, -1 / 64, 0.0, 1 / 64, 4.0, 8.9, 9.0, 9.1, 1e6, 1e200])


@pytest.mark.parametrize("t", [T, EDGES], ids=["by chance", "edges"])
def test_moments(t):
    v, w, spare = all_above(t)
    known = np.array([above(x) for x in t.tolist()])
    assert np.allclose(v, known[:, 0], rtol=1e-14, atol=1e-15)
    assert np.allclose(w, known[:, 1], rtol=0, atol=1e-12)
    assert np.allclose(spare, known[:, 2], rtol=1e-11, atol=0)


@pytest.mark.parametrize("t", [T, EDGES, EDGES.reshape(2, 7)], ids=["by chance", "edges", "a table"])
def test_distribution_function(t):
    """Far out in the lower tail, too; its last floats are subnormal."""
    known = np.array([Phi(x) for x in t.ravel().tolist()]).reshape(t.shape)
    assert np.allclose(all_Phi(t), known, rtol=1e-12, atol=1e-300)
    assert np.allclose(all_erfc(t * -(0.5**0.5)), 2 * known, rtol=1e-11, atol=1e-300)


LOWER = np.concatenate([T[:500], T[-500:], EDGES])


@pytest.mark.parametrize("width", [3e-5, 2e-4, 0.05, 1.0, 7.0, 100.0])
def test_intervals(width):
    """Against sums over a fine grid, relative to the density at the end where it is highest."""
    start = LOWER[np.abs(LOWER) < 50]
    log_mass, at_start, at_end = all_between(start, np.full(len(start), width))
    nearest = np.where(start > 0, start, np.minimum(start + width, 0))  # the point of the highest density
    length = np.minimum(width, 40 / np.maximum(np.abs(nearest), 1))  # beyond, nothing is left
    first = np.where(start > 0, start, np.where(start + width < 0, start + width - length, np.maximum(start, -9)))
    last = np.where(start > 0, start + length, np.where(start + width < 0, start + width, np.minimum(start + width, 9)))
    points, weights = np.polynomial.legendre.leggauss(80)
    x = first[:, None] + (last - first)[:, None] * (points + 1) / 2
    density = np.exp(0.5 * (nearest[:, None] ** 2 - x**2))
    mass = (density @ weights) / 2 * (last - first)
    assert np.allclose(
        log_mass, np.log(mass) - 0.5 * nearest**2 - math.log(math.sqrt(2 * math.pi)), rtol=1e-9, atol=1e-9
    )
    for end, ratio in ((start, at_start), (start + width, at_end)):
        assert np.allclose(ratio, np.exp(0.5 * (nearest**2 - end**2)) / mass, rtol=1e-7, atol=1e-200)


def test_intervals_far_out_are_finite():
    start = np.array([-1e12, -1e6, -39.0, 39.0, 1e6, 1e12])
    for width in (1e-12, 1.0, 1e6):
        assert all(np.isfinite(column).all() for column in all_between(start, np.full(6, width)))


def test_chances_of_both_sides():
    first, second = both_chances(np.array([0.3, math.nan]))
    assert first[0] == pytest.approx(Phi(0.3), rel=1e-14)
    assert first[0] + second[0] == pytest.approx(1, abs=1e-15)
    assert np.isnan([first[1], second[1]]).all()


def test_nothing_of_nothing():
    assert [len(column) for column in all_above(np.zeros(0))] == [0, 0, 0]
