"""Sends due deliveries in rounds of at most ten seconds, so that a receiver that hangs doesn't delay the others long.

Each webhook has a few connections of its own. A connection sends one message after the other and stops when the
receiver can't be reached; the rest waits for the next round. A message that fails is tried again, each time later,
and after the last attempt it is parked.
"""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When
from django.utils import timezone
from prometheus_client import Counter

from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks._messages import write_message
from leaderboards.webhooks._sending import TIMEOUT, Message, Outcome, WebhookConnection
from leaderboards.webhooks.events import MATCH_RATED, SEASON_ENDED, SEASON_STARTED, TEST
from leaderboards.webhooks.lobby_messages import read_lobbies
from leaderboards.webhooks.match_messages import load_matches, read_matches
from leaderboards.webhooks.season_messages import read_seasons
from ranking.matches.records import MatchRecord

ATTEMPTS = 8  # then parked, some fifteen hours after the first
LEASE = dt.timedelta(minutes=2)  # longer than a job: its last round begins after 20 s and lasts for ROUND + TIMEOUT
ROUND = 10.0  # seconds after which no connection begins another message
_CONNECTIONS, _MOST_CONNECTIONS = 4, 64  # of a webhook, in all
_CLAIMED = 200  # messages of a webhook in a round
_BACKOFF = dt.timedelta(seconds=10)  # four times as long with each failure
_GONE = 410  # "stop sending me these"
_TESTS_FIRST = Case(When(type=TEST, then=0), default=1)  # somebody waits for them

SENT = Counter("rungs_webhook_messages", "Messages sent to webhooks, by what became of them.", ["outcome"])

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SendResult:
    """The result of one delivery in a round. `outcome` None: the round ended before its turn came."""

    delivery: Delivery
    outcome: Outcome | None


def has_work() -> bool:
    """True if a message is due."""
    return _hooks(_due(timezone.now())).exists()


def deliver_due(now: dt.datetime, *, clock: Callable[[], float] = time.monotonic, timeout: float = TIMEOUT) -> int:
    """Send due deliveries, round after round for some twenty seconds. Returns how many arrived.

    `timeout`: seconds that a receiver has for its answer.
    """
    until, arrived = clock() + 2 * ROUND, 0
    while clock() < until and (claimed := _claim(now)):
        results = send_all(claimed, now, clock=clock, timeout=timeout)
        note_outcomes(results, now)
        arrived += sum(each.outcome is not None and each.outcome.delivered for each in results)
        if any(each.outcome is None for each in results):
            break  # a receiver can't be reached; the next job goes on
    return arrived


def _claim(now: dt.datetime) -> list[Delivery]:
    """Claim the oldest due messages of each webhook for this process."""
    due = _due(now)
    return [delivery for hook in _hooks(due) for delivery in _claim_of(hook, due, now)]


def _due(now: dt.datetime) -> QuerySet[Delivery]:
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    return Delivery.objects.filter(free, due_at__lte=now, delivered_at=None, parked_at=None)


def _hooks(due: QuerySet[Delivery]) -> QuerySet[Webhook]:
    """The webhooks of these messages that are switched on."""
    return Webhook.objects.filter(Exists(due.filter(webhook=OuterRef("pk"))), disabled_at=None).order_by("pk")


@transaction.atomic
def _claim_of(webhook: Webhook, due: QuerySet[Delivery], now: dt.datetime) -> list[Delivery]:
    rows = due.filter(webhook=webhook).order_by(_TESTS_FIRST, "due_at", "id").select_for_update(skip_locked=True)
    claimed = list(rows[:_CLAIMED])
    Delivery.objects.filter(pk__in=[delivery.pk for delivery in claimed]).update(claimed_until=now + LEASE)
    for delivery in claimed:
        delivery.webhook = webhook
    return claimed


def send_all(
    deliveries: Sequence[Delivery],
    now: dt.datetime,
    *,
    clock: Callable[[], float] = time.monotonic,
    timeout: float = TIMEOUT,
) -> list[SendResult]:
    """Send these messages, each webhook's over connections of its own."""
    records = load_matches(deliveries)
    for read in (read_seasons, read_matches, read_lobbies):
        read(deliveries)
    batches: dict[tuple[int, int], list[tuple[Delivery, Message | str]]] = {}
    for number, delivery in enumerate(deliveries):
        record = records.get(delivery.occasion) if delivery.type == MATCH_RATED else None
        batch = batches.setdefault((delivery.webhook_id, number % _CONNECTIONS), [])
        batch.append((delivery, _write(delivery, record, now)))
    until = clock() + ROUND
    with ThreadPoolExecutor(min(_MOST_CONNECTIONS, len(batches) or 1)) as pool:
        done = pool.map(lambda batch: _send_batch(batch, lambda: clock() < until, timeout), batches.values())
        return [result for results in done for result in results]


def _write(delivery: Delivery, record: MatchRecord | None, now: dt.datetime) -> Message | str:
    """The message of a delivery; or why there is none, so that it counts as failed and the others are sent."""
    if delivery.type == MATCH_RATED and record is None:
        return "The match that it tells of isn't rated any more."
    if delivery.type in (SEASON_ENDED, SEASON_STARTED) and delivery.data is None:
        return "The end of the season was taken back."
    try:
        return write_message(delivery, record, now)
    except Exception as error:  # what it tells of can't be told
        log.exception("Delivery %s couldn't be written.", delivery.pk)
        return f"It couldn't be written ({type(error).__name__}); the log says more."


def _send_batch(
    batch: Sequence[tuple[Delivery, Message | str]], in_time: Callable[[], bool], timeout: float
) -> list[SendResult]:
    """Send one message after the other, as long as the receiver answers and time lasts. Touches no database."""
    connection = WebhookConnection(
        batch[0][0].webhook.url, allow_private=settings.WEBHOOK_ALLOW_PRIVATE, timeout=timeout
    )
    results, open_ = [], True
    for delivery, message in batch:
        if isinstance(message, str):
            results.append(SendResult(delivery, Outcome(None, message)))
            continue
        outcome = connection.send(message) if open_ and in_time() else None
        open_ = open_ and outcome is not None and outcome.reachable
        results.append(SendResult(delivery, outcome))
    connection.close()
    return results


def note_outcomes(results: Sequence[SendResult], now: dt.datetime) -> None:
    """Write the outcomes of claimed messages to their rows."""
    waiting = [each.delivery.pk for each in results if each.outcome is None]
    Delivery.objects.filter(pk__in=waiting).update(claimed_until=None)
    for status in {each.outcome.status for each in results if each.outcome is not None and each.outcome.delivered}:
        arrived = [each.delivery.pk for each in results if each.outcome is not None and each.outcome.status == status]
        rows = Delivery.objects.filter(pk__in=arrived)
        rows.update(delivered_at=now, parked_at=None, claimed_until=None, status=status, last_error="")
    failed = [_fail(each.delivery, each.outcome, now) for each in results
              if each.outcome and not each.outcome.delivered]  # fmt: skip
    SENT.labels("delivered").inc(len(results) - len(waiting) - len(failed))
    SENT.labels("failed").inc(len(failed))
    fields = ["attempts", "status", "last_error", "due_at", "claimed_until", "parked_at"]
    Delivery.objects.bulk_update(failed, fields)
    gone = {delivery.webhook_id for delivery in failed if delivery.status == _GONE}
    if gone:
        Webhook.objects.filter(pk__in=gone, disabled_at=None).update(disabled_at=now)


def _fail(delivery: Delivery, outcome: Outcome, now: dt.datetime) -> Delivery:
    delivery.attempts += 1
    delivery.status, delivery.last_error, delivery.claimed_until = outcome.status, outcome.error, None
    delivery.due_at = now + max(_BACKOFF * 4 ** (delivery.attempts - 1), dt.timedelta(seconds=outcome.wait))
    delivery.parked_at = now if delivery.attempts >= ATTEMPTS else None
    return delivery


def try_again(deliveries: QuerySet[Delivery], *, now: dt.datetime) -> int:
    """Make these deliveries due again, whether they failed or arrived. Returns how many."""
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    return deliveries.filter(free).update(
        due_at=now, attempts=0, claimed_until=None, delivered_at=None, parked_at=None, status=None, last_error=""
    )
