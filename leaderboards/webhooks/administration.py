"""What operators do with a webhook: rotate its secret, switch it off and on."""

import datetime as dt

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from leaderboards.models import Webhook
from ranking.operations.audit import UNASKED, record_act


def subject_of(webhook: Webhook) -> str:
    """The webhook as the audit log names it."""
    return f"webhook {webhook.name}"


@transaction.atomic
def rotate_secret(webhook: Webhook, *, seen: str, by: User, now: dt.datetime) -> bool:
    """Give the webhook a new secret; for a day, the old one signs beside it.

    `seen`: how often the secret had been rotated when the operator confirmed. False if it was rotated since, so that
    confirming twice rotates once.
    """
    rotation = int(seen) if seen.isascii() and seen.isdecimal() else -1
    unchanged = Webhook.objects.filter(pk=webhook.pk, rotation=rotation)
    if not unchanged.update(rotation=F("rotation") + 1, rotated_at=now):
        return False
    webhook.refresh_from_db()
    record_act("rotate secret", subject_of(webhook), by=by, reason=UNASKED, now=now)
    return True


@transaction.atomic
def switch(webhook: Webhook, *, on: bool, by: User, now: dt.datetime) -> bool:
    """Switch a webhook on or off. False if it was so already."""
    other = Webhook.objects.filter(pk=webhook.pk, disabled_at__isnull=not on)
    switched = bool(other.update(disabled_at=None if on else now))
    if switched:
        record_act(f"switch {'on' if on else 'off'} webhook", subject_of(webhook), by=by, reason=UNASKED, now=now)
    return switched
