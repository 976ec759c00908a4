"""The outbox: work after a result, done at least once by whoever claims it first.

Rows are written by the transaction that rates. Consumers run twice without harm and in any order.
"""

import datetime as dt
import logging
from collections.abc import Callable, Iterator

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils.module_loading import import_string

from ranking.models import OutboxEntry

LEASE = dt.timedelta(minutes=5)  # a claim lasts this long if its holder dies
_BACKOFF = dt.timedelta(seconds=10)  # doubled with each failure

log = logging.getLogger(__name__)

Consumer = Callable[[int, dt.datetime], None]  # sequence of the event, now


def sweep(now: dt.datetime, *, limit: int = 1_000) -> int:
    """Do what is due, at most `limit` entries; returns how many were done."""
    return sum(_attempt(entry, now) for entry in _due(now, limit))


def _due(now: dt.datetime, limit: int) -> Iterator[OutboxEntry]:
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    yield from OutboxEntry.objects.filter(free, due_at__lte=now, parked_at=None).order_by("due_at", "id")[:limit]


def _attempt(entry: OutboxEntry, now: dt.datetime) -> bool:
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    claimed = OutboxEntry.objects.filter(free, pk=entry.pk, parked_at=None).update(
        claimed_until=now + LEASE, attempts=F("attempts") + 1
    )
    if not claimed:
        return False  # another process got there first
    try:
        consumer: Consumer = import_string(settings.OUTBOX_CONSUMERS[entry.consumer])
        consumer(entry.event_id, now)
    except Exception as error:  # whatever a consumer raises is kept beside its entry
        _note_failure(entry, error, now)
        return False
    OutboxEntry.objects.filter(pk=entry.pk).delete()
    return True


def _note_failure(entry: OutboxEntry, error: Exception, now: dt.datetime) -> None:
    attempts = entry.attempts + 1
    parked = attempts >= settings.OUTBOX_MAX_ATTEMPTS
    log.warning("Outbox entry %s failed for the %s. time", entry, attempts, exc_info=error)
    OutboxEntry.objects.filter(pk=entry.pk).update(
        claimed_until=None,
        due_at=now + _BACKOFF * 2**attempts,
        last_error=f"{type(error).__name__}: {error}"[:1_000],
        parked_at=now if parked else None,
    )


def try_again(entries: QuerySet[OutboxEntry], *, now: dt.datetime) -> int:
    """Forget the failures of these entries and make them due; returns how many. What runs now is left alone."""
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    return entries.filter(free).update(parked_at=None, attempts=0, claimed_until=None, due_at=now)
