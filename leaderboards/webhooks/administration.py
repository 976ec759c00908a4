"""What operators do with a webhook: rotate its secret, switch it off and on."""

import datetime as dt

from django.db.models import F

from leaderboards.models import Webhook


def rotate_secret(webhook: Webhook, *, seen: str, now: dt.datetime) -> bool:
    """Give the webhook a new secret; for a day, the old one signs beside it.

    `seen`: how often the secret had been rotated when the operator confirmed. False if it was rotated since, so that
    confirming twice rotates once.
    """
    rotation = int(seen) if seen.isascii() and seen.isdecimal() else -1
    unchanged = Webhook.objects.filter(pk=webhook.pk, rotation=rotation)
    if not unchanged.update(rotation=F("rotation") + 1, rotated_at=now):
        return False
    webhook.refresh_from_db()
    return True


def switch(webhook: Webhook, *, on: bool, now: dt.datetime) -> bool:
    """Switch a webhook on or off. False if it was so already."""
    other = Webhook.objects.filter(pk=webhook.pk, disabled_at__isnull=not on)
    return bool(other.update(disabled_at=None if on else now))
