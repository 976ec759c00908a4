import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.shared.gaussian import Phi, phi

# Abramowitz and Stegun, table 26.1, and the far tail by its asymptotic series.
CASES = [
    (0.0, 0.5),
    (1.0, 0.841344746068543),
    (-1.0, 0.158655253931457),
    (2.5, 0.993790334674224),
    (-10, 7.619853024160527e-24),
]


@pytest.mark.parametrize(("x", "expected"), CASES)
def test_phi_is_the_normal_distribution_function(x, expected):
    assert Phi(x) == pytest.approx(expected, rel=1e-13)


def test_density():
    assert phi(0) == pytest.approx(1 / math.sqrt(2 * math.pi), rel=1e-15)
    assert phi(1.5) == phi(-1.5)


@given(st.floats(-40, 40))
def test_both_tails_add_up_to_one(x):
    assert Phi(x) + Phi(-x) == pytest.approx(1, abs=1e-15)
