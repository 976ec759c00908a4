"""Queues messages to webhooks: one row for each message and webhook, once an occasion. Deletes old rows, too."""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Q, QuerySet

from leaderboards.models import Delivery, Webhook
from leaderboards.notifications.news import Promotion
from leaderboards.webhooks.events import (
    LOBBY_ABORTED,
    MATCH_CORRECTED,
    MATCH_FOUND,
    MATCH_RATED,
    MATCH_VOIDED,
    PLAYER_PROMOTED,
    PLAYER_RENAMED,
    REOPENED,
    SEASON_CORRECTED,
    SEASON_ENDED,
    SEASON_STARTED,
    TEST,
)
from leaderboards.webhooks.lobby_messages import AbortedMatch, AbortNewsSerializer, found_to_keep
from leaderboards.webhooks.player_messages import PromotedPlayer, PromotionSerializer, RenamingSerializer
from leaderboards.webhooks.season_messages import CorrectedSeason, CorrectionSerializer, occasion_of
from leaderboards.webhooks.trial_messages import TestSerializer
from ranking.models import Event, Match, Mode, Player, Rating, Season

DELIVERED, PARKED, SWITCHED_OFF = dt.timedelta(days=1), dt.timedelta(days=30), dt.timedelta(days=1)
Subscriber = tuple[Webhook, set[int]]
_AT_ONCE = 5_000  # rows deleted in one statement


def queue_events(event_ids: Sequence[int], now: dt.datetime) -> None:
    """Queue these results and ends of seasons for each webhook that subscribes to them. A consumer of the outbox."""
    hooks = _webhooks()
    if not hooks:
        return
    events = list(Event.objects.filter(pk__in=event_ids).order_by("pk"))
    matches = [event for event in events if event.kind == Event.MATCH]
    ends = [event for event in events if event.kind == Event.SEASON_END]
    _queue(
        Delivery(webhook=hook, type=MATCH_RATED, occasion=str(event.pk), created_at=now, due_at=now)
        for event in matches
        for hook in _subscribers(hooks, MATCH_RATED, event.mode_id)
    )
    moments: dict[int | None, dt.datetime] = {event.pk: event.happened_at for event in ends}
    seasons = Season.objects.filter(event__in=ends).order_by("pk") if ends else ()
    _queue(
        Delivery(webhook=hook, type=kind, occasion=occasion_of(season), created_at=moments[season.event_id], due_at=now)
        for season in seasons
        for kind in (SEASON_ENDED, SEASON_STARTED)
        for hook in _subscribers(hooks, kind, season.mode_id)
    )


def renumber(sequences: Mapping[int, int]) -> None:
    """Follow results to their new sequences (new by old), which a re-rating gave them; see settings.RENUMBERERS."""
    rows = Delivery.objects.filter(type=MATCH_RATED, occasion__in=[str(pk) for pk in sequences])
    deliveries = list(rows.select_for_update())
    for delivery in deliveries:
        delivery.occasion = str(sequences[int(delivery.occasion)])
    Delivery.objects.bulk_update(deliveries, ["occasion"])


def queue_promotions(season: Season, promotions: Sequence[Promotion], now: dt.datetime) -> None:
    """Queue these promotions for each webhook that subscribes to promotions, in the caller's transaction."""
    mode = season.mode
    hooks = _subscribers(_webhooks(), PLAYER_PROMOTED, mode.pk)
    if not hooks or not promotions or not mode.shows_tier:
        return
    # Locked, so that no player is anonymised between reading the name and writing it.
    locked = Player.objects.select_for_update(no_key=True).order_by("pk")
    players = locked.in_bulk({each.player_id for each in promotions})
    _queue(
        Delivery(
            webhook=hook,
            type=PLAYER_PROMOTED,
            occasion=f"{season.pk}-{each.player_id}-{each.tier.index}",
            data=PromotionSerializer.fill(PromotedPlayer(season, players[each.player_id], each)),
            created_at=now,
            due_at=now,
        )
        for each in promotions
        for hook in hooks
    )


def queue_renamings(players: Sequence[Player], now: dt.datetime) -> None:
    """Queue what a moderator did to these players' names, in the caller's transaction; see settings.RENAME_FOLLOWERS.

    A webhook of some modes hears of players who have a rating in one of them.
    """
    hooks = [(hook, modes) for hook, modes in _webhooks() if PLAYER_RENAMED in hook.events]
    if not hooks:
        return
    ratings = Rating.objects.filter(player__in=players).order_by()
    played: dict[int, set[int]] = {}
    for player_id, mode in ratings.values_list("player", "mode").distinct():
        played.setdefault(player_id, set()).add(mode)
    moment = int(now.timestamp() * 1_000)
    _queue(
        Delivery(
            webhook=hook,
            type=PLAYER_RENAMED,
            occasion=f"name-{player.pk}-{moment}",
            data=RenamingSerializer.fill(player),
            created_at=now,
            due_at=now,
        )
        for player in players
        for hook, modes in hooks
        if not modes or modes & played.get(player.pk, set())
    )


def queue_correction(season: Season, kind: str, now: dt.datetime, *, player: Player | None = None) -> None:
    """Queue a correction of an archived season for each webhook that subscribes to them, in the caller's transaction.

    `kind`: STRUCK or RESTORED, with the player, or REOPENED, without one; see `events`. Messages of an end that is
    taken back and of the next season's beginning are deleted if they haven't arrived.
    """
    if kind == REOPENED:
        untold = Delivery.objects.filter(type__in=(SEASON_ENDED, SEASON_STARTED), delivered_at=None)
        untold.filter(occasion__startswith=f"{season.pk}-").delete()
    about = f"{player.pk}-{kind}" if player is not None else kind
    _queue(
        Delivery(
            webhook=hook, type=SEASON_CORRECTED, occasion=f"{season.pk}-{about}-{int(now.timestamp() * 1_000)}",
            data=CorrectionSerializer.fill(CorrectedSeason(season, kind, player)),
            created_at=now, due_at=now,
        )
        for hook in _subscribers(_webhooks(), SEASON_CORRECTED, season.mode_id)
    )  # fmt: skip


def queue_voids(matches: Sequence[Match], now: dt.datetime) -> None:
    """Queue matches that were just voided for each webhook that subscribes to them; see settings.VOID_FOLLOWERS.

    A match that is voided again is told again: its occasion has the moment of the void.
    """
    hooks = _webhooks()
    moment = int(now.timestamp() * 1_000)
    _queue(
        Delivery(webhook=hook, type=MATCH_VOIDED, occasion=f"{match.pk}-{moment}", created_at=now, due_at=now)
        for match in matches
        for hook in _subscribers(hooks, MATCH_VOIDED, match.mode_id)
    )


def queue_replacement(old: Match, new: Match, now: dt.datetime) -> None:
    """Queue a correction for each webhook that subscribes to them, in the caller's transaction.

    The `new` match replaces the void `old` one, of which `queue_voids` doesn't tell.
    """
    _queue(
        Delivery(webhook=hook, type=MATCH_CORRECTED, occasion=f"{old.pk}-{new.pk}", created_at=now, due_at=now)
        for hook in _subscribers(_webhooks(), MATCH_CORRECTED, new.mode_id)
    )


def queue_found(lobby: str, mode: Mode, *, region: str, teams: Sequence[Sequence[int]], now: dt.datetime) -> None:
    """Queue a lobby that became ready for the first time, in the caller's transaction.

    `teams`: the ids of its players. Their names are read when the message is sent.
    """
    _queue_lobby(MATCH_FOUND, lobby, mode, found_to_keep(lobby, mode, region, teams), now)


def queue_aborted(lobby: str, mode: Mode, *, reason: str, state: str, players: Sequence[int], now: dt.datetime) -> None:
    """Queue a lobby that was aborted in this `state`, in the caller's transaction. `reason`: as its players read it.

    `players`: the ids of its players. If one of them leaves for good, the reason goes, since it may name them.
    """
    data = {**AbortNewsSerializer.fill(AbortedMatch(lobby, mode, reason, state)), "players": list(players)}
    _queue_lobby(LOBBY_ABORTED, lobby, mode, data, now)


def _queue_lobby(event: str, lobby: str, mode: Mode, data: dict[str, object], now: dt.datetime) -> None:
    """An event of a lobby happens once at most: a second message about it isn't queued."""
    _queue(
        Delivery(webhook=hook, type=event, occasion=lobby, data=data, created_at=now, due_at=now)
        for hook in _subscribers(_webhooks(), event, mode.pk)
    )


def queue_test(webhook: Webhook, now: dt.datetime) -> Delivery:
    """Queue a test message, which is sent before all others of the webhook."""
    return Delivery.objects.create(
        webhook=webhook, type=TEST, occasion=secrets.token_hex(8), data=TestSerializer.fill(webhook),
        created_at=now, due_at=now,
    )  # fmt: skip


def modes_with_promotions() -> QuerySet[Mode]:
    """Modes with a webhook that subscribes to their promotions."""
    rows = Webhook.objects.filter(disabled_at=None).values_list("pk", "events")
    subscribers = [pk for pk, events in rows if PLAYER_PROMOTED in events]
    if Webhook.objects.filter(pk__in=subscribers, modes=None).exists():
        return Mode.objects.all()
    return Mode.objects.filter(webhooks__in=subscribers)


def _webhooks() -> list[Subscriber]:
    """Webhooks that are on, each with the ids of its modes; no modes = every mode."""
    hooks = Webhook.objects.filter(disabled_at=None).prefetch_related("modes").order_by("pk")
    return [(hook, {mode.pk for mode in hook.modes.all()}) for hook in hooks]


def _subscribers(hooks: Sequence[Subscriber], event: str, mode_id: int) -> list[Webhook]:
    """Those of these webhooks that subscribe to an event in a mode."""
    return [hook for hook, modes in hooks if event in hook.events and (not modes or mode_id in modes)]


def _queue(deliveries: Iterable[Delivery]) -> None:
    Delivery.objects.bulk_create(deliveries, ignore_conflicts=True)


def drop_old(now: dt.datetime) -> int:
    """Delete messages that arrived a day ago, were parked a month ago, or wait for a webhook switched off a day ago."""
    waiting = Q(delivered_at=None, parked_at=None)
    return (
        _drop(Delivery.objects.filter(delivered_at__lt=now - DELIVERED))
        + _drop(Delivery.objects.filter(parked_at__lt=now - PARKED))
        + _drop(Delivery.objects.filter(waiting, webhook__disabled_at__lt=now - SWITCHED_OFF))
    )


def _drop(deliveries: QuerySet[Delivery]) -> int:
    """Delete in batches of some thousand rows, so that no lock lasts long."""
    dropped = 0
    while ids := list(deliveries.order_by().values_list("pk", flat=True)[:_AT_ONCE]):
        dropped += Delivery.objects.filter(pk__in=ids).delete()[0]
    return dropped
