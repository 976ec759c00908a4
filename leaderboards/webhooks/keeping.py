"""How long deliveries are kept."""

import datetime as dt

from django.db.models import Q, QuerySet

from leaderboards.models import Delivery

DELIVERED, PARKED, SWITCHED_OFF = dt.timedelta(days=1), dt.timedelta(days=30), dt.timedelta(days=1)
_AT_ONCE = 5_000


def drop_old(now: dt.datetime) -> int:
    """Delete what arrived a day ago, was parked a month ago, or waits for a webhook switched off a day ago."""
    waiting = Q(delivered_at=None, parked_at=None)
    return (
        _drop(Delivery.objects.filter(delivered_at__lt=now - DELIVERED))
        + _drop(Delivery.objects.filter(parked_at__lt=now - PARKED))
        + _drop(Delivery.objects.filter(waiting, webhook__disabled_at__lt=now - SWITCHED_OFF))
    )


def _drop(deliveries: QuerySet[Delivery]) -> int:
    """Some thousand at a time, so that no lock lasts."""
    dropped = 0
    while some := list(deliveries.order_by().values_list("pk", flat=True)[:_AT_ONCE]):
        dropped += Delivery.objects.filter(pk__in=some).delete()[0]
    return dropped
