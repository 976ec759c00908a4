import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.shared.gaussian import above, within

# v, W and 1 − W with sixty digits and more, by mpmath.
WON = [
    (3.0, 0.0044378389042446, 0.0133332109064216, 0.986666789093578),
    (0.0, 0.797884560802865, 0.636619772367581, 0.363380227632419),
]


def exact(t):
    """By the formula itself, where nothing cancels yet."""
    v = math.exp(-t * t / 2) / math.sqrt(2 * math.pi) / (0.5 * math.erfc(-t / math.sqrt(2)))
    return v, v * (v + t), 1 - v * (v + t)


@pytest.mark.parametrize("t", [8, 3, 1, 0, -1, -3, -4.999, -5, -5.001, -6])
def test_a_win_agrees_with_the_formula(t):
    assert above(t) == pytest.approx(exact(t), rel=1e-10)


@pytest.mark.parametrize("t", [-40, -1e3, -1e6, -1e100])
def test_an_absurd_upset_never_overflows(t):
    v, w, spare = above(t)
    # The asymptotic series: v = x + 1/x − 2/x³ …, 1 − W = 1/x² − 6/x⁴ …
    assert v == pytest.approx(-t - 1 / t + 2 / t**3, rel=1e-6)
    assert spare == pytest.approx(1 / t / t, rel=1e-2)
    assert 0 < w <= 1


@given(st.floats(-1e6, 1e6))
def test_a_win_never_surprises_less_than_nothing(t):
    v, w, spare = above(t)
    assert v >= 0
    assert v >= -t
    assert 0 <= w <= 1
    assert 0 <= spare <= 1


def in_small_steps(t, margin, steps=20_000):
    """The moments of a draw by plain summation."""
    xs = [-t - margin + 2 * margin * (i + 0.5) / steps for i in range(steps)]
    densities = [math.exp((min(map(abs, (xs[0], xs[-1]))) ** 2 - x * x) / 2) for x in xs]
    mass = math.fsum(densities)
    mean = math.fsum(d * x for d, x in zip(densities, xs, strict=True)) / mass
    variance = math.fsum(d * (x - mean) ** 2 for d, x in zip(densities, xs, strict=True)) / mass
    return mean, 1 - variance, variance


@pytest.mark.parametrize(
    ("t", "margin"),
    [
        (0.0, 0.05), (0.3, 0.05), (-2.0, 0.05), (5.03, 0.05), (5.1, 0.05), (20.0, 0.05), (0.5, 1e-3), (-3.0, 1e-4),
        (0.1, 0.019), (0.1, 0.021), (0.0, 2.0), (-1.0, 3.0), (9.0, 3.0), (200.0, 0.1),
    ],
)  # fmt: skip
def test_a_draw_agrees_with_summation(t, margin):
    v, w, spare = within(t, margin)
    mean, shrink, variance = in_small_steps(t, margin)
    assert v == pytest.approx(mean, rel=1e-6, abs=1e-12)
    assert (w, spare) == pytest.approx((shrink, variance), rel=2e-4)


@given(st.floats(-1e5, 1e5), st.floats(0, 40))
def test_a_draw_pulls_together(t, margin):
    v, w, spare = within(t, margin)
    mirrored, *same = within(-t, margin)
    assert (mirrored, same) == (-v, [w, spare])
    assert abs(t + v) <= margin * (1 + 1e-9) + 1e-9 * abs(t)
    assert -1e-12 <= w <= 1
    assert 0 <= spare <= 1 + 1e-12


def test_a_draw_without_margin_is_exact_equality():
    assert within(0.7, 0.0) == (-0.7, 1.0, 0.0)
