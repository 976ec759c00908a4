"""What is kept of messages, and what doctor says of those that were given up."""

import datetime as dt

import pytest

from leaderboards.invariants import violations
from leaderboards.models import Delivery
from leaderboards.webhooks.queueing import drop_old
from tests.support.factories import NOW
from tests.support.webhooks import make_hook

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


def deliver(**fields: object) -> Delivery:
    given = {"type": "test", "occasion": "x", "created_at": NOW, "due_at": NOW, **fields}
    return Delivery.objects.create(webhook=make_hook(disabled_at=given.pop("disabled_at", None)), **given)


@pytest.mark.parametrize(
    ("fields", "stays"),
    [
        ({"delivered_at": NOW - 0.9 * DAY}, True),
        ({"delivered_at": NOW - 1.1 * DAY}, False),
        ({"parked_at": NOW - 29 * DAY}, True),
        ({"parked_at": NOW - 31 * DAY}, False),
        ({"due_at": NOW - 40 * DAY}, True),
        ({"disabled_at": NOW - 0.9 * DAY}, True),
        ({"disabled_at": NOW - 1.1 * DAY}, False),
    ],
)
def test_old_messages_are_dropped(fields: dict[str, object], stays: bool) -> None:
    deliver(**fields)
    assert drop_old(NOW) == (not stays)
    assert Delivery.objects.exists() is stays


def test_doctor_tells_of_parked_messages() -> None:
    delivery = deliver()
    assert list(violations(NOW)) == []
    Delivery.objects.update(parked_at=NOW)
    [violation] = violations(NOW)
    assert (violation.code, violation.sentence) == (
        "webhooks.parked", f"1 message to the webhook {delivery.webhook} failed too often.",
    )  # fmt: skip
