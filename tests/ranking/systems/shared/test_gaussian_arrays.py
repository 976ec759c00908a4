"""Whole arrays against the functions of one number."""

import math

import numpy as np
import pytest

from ranking.systems.shared.gaussian import Phi, above
from ranking.systems.shared.gaussian_arrays import all_above, all_erfc, all_Phi, both_chances

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


def test_chances_of_both_sides():
    first, second = both_chances(np.array([0.3, math.nan]))
    assert first[0] == pytest.approx(Phi(0.3), rel=1e-14)
    assert first[0] + second[0] == pytest.approx(1, abs=1e-15)
    assert np.isnan([first[1], second[1]]).all()


def test_nothing_of_nothing():
    assert [len(column) for column in all_above(np.zeros(0))] == [0, 0, 0]
