"""What operators do with a webhook: test it, rotate its secret, switch it off and on."""

import datetime as dt

from django.db.models import F

from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks.deliveries import LEASE, note_outcomes, send_all
from leaderboards.webhooks.queueing import queue_test


def send_test(webhook: Webhook, now: dt.datetime) -> Delivery:
    """Send a test at once, as everything else is sent; waits up to ten seconds. Returns what became of it."""
    delivery = queue_test(webhook, now, claimed_until=now + LEASE)
    note_outcomes(send_all([delivery], now), now)
    delivery.refresh_from_db()
    return delivery


def rotate_secret(webhook: Webhook, *, seen: str, now: dt.datetime) -> bool:
    """Give it a new secret; the old one signs beside it for a day. False where `seen`, the number of rotations that
    somebody saw, isn't the present one: what was confirmed twice is done once."""
    here = Webhook.objects.filter(pk=webhook.pk, rotation=int(seen) if seen.isascii() and seen.isdecimal() else -1)
    if not here.update(rotation=F("rotation") + 1, rotated_at=now):
        return False
    webhook.refresh_from_db()
    return True


def switch(webhook: Webhook, *, on: bool, now: dt.datetime) -> bool:
    """Switch it on or off; False where it was so already."""
    other = Webhook.objects.filter(pk=webhook.pk, disabled_at__isnull=not on)
    return bool(other.update(disabled_at=None if on else now))
