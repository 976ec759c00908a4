"""Gauges of the webhooks: messages that wait, and those that were given up."""

from collections.abc import Iterable

from django.db.models import OuterRef, Subquery
from prometheus_client import Metric

from config.observability.metrics.gauges import age, count_some, gauge
from leaderboards.models import Delivery, Webhook


def read_gauges() -> Iterable[Metric]:
    """Three queries, each answered by an index."""
    waiting = Delivery.objects.filter(delivered_at=None, parked_at=None)
    first = waiting.filter(webhook=OuterRef("pk")).order_by("due_at", "id").values("due_at")[:1]
    hooks = Webhook.objects.filter(disabled_at=None).order_by().annotate(due_at=Subquery(first))
    due = [moment for moment in hooks.values_list("due_at", flat=True) if moment is not None]
    parked = count_some(Delivery.objects.filter(parked_at__isnull=False))
    yield gauge(
        "rungs_webhook_backlog", "Messages to webhooks that wait to be sent, or sent again.", count_some(waiting)
    )
    yield gauge("rungs_webhook_oldest_seconds", "For how long the oldest message is due.", age(min(due, default=None)))
    yield gauge("rungs_webhook_parked", "Messages given up after too many failures; kept for 30 days.", parked)
