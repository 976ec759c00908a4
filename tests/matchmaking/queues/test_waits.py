"""What waits tell about the next one."""

from hypothesis import given
from hypothesis import strategies as st

from matchmaking.queues.waits import Estimate, estimate


def test_estimates(subtests):
    for waits, told in [
        ([], None), ([10.0] * 4, None), ([10.0] * 5, Estimate(10, 10, 10, 5)),
        ([0, 10, 20, 30, 40], Estimate(20, 4, 36, 5)), ([40, 0, 20, 10, 30], Estimate(20, 4, 36, 5)),
        (list(range(101)), Estimate(50, 10, 90, 101)),
    ]:  # fmt: skip
        with subtests.test(waits=waits, told=told):
            assert estimate(waits) == told


@given(st.lists(st.floats(0, 1e5), min_size=5))
def test_the_spread_is_in_order_and_within_what_was(waits):
    told = estimate(waits)
    assert round(min(waits)) <= told.low <= told.typical <= told.high <= round(max(waits))
