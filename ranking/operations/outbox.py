"""The outbox: work that follows a result or the end of a season. A worker does each entry at least once.

The transaction that rates a match, or ends a season, writes its entries, one for each consumer (ranking/hooks.py). A
worker claims entries first. A consumer takes many events at once, in any order, and may be given an event twice.
"""

import datetime as dt
import logging
import math
import time
from collections.abc import Iterable, Sequence

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

from ranking.database.bulk_writes import new_row
from ranking.hooks import OUTBOX_CONSUMERS
from ranking.models import Event, OutboxEntry

LEASE = dt.timedelta(minutes=5)  # how long a claim lasts if the worker dies
BATCH = 500  # entries claimed at once
_BACKOFF = dt.timedelta(seconds=10)  # doubled with each failure

log = logging.getLogger(__name__)


def entries_of(events: Iterable[Event], now: dt.datetime) -> list[OutboxEntry]:
    """New entries for these events, one for each consumer and event."""
    consumers = OUTBOX_CONSUMERS.names()
    return [
        new_row(OutboxEntry, consumer=consumer, event_id=event.pk, due_at=now)
        for event in events
        for consumer in consumers
    ]


def has_work() -> bool:
    """True if there are entries, due or not, that weren't given up."""
    return OutboxEntry.objects.filter(parked_at=None).exists()


def sweep(now: dt.datetime, *, limit: int = 20_000, seconds: float = math.inf) -> int:
    """Do the work that is due, oldest first, at most `limit` entries, and begin nothing after so many seconds.

    Returns how many entries were done.
    """
    done = claimed = 0
    until = time.monotonic() + seconds
    while claimed < limit and time.monotonic() < until and (entries := _claim(now, min(BATCH, limit - claimed))):
        claimed += len(entries)
        by_consumer: dict[str, list[OutboxEntry]] = {}
        for entry in entries:
            by_consumer.setdefault(entry.consumer, []).append(entry)
        done += sum(_attempt(batch, now) for batch in by_consumer.values())
    return done


@transaction.atomic
def _claim(now: dt.datetime, most: int) -> list[OutboxEntry]:
    """Claim the oldest entries that are due and free. Entries that another process is claiming are skipped."""
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    due = OutboxEntry.objects.filter(free, due_at__lte=now, parked_at=None).order_by("due_at", "id")
    entries = list(due.select_for_update(skip_locked=True)[:most])
    if entries:
        claimable = OutboxEntry.objects.filter(free, pk__in=[entry.pk for entry in entries])
        claimable.update(claimed_until=now + LEASE, attempts=F("attempts") + 1)
    return entries


def _attempt(entries: Sequence[OutboxEntry], now: dt.datetime) -> int:
    """Give claimed entries of one consumer to it. Returns how many were done.

    If a batch fails, its entries are given to the consumer again, one by one.
    """
    try:
        consume = OUTBOX_CONSUMERS.function(entries[0].consumer)
        consume([entry.event_id for entry in entries], now)
    except Exception as error:  # a consumer may raise anything; the error is kept beside the entry
        if len(entries) > 1:
            return sum(_attempt([entry], now) for entry in entries)
        _note_failure(entries[0], error, now)
        return 0
    OutboxEntry.objects.filter(pk__in=[entry.pk for entry in entries]).delete()
    return len(entries)


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
    """Forget the failures of these entries and make them due. Returns how many; claimed entries are left alone."""
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    return entries.filter(free).update(parked_at=None, attempts=0, claimed_until=None, due_at=now)
