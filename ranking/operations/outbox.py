"""The outbox: work after a result, done at least once by whoever claims it first.

Rows are written by the transaction that rates. Consumers run twice without harm and in any order.
"""

import datetime as dt
import logging
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.module_loading import import_string

from ranking.models import OutboxEntry

LEASE = dt.timedelta(minutes=5)  # a claim lasts this long if its holder dies
BATCH = 500  # entries claimed at once
_BACKOFF = dt.timedelta(seconds=10)  # doubled with each failure

log = logging.getLogger(__name__)

Consumer = Callable[[int, dt.datetime], None]  # sequence of the event, now
BatchConsumer = Callable[[Sequence[int], dt.datetime], None]  # sequences of events, now


def in_batches(consumer: BatchConsumer) -> BatchConsumer:
    """Marks a consumer that takes many events at once. What fails together is given to it again one by one."""
    consumer.in_batches = True  # type: ignore[attr-defined]
    return consumer


def sweep(now: dt.datetime, *, limit: int = 20_000) -> int:
    """Do what is due, oldest first, at most `limit` entries; returns how many were done."""
    done = taken = 0
    while taken < limit and (entries := _claim(now, min(BATCH, limit - taken))):
        taken += len(entries)
        by_consumer: dict[str, list[OutboxEntry]] = {}
        for entry in entries:
            by_consumer.setdefault(entry.consumer, []).append(entry)
        done += sum(_attempt(theirs, now) for theirs in by_consumer.values())
    return done


@transaction.atomic
def _claim(now: dt.datetime, most: int) -> list[OutboxEntry]:
    """The oldest entries that are due and free, now ours; what another process is just claiming is left to it."""
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    due = OutboxEntry.objects.filter(free, due_at__lte=now, parked_at=None).order_by("due_at", "id")
    entries = list(due.select_for_update(skip_locked=True)[:most])
    if entries:
        ours = OutboxEntry.objects.filter(free, pk__in=[entry.pk for entry in entries])
        ours.update(claimed_until=now + LEASE, attempts=F("attempts") + 1)
    return entries


def _attempt(entries: Sequence[OutboxEntry], now: dt.datetime) -> int:
    """Give claimed entries to their consumer; returns how many it did."""
    try:
        consumer: Any = import_string(settings.OUTBOX_CONSUMERS[entries[0].consumer])
        if getattr(consumer, "in_batches", False):
            consumer([entry.event_id for entry in entries], now)
        elif len(entries) == 1:
            consumer(entries[0].event_id, now)
        else:
            return _one_by_one(entries, now)
    except Exception as error:  # whatever a consumer raises is kept beside its entry
        if len(entries) > 1:
            return _one_by_one(entries, now)
        _note_failure(entries[0], error, now)
        return 0
    OutboxEntry.objects.filter(pk__in=[entry.pk for entry in entries]).delete()
    return len(entries)


def _one_by_one(entries: Sequence[OutboxEntry], now: dt.datetime) -> int:
    return sum(_attempt([entry], now) for entry in entries)


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
