"""What is to be delivered to whom: a row a message and webhook, once an occasion."""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet

from leaderboards.models import Delivery, Webhook
from leaderboards.models.webhook import MATCH_RATED, PLAYER_PROMOTED, TEST
from leaderboards.notifications.news import Promotion, label_of
from ranking.models import Event, Mode, Player, Season


def queue_matches(event_ids: Sequence[int], now: dt.datetime) -> None:
    """A consumer of the outbox: each webhook that wants results is to be told of these."""
    hooks = _wanting(MATCH_RATED)
    if not hooks:
        return
    events = Event.objects.filter(pk__in=event_ids).order_by("pk").values_list("pk", "mode")
    _queue(
        Delivery(webhook=hook, type=MATCH_RATED, occasion=str(pk), created_at=now, due_at=now)
        for pk, mode_id in events
        for hook, modes in hooks
        if not modes or mode_id in modes
    )


def renumber(sequences: Mapping[int, int]) -> None:
    """Results that got new places in history are told of by these."""
    told = Delivery.objects.filter(type=MATCH_RATED, occasion__in=[str(pk) for pk in sequences])
    deliveries = list(told.select_for_update())
    for delivery in deliveries:
        delivery.occasion = str(sequences[int(delivery.occasion)])
    Delivery.objects.bulk_update(deliveries, ["occasion"])


def queue_promotions(season: Season, promotions: Sequence[Promotion], now: dt.datetime) -> None:
    """Each webhook that wants promotions is to be told of these, inside the caller's transaction."""
    mode = season.mode
    hooks = [hook for hook, modes in _wanting(PLAYER_PROMOTED) if not modes or mode.pk in modes]
    if not hooks or not promotions or not mode.shows_tier:
        return
    # Locked, so that nobody leaves for good between their name's being read and its being written.
    locked = Player.objects.select_for_update(no_key=True).order_by("pk")
    players = locked.in_bulk({each.player_id for each in promotions})
    _queue(
        Delivery(
            webhook=hook, type=PLAYER_PROMOTED, occasion=f"{season.pk}-{each.player_id}-{each.tier.index}",
            data=_promotion_data(season, players[each.player_id], each), created_at=now, due_at=now,
        )
        for each in promotions
        for hook in hooks
    )  # fmt: skip


def queue_test(webhook: Webhook, now: dt.datetime, *, claimed_until: dt.datetime) -> Delivery:
    """A message that says only that messages arrive, claimed by the caller."""
    return Delivery.objects.create(
        webhook=webhook, type=TEST, occasion=secrets.token_hex(8), data={"webhook": webhook.name},
        created_at=now, due_at=now, claimed_until=claimed_until,
    )  # fmt: skip


def modes_with_promotions() -> QuerySet[Mode]:
    """Modes whose promotions a webhook wants."""
    every = Webhook.objects.filter(disabled_at=None)
    wanted = [pk for pk, events in every.values_list("pk", "events") if PLAYER_PROMOTED in events]
    named = Mode.objects.filter(webhooks__in=wanted)
    if Webhook.objects.filter(pk__in=wanted, modes=None).exists():
        return Mode.objects.all()
    return named


def _wanting(event: str) -> list[tuple[Webhook, set[int]]]:
    """Webhooks that want an event, each with its modes; no modes = every mode."""
    hooks = Webhook.objects.filter(disabled_at=None).prefetch_related("modes").order_by("pk")
    return [(hook, {mode.pk for mode in hook.modes.all()}) for hook in hooks if event in hook.events]


def _queue(deliveries: Any) -> None:
    Delivery.objects.bulk_create(deliveries, ignore_conflicts=True)


def _promotion_data(season: Season, player: Player, promotion: Promotion) -> dict[str, Any]:
    return {
        "mode": {"id": season.mode.slug, "name": season.mode.name},
        "season": season.number,
        "player": {"id": player.key, "name": player.name},
        "tier": label_of(promotion.tier, season.mode),
        "rank": promotion.rank,
        "listed": promotion.listed,
    }


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
