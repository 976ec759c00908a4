"""Lobbies from "found" to ready: seen, accepted, declined, let pass. From the matchmaking and conduct rules.

Whatever happens to a lobby happens while its row is locked; its tickets come after it, then its server.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db import transaction

from matchmaking import lifecycle
from matchmaking.models import Lobby, Ticket, TicketMember
from matchmaking.queues.entry import check_unrestricted
from matchmaking.refusals import Refusal
from matchmaking.servers import claim_server, free_server, has_servers
from matchmaking.transitions import end_tickets, requeue_tickets, transition_lobby
from ranking.models import Player
from ranking.moderation.eligibility import MayNotQueue
from ranking.moderation.incidents import record_missed

OVER = {
    lifecycle.CANCELLED: "This lobby fell through.",
    lifecycle.FORFEITED: "This lobby fell through: somebody dropped out.",
    lifecycle.FINISHED: "This match is over.",
    lifecycle.LOST: "This match was closed without a result.",
}


@dataclass(frozen=True, slots=True)
class TicketEnding:
    """How a ticket ends that doesn't go back to its queue."""

    to: str
    ending: str


def get_lobby(key: str) -> Lobby:
    """With its queue and mode. Raises Lobby.DoesNotExist."""
    return Lobby.objects.select_related("queue__mode", "server").get(pk=key)


def lock_lobby(key: str) -> Lobby:
    """The same, its row locked by the caller's transaction."""
    rows = Lobby.objects.select_related("queue__mode").select_for_update(of=("self",))
    return rows.get(pk=key)


def members_of(lobby: Lobby) -> list[TicketMember]:
    """The players whose tickets are in a lobby, with their tickets and names."""
    rows = TicketMember.objects.filter(ticket__lobby=lobby).select_related("ticket", "player")
    return list(rows.order_by("ticket__team", "ticket_id", "id"))


def _own_seat(lobby: Lobby, player: Player) -> TicketMember:
    """Raises Refusal for who isn't in the lobby, and for a lobby that is over."""
    if lobby.state in OVER:
        raise Refusal("over", OVER[lobby.state])
    member = TicketMember.objects.filter(ticket__lobby=lobby, player=player).select_related("ticket").first()
    if member is None:
        raise Refusal("not-yours", "You aren’t in this lobby.")
    return member


@transaction.atomic
def note_seen(key: str, player: Player, *, now: dt.datetime) -> Lobby:
    """The player has seen the prompt to accept: from now on, letting it pass is a missed accept. Raises Refusal."""
    lobby = lock_lobby(key)
    member = _own_seat(lobby, player)
    if lobby.state == lifecycle.ACCEPTING and member.seen_at is None:
        TicketMember.objects.filter(pk=member.pk).update(seen_at=now)
    return lobby


def accept(key: str, player: Player, *, now: dt.datetime) -> Lobby:
    """Accept the match; when everybody has, a server is claimed and the lobby is ready. Again does nothing.

    Raises Refusal; gate.MayNotQueue for who is barred since they queued, whose lobby then falls through.
    """
    try:
        return _accept(key, player, now)
    except MayNotQueue as bar:
        with transaction.atomic():
            lobby = lock_lobby(key)
            member = _own_seat(lobby, player)
            out = {member.ticket_id: TicketEnding(lifecycle.REFUSED, str(bar)[:200])}
            fall_through(lobby, lifecycle.CANCELLED, "Somebody may not play now.", out, now)
        raise


@transaction.atomic
def _accept(key: str, player: Player, now: dt.datetime) -> Lobby:
    lobby = lock_lobby(key)
    member = _own_seat(lobby, player)
    if lobby.state != lifecycle.ACCEPTING or member.accepted_at is not None:
        return lobby
    if lobby.accept_until is not None and now > lobby.accept_until:
        raise Refusal("too-late", "It is too late to accept this match.")
    check_unrestricted(lobby.queue, player, now)
    seen = member.seen_at or now
    TicketMember.objects.filter(pk=member.pk).update(seen_at=seen, accepted_at=now)
    if is_accepted(lobby):
        make_ready(lobby, now)
    return lobby


def is_accepted(lobby: Lobby) -> bool:
    """Whether everybody has accepted, or nobody is asked."""
    waiting = TicketMember.objects.filter(ticket__lobby=lobby, accepted_at=None)
    return lobby.accept_until is None or not waiting.exists()


def make_ready(lobby: Lobby, now: dt.datetime) -> bool:
    """Claim a server for a lobby that everybody accepted; False where none is free now: it is tried again."""
    server = claim_server(lobby.queue.mode, lobby.region, now)
    if server is None and has_servers(lobby.queue.mode, now):
        return False
    if not transition_lobby(lobby, lifecycle.READY, server=server, ready_at=now):
        free_server(server.pk if server else None)
        return False
    return True


@transaction.atomic
def decline(key: str, player: Player, *, now: dt.datetime) -> Lobby:
    """Decline the match while it waits to be accepted: a missed accept; the others go back to the queue.

    Raises Refusal.
    """
    lobby = lock_lobby(key)
    member = _own_seat(lobby, player)
    if lobby.state != lifecycle.ACCEPTING:
        raise Refusal("accepted", "Everybody has accepted: to go now is to drop out.")
    mode = lobby.queue.mode
    ending = "You declined the match." if member.ticket.size == 1 else f"{player.name} declined the match."
    fall_through(
        lobby,
        lifecycle.CANCELLED,
        "Somebody declined.",
        {member.ticket_id: TicketEnding(lifecycle.REFUSED, ending[:200])},
        now,
    )
    record_missed([player.pk], mode, lobby=lobby.pk, happened_at=now)
    return lobby


@transaction.atomic
def expire_lobby(key: str, *, now: dt.datetime) -> bool:
    """Close a lobby that not everybody accepted in time; False where there is nothing to close.

    Who let it pass is out of the queue; that is a missed accept where they are known to have seen the prompt.
    """
    lobby = lock_lobby(key)
    if lobby.state != lifecycle.ACCEPTING or lobby.accept_until is None or now <= lobby.accept_until:
        return False
    missing = list(
        TicketMember.objects.filter(ticket__lobby=lobby, accepted_at=None).select_related("player", "ticket")
    )
    if not missing:
        return False
    outs = {}
    for member in missing:
        who = "You" if member.ticket.size == 1 else member.player.name
        outs[member.ticket_id] = TicketEnding(lifecycle.EXPIRED, f"{who} let a match pass."[:200])
    fall_through(lobby, lifecycle.CANCELLED, "Not everybody accepted.", outs, now)
    seen = [member.player_id for member in missing if member.seen_at is not None]
    record_missed(seen, lobby.queue.mode, lobby=lobby.pk, happened_at=lobby.accept_until)
    return True


def fall_through(lobby: Lobby, to: str, ending: str, outs: Mapping[int, TicketEnding], now: dt.datetime) -> bool:
    """Close a lobby, locked by the caller: tickets end as `outs` says, by their ids, the others wait again."""
    if not transition_lobby(lobby, to, now=now, ending=ending):
        return False
    for ticket, out in outs.items():
        end_tickets(Ticket.objects.filter(pk=ticket, lobby=lobby), out.to, ending=out.ending, now=now)
    others = Ticket.objects.filter(lobby=lobby, state=lifecycle.MATCHED).select_for_update(of=("self",)).order_by("id")
    requeue_tickets(list(others), now)
    free_server(lobby.server_id)
    return True


def close_played(lobbies: Collection[Lobby], ending: str, now: dt.datetime) -> None:
    """End the tickets of lobbies that were just moved to their end, and give back their servers."""
    tickets = Ticket.objects.filter(lobby__in=[lobby.pk for lobby in lobbies])
    end_tickets(tickets, lifecycle.DONE, ending=ending, now=now)
    for lobby in lobbies:
        free_server(lobby.server_id)
