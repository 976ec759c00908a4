"""A lobby from its forming until it is ready: players see, accept or decline it, or its time runs out.

From the matchmaking and conduct rules. Every change locks the lobby's row first, then its tickets, then its server.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db import transaction

from matchmaking import lifecycle
from matchmaking.lobbies.announcing import announce_found
from matchmaking.models import Lobby, Ticket, TicketMember
from matchmaking.queues.entry import check_unrestricted
from matchmaking.refusals import Refusal
from matchmaking.server_failures import note_start
from matchmaking.servers import claim_server, free_server, needs_server
from matchmaking.transitions import Ending, end_tickets, ending_of, requeue_tickets, transition_lobby
from ranking.models import Player
from ranking.moderation.eligibility import MayNotQueue
from ranking.moderation.incidents import record_missed


@dataclass(frozen=True, slots=True)
class TicketEnding:
    """The end of a ticket that doesn't go back to its queue: its state `to`, and what its players are told."""

    to: str
    ending: Ending


def get_lobby(key: str) -> Lobby:
    """Load a lobby with its queue and mode. Raises Lobby.DoesNotExist."""
    return Lobby.objects.select_related("queue__mode", "server").get(pk=key)


def lock_lobby(key: str) -> Lobby:
    """Load a lobby with its queue and mode, and lock its row until the caller's transaction ends."""
    rows = Lobby.objects.select_related("queue__mode").select_for_update(of=("self",))
    return rows.get(pk=key)


def _own_member(lobby: Lobby, player: Player) -> TicketMember:
    """The player's row on a ticket of the lobby. Raises Refusal if the lobby is over or the player isn't in it."""
    if lobby.state in lifecycle.LOBBY.ends:
        raise Refusal(f"over:{lobby.state}")
    member = TicketMember.objects.filter(ticket__lobby=lobby, player=player).select_related("ticket").first()
    if member is None:
        raise Refusal("not-yours:lobby")
    return member


@transaction.atomic
def note_seen(key: str, player: Player, *, now: dt.datetime) -> Lobby:
    """Note that the player has seen the prompt: from now on, not accepting is a missed accept. Raises Refusal."""
    lobby = lock_lobby(key)
    member = _own_member(lobby, player)
    if lobby.state == lifecycle.ACCEPTING and member.seen_at is None:
        TicketMember.objects.filter(pk=member.pk).update(seen_at=now)
    return lobby


def accept(key: str, player: Player, *, now: dt.datetime) -> Lobby:
    """Accept the match. When everybody has accepted, a server is claimed and the lobby is ready.

    Accepting twice does nothing. Raises Refusal. Raises MayNotQueue if the player was banned or locked out after
    queueing; the lobby then falls through.
    """
    try:
        return _accept(key, player, now)
    except MayNotQueue as refusal:
        with transaction.atomic():
            lobby = lock_lobby(key)
            member = _own_member(lobby, player)
            endings = {member.ticket_id: TicketEnding(lifecycle.REFUSED, ending_of(refusal.restriction, refusal.mode))}
            fall_through(lobby, lifecycle.CANCELLED, Ending("somebody-restricted"), endings, now)
        raise


@transaction.atomic
def _accept(key: str, player: Player, now: dt.datetime) -> Lobby:
    lobby = lock_lobby(key)
    member = _own_member(lobby, player)
    if lobby.state != lifecycle.ACCEPTING or member.accepted_at is not None:
        return lobby
    if lobby.accept_until is not None and now > lobby.accept_until:
        raise Refusal("too-late")
    check_unrestricted(lobby.queue, player, now)
    seen = member.seen_at or now
    TicketMember.objects.filter(pk=member.pk).update(seen_at=seen, accepted_at=now)
    if is_accepted(lobby):
        _open(lobby)
        make_ready(lobby, now)
    return lobby


def _open(lobby: Lobby) -> None:
    """From now on the lobby's players see everything, and leaving is dropping out; even if no server is free yet."""
    Lobby.objects.filter(pk=lobby.pk, blind=True).update(blind=False)
    lobby.blind = False


def is_accepted(lobby: Lobby) -> bool:
    """True if everybody has accepted, or if the queue asks nobody."""
    missing = TicketMember.objects.filter(ticket__lobby=lobby, accepted_at=None)
    return lobby.accept_until is None or not missing.exists()


def make_ready(lobby: Lobby, now: dt.datetime) -> bool:
    """Claim a server for a lobby that everybody accepted. False if no server is free now; the sweep tries again."""
    server = claim_server(lobby.queue, lobby.region, now, apart_from=lobby.failed_server_id)
    if server is None and needs_server(lobby.queue, now):
        return False
    if not transition_lobby(lobby, lifecycle.READY, server=server, ready_at=now, blind=False):
        free_server(server.pk if server else None)
        return False
    announce_found(lobby, now)
    return True


@transaction.atomic
def decline(key: str, player: Player, *, now: dt.datetime) -> Lobby:
    """Decline the match before it is ready. This counts as a missed accept; the others go back to the queue.

    Raises Refusal.
    """
    lobby = lock_lobby(key)
    member = _own_member(lobby, player)
    if lobby.state != lifecycle.ACCEPTING or is_accepted(lobby):
        raise Refusal("accepted")
    mode = lobby.queue.mode
    ending = Ending("you-declined" if member.ticket.size == 1 else "declined", {"player": player.name})
    endings = {member.ticket_id: TicketEnding(lifecycle.REFUSED, ending)}
    fall_through(lobby, lifecycle.CANCELLED, Ending("somebody-declined"), endings, now)
    record_missed([player.pk], mode, lobby=lobby.pk, happened_at=now)
    return lobby


@transaction.atomic
def expire_lobby(key: str, *, now: dt.datetime) -> bool:
    """Close a lobby that not everybody accepted in time. False if there is nothing to close.

    Players who didn't accept leave the queue. It counts as a missed accept for those known to have seen the prompt.
    """
    lobby = lock_lobby(key)
    if lobby.state != lifecycle.ACCEPTING or lobby.accept_until is None or now <= lobby.accept_until:
        return False
    missing = list(
        TicketMember.objects.filter(ticket__lobby=lobby, accepted_at=None).select_related("player", "ticket")
    )
    if not missing:
        return False
    endings = {}
    for member in missing:
        ending = Ending("you-passed" if member.ticket.size == 1 else "passed", {"player": member.player.name})
        endings[member.ticket_id] = TicketEnding(lifecycle.EXPIRED, ending)
    fall_through(lobby, lifecycle.CANCELLED, Ending("somebody-passed"), endings, now)
    seen = [member.player_id for member in missing if member.seen_at is not None]
    record_missed(seen, lobby.queue.mode, lobby=lobby.pk, happened_at=lobby.accept_until)
    return True


def fall_through(lobby: Lobby, to: str, ending: Ending, endings: Mapping[int, TicketEnding], now: dt.datetime) -> bool:
    """Close a lobby that the caller has locked. The tickets named in `endings` (by id) end; the others wait again."""
    if not transition_lobby(lobby, to, now=now, **ending.fields):
        return False
    for ticket, end in endings.items():
        end_tickets(Ticket.objects.filter(pk=ticket, lobby=lobby), end.to, ending=end.ending, now=now)
    others = Ticket.objects.filter(lobby=lobby, state=lifecycle.MATCHED).select_for_update(of=("self",)).order_by("id")
    requeue_tickets(list(others), now)
    free_server(lobby.server_id)
    return True


def close_played(lobbies: Collection[Lobby], ending: Ending, now: dt.datetime) -> None:
    """End the tickets of lobbies that were just closed after their match, and free their servers."""
    tickets = Ticket.objects.filter(lobby__in=[lobby.pk for lobby in lobbies])
    end_tickets(tickets, lifecycle.DONE, ending=ending, now=now)
    for lobby in lobbies:
        free_server(lobby.server_id)
        if lobby.state == lifecycle.FINISHED and lobby.started_at is None:  # its result is the first news of its start
            note_start(lobby.server_id)
