"""Gives the rows that this app keeps of a merged player to the player who is kept; see MERGERS in ranking/hooks.py."""

from __future__ import annotations

import datetime as dt

from django.db.models import Exists, OuterRef
from django.utils import timezone

from matchmaking import lifecycle
from matchmaking.lobbies.accepting import TicketEnding, fall_through, lock_lobby
from matchmaking.models import Invitation, Lobby, Ticket, TicketMember, UnreportedLoss
from matchmaking.parties.parties import leave_party
from matchmaking.queues.queueing import find_ticket
from matchmaking.transitions import end_tickets
from ranking.models import Player
from ranking.moderation.merges import MergeRefused

_ENDING = "Two players were merged into one."


def merge_players(kept: Player, merged: Player) -> None:
    """Take the merged player out of queue and party, and put `kept` in their place on tickets and in lobbies.

    A match that is running goes on, and keeps `kept` from queueing. Raises MergeRefused.
    """
    now = timezone.now()
    leave_party(merged, now=now)
    Invitation.objects.filter(player=merged).delete()
    Invitation.objects.filter(by=merged).update(by=kept)
    _check_apart(kept, merged)
    if _is_playing(merged, now) and _is_playing(kept, now):
        # A player may have one live ticket only: the kept player's.
        TicketMember.objects.filter(player=merged, live=True).update(live=False)
    _take_places(kept, merged)
    in_both = UnreportedLoss.objects.filter(player=kept).values("lobby_key")
    UnreportedLoss.objects.filter(player=merged, lobby_key__in=in_both).delete()
    UnreportedLoss.objects.filter(player=merged).update(player=kept)


def _check_apart(kept: Player, merged: Player) -> None:
    """Raise MergeRefused if the two players are in one lobby."""
    one, other = find_ticket(kept), find_ticket(merged)
    if one and other and one.lobby_id is not None and one.lobby_id == other.lobby_id:
        raise MergeRefused(f"Both are in lobby {one.lobby_id}, so they aren't one player.")


def _is_playing(player: Player, now: dt.datetime) -> bool:
    """True if a match of the player is running. A player who waits, or whose lobby hasn't begun, is taken out."""
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
    rows = TicketMember.objects.filter(player=merged)
    lobbies = Lobby.objects.filter(pk__in=rows.values("ticket__lobby"))
    for lobby in lobbies.select_for_update().order_by("pk"):
        lobby.teams = [[kept.pk if player == merged.pk else player for player in team] for team in lobby.teams]
        lobby.save(update_fields=["teams"])
    together = TicketMember.objects.filter(player=kept, ticket=OuterRef("ticket"))
    rows.filter(~Exists(together)).update(player=kept)
    TicketMember.objects.filter(player=merged).delete()
