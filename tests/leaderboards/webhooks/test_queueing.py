"""What is kept of messages, and what doctor says of those that were given up."""

import datetime as dt

import pytest

from leaderboards.invariants import violations
from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks.queueing import drop_old
from tests.support.factories import NOW
from tests.support.webhooks import make_hook

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


def deliver(**fields: object) -> Delivery:
    given = {"type": "test", "occasion": "x", "created_at": NOW, "due_at": NOW, **fields}
    name = f"game {Webhook.objects.count()}"
    return Delivery.objects.create(webhook=make_hook(name=name, disabled_at=given.pop("disabled_at", None)), **given)


def test_old_messages_are_dropped() -> None:
    stay = {
        deliver(delivered_at=NOW - 0.9 * DAY),
        deliver(parked_at=NOW - 29 * DAY),
        deliver(due_at=NOW - 40 * DAY),
        deliver(disabled_at=NOW - 0.9 * DAY),
    }
    deliver(delivered_at=NOW - 1.1 * DAY)
    deliver(parked_at=NOW - 31 * DAY)
    deliver(disabled_at=NOW - 1.1 * DAY)
    assert drop_old(NOW) == 3
    assert set(Delivery.objects.all()) == stay


def test_doctor_tells_of_parked_messages() -> None:
    delivery = deliver()
    assert list(violations(NOW)) == []
    Delivery.objects.update(parked_at=NOW)
    [violation] = violations(NOW)
    assert violation.code == "webhooks.parked"
    assert violation.sentence.startswith(f"1 message to the webhook {delivery.webhook} ")
