"""Windows: their own width, then every step of the ladder above it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from matchmaking.matcher.widening import widths_at


def width_at(width, waited, strict=False, every=20.0):
    return float(widths_at(np.array([float(width)]), np.array([strict]), np.array([float(waited)]), every)[0])


STEPS = {
    (10, 0, False): 10, (10, 19.999, False): 10, (10, 20, False): 20, (10, 40, False): 50, (10, 60, False): 100,
    (10, 9000, False): 100, (2, 20, False): 5, (7, 20, False): 10, (7, 40, False): 20, (100, 60, False): 100,
    (1, 20, False): 2, (3, 1e6, True): 3, (10, 20, True): 10,
}  # fmt: skip


def test_steps():
    assert {row: width_at(*row) for row in STEPS} == STEPS


@given(st.floats(0.5, 100), st.floats(0, 500), st.floats(0, 500), st.floats(1, 100))
def test_a_window_never_narrows(width, waited, more, every):
    assert width <= width_at(width, waited, every=every) <= width_at(width, waited + more, every=every)
