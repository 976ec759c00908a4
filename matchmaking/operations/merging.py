"""What the door keeps of two players who are merged becomes that of the one who is kept; see settings.MERGERS."""

from __future__ import annotations

import datetime as dt

from django.db.models import Exists, OuterRef
from django.utils import timezone

from matchmaking import lifecycle
from matchmaking.lobbies.accepting import TicketEnding, fall_through, lock_lobby
from matchmaking.models import Invitation, Lobby, Ticket, TicketMember
from matchmaking.parties.parties import leave_party
from matchmaking.queues.queueing import find_ticket
from matchmaking.transitions import end_tickets
from ranking.models import Player
from ranking.moderation.merges import MergeRefused

_ENDING = "Two players were merged into one."


def hand_over(kept: Player, merged: Player) -> None:
    """The merged player queues no more and is in no party; on tickets and in lobbies the other takes their place.

    A match that is running goes on, and keeps who is left of the two from queueing.
    """
    now = timezone.now()
    leave_party(merged, now=now)
    Invitation.objects.filter(player=merged).delete()
    Invitation.objects.filter(by=merged).update(by=kept)
    _check_apart(kept, merged)
    if _is_playing(merged, now) and _is_playing(kept, now):
        # Of two running matches the other's counts.
        TicketMember.objects.filter(player=merged, live=True).update(live=False)
    _take_places(kept, merged)


def _check_apart(kept: Player, merged: Player) -> None:
    """Raises MergeRefused for two who are in a lobby together."""
    one, other = find_ticket(kept), find_ticket(merged)
    if one and other and one.lobby_id is not None and one.lobby_id == other.lobby_id:
        raise MergeRefused(f"Both are in lobby {one.lobby_id}, so they aren't one player.")


def _is_playing(player: Player, now: dt.datetime) -> bool:
    """Whether a match of theirs is running; from a queue, or a lobby that hasn't begun, they are taken out."""
    ticket = find_ticket(player)
    if ticket is None:
        return False
    if ticket.state == lifecycle.WAITING:
        end_tickets(Ticket.objects.filter(pk=ticket.pk), lifecycle.CANCELLED, ending=_ENDING, now=now)
    elif ticket.state == lifecycle.MATCHED and ticket.lobby_id is not None:
        out = {ticket.pk: TicketEnding(lifecycle.CANCELLED, _ENDING)}
        fall_through(lock_lobby(ticket.lobby_id), lifecycle.CANCELLED, _ENDING, out, now)
    ticket.refresh_from_db()
    return ticket.is_live


def _take_places(kept: Player, merged: Player) -> None:
    theirs = TicketMember.objects.filter(player=merged)
    lobbies = Lobby.objects.filter(pk__in=theirs.values("ticket__lobby"))
    for lobby in lobbies.select_for_update().order_by("pk"):
        lobby.teams = [[kept.pk if player == merged.pk else player for player in team] for team in lobby.teams]
        lobby.save(update_fields=["teams"])
    together = TicketMember.objects.filter(player=kept, ticket=OuterRef("ticket"))
    theirs.filter(~Exists(together)).update(player=kept)
    TicketMember.objects.filter(player=merged).delete()
