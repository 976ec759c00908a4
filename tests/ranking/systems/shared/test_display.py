from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.shared.display import from_hundredths, hundredths, rounded


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        (25.258482853257053, 2, "25.26"),
        (1.005, 2, "1.01"),  # the binary float is below; its repr is what counts
        (-0.905, 2, "-0.91"),  # half away from zero
        (-0.001, 2, "0.00"),  # no minus zero
        (-0.0, 2, "0.00"),
        (1e22, 2, "10000000000000000000000.00"),
        (1e-7, 2, "0.00"),
        (1090.5, 0, "1091"),
        (-1090.5, 0, "-1091"),
        (-0.4, 0, "0"),
    ],
)
def test_rounding(value, decimals, shown):
    assert format(rounded(value, decimals), "f") == str(rounded(value, decimals)) == shown


@given(st.integers(-(2**63), 2**63 - 1))
def test_hundredths_are_exact(value):
    assert hundredths(from_hundredths(value)) == value


def test_whole_display_ratings_are_hundredths_too():
    assert hundredths(Decimal("1091")) == 109100
    assert str(from_hundredths(109100, decimals=0)) == "1091"
