"""Delivering: rounds of at most ten seconds, so that one receiver that hangs holds up nobody else for long.

Each webhook has a few lines of its own. A line sends one message after the other and stops where the receiver can't be
reached; what is left is for the next round. A message that fails is tried again, each time later, and parked in the
end.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboards.models import Delivery, Webhook
from leaderboards.models.webhook import MATCH_RATED
from leaderboards.webhooks.messages import load_matches, write_message
from leaderboards.webhooks.sending import TIMEOUT, Line, Message, Outcome

ATTEMPTS = 8  # then parked, some fifteen hours after the first
LEASE = dt.timedelta(minutes=2)
ROUND = 10.0  # seconds after which no line begins another message
_LINES, _MOST_LINES = 4, 64  # of a webhook, in all
_CLAIMED = 200  # messages of a webhook in a round
_BACKOFF = dt.timedelta(seconds=10)  # four times as long with each failure
_GONE = 410  # "stop sending me these"


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a delivery; `outcome` None: it wasn't its turn any more."""

    delivery: Delivery
    outcome: Outcome | None


def deliver_due(now: dt.datetime, *, clock: Callable[[], float] = time.monotonic, timeout: float = TIMEOUT) -> int:
    """Deliver what is due, round after round for some twenty seconds; returns how many arrived.

    `timeout`: seconds that a receiver has for its answer.
    """
    until, arrived = clock() + 2 * ROUND, 0
    while clock() < until and (claimed := _claim(now)):
        sent = send_all(claimed, now, clock=clock, timeout=timeout)
        note_outcomes(sent, now)
        arrived += sum(each.outcome is not None and each.outcome.delivered for each in sent)
        if any(each.outcome is None for each in sent):
            break  # somebody can't be reached; the next job goes on
    return arrived


def _claim(now: dt.datetime) -> list[Delivery]:
    """For each webhook its oldest due messages, now this process's."""
    due = Delivery.objects.filter(Q(claimed_until=None) | Q(claimed_until__lt=now), due_at__lte=now)
    due = due.filter(delivered_at=None, parked_at=None)
    hooks = Webhook.objects.filter(Exists(due.filter(webhook=OuterRef("pk"))), disabled_at=None).order_by("pk")
    return [delivery for hook in hooks for delivery in _claim_of(hook, due, now)]


@transaction.atomic
def _claim_of(webhook: Webhook, due: QuerySet[Delivery], now: dt.datetime) -> list[Delivery]:
    rows = due.filter(webhook=webhook).order_by("due_at", "id").select_for_update(skip_locked=True)
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
) -> list[Sent]:
    """Send these messages, each webhook's over lines of its own."""
    plays = load_matches(deliveries)
    lines: dict[tuple[int, int], list[tuple[Delivery, Message | None]]] = {}
    for number, delivery in enumerate(deliveries):
        play = plays.get(delivery.occasion) if delivery.type == MATCH_RATED else None
        lost = delivery.type == MATCH_RATED and play is None
        message = None if lost else write_message(delivery, play, now)
        lines.setdefault((delivery.webhook_id, number % _LINES), []).append((delivery, message))
    until = clock() + ROUND
    with ThreadPoolExecutor(min(_MOST_LINES, len(lines) or 1)) as pool:
        done = pool.map(lambda line: _send_line(line, lambda: clock() < until, timeout), lines.values())
        return [sent for line in done for sent in line]


def _send_line(
    line: Sequence[tuple[Delivery, Message | None]], in_time: Callable[[], bool], timeout: float
) -> list[Sent]:
    """One message after the other, as long as the receiver answers and time lasts. Touches no database."""
    connection = Line(line[0][0].webhook.url, allow_private=settings.WEBHOOK_ALLOW_PRIVATE, timeout=timeout)
    sent, open_ = [], True
    for delivery, message in line:
        if message is None:
            sent.append(Sent(delivery, Outcome(None, "The match that it tells of isn't rated any more.")))
            continue
        outcome = connection.send(message) if open_ and in_time() else None
        open_ = open_ and outcome is not None and outcome.reachable
        sent.append(Sent(delivery, outcome))
    connection.close()
    return sent


def note_outcomes(sent: Sequence[Sent], now: dt.datetime) -> None:
    """Write down what became of claimed messages."""
    waiting = [each.delivery.pk for each in sent if each.outcome is None]
    Delivery.objects.filter(pk__in=waiting).update(claimed_until=None)
    for status in {each.outcome.status for each in sent if each.outcome is not None and each.outcome.delivered}:
        arrived = [each.delivery.pk for each in sent if each.outcome is not None and each.outcome.status == status]
        done = Delivery.objects.filter(pk__in=arrived)
        done.update(delivered_at=now, parked_at=None, claimed_until=None, status=status, last_error="")
    failed = [_fail(each.delivery, each.outcome, now) for each in sent if each.outcome and not each.outcome.delivered]
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
    """Forget that these failed, or arrived, and make them due; returns how many."""
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    return deliveries.filter(free).update(
        due_at=now, attempts=0, claimed_until=None, delivered_at=None, parked_at=None, status=None, last_error=""
    )
