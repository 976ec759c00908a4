"""Invariants of leaderboards, which `manage.py doctor` checks: no message to a webhook is parked."""

import datetime as dt
from collections.abc import Iterator

from django.db.models import Count, Q

from leaderboards.models import Webhook
from ranking.operations.violations import Violation


def violations(now: dt.datetime) -> Iterator[Violation]:
    """Yield a violation for each webhook with parked messages, that is, messages that failed too often."""
    parked = Count("deliveries", filter=Q(deliveries__parked_at__isnull=False))
    for hook in Webhook.objects.annotate(parked=parked).filter(parked__gt=0):
        sentence = f"{hook.parked} message{'s' if hook.parked > 1 else ''} to the webhook {hook.name} failed too often."
        cure = "See why on its page in the admin, mend it, and send them again; they are dropped after 30 days."
        yield Violation("webhooks.parked", sentence, cure)
