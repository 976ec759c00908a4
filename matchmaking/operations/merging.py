"""Gives the rows that this app keeps of a merged player to the player who is kept, and gives them back at a split.

See MERGERS and SPLITTERS in ranking/hooks.py. Queueing, the party and invitations to the merged player end for good,
and why matches of theirs were called off is forgotten.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from matchmaking import lifecycle
from matchmaking.lobbies.accepting import TicketEnding, fall_through, lock_lobby
from matchmaking.models import Invitation, Lobby, Ticket, TicketMember, UnreportedLoss
from matchmaking.operations.erasure import forget_reasons
from matchmaking.parties.parties import drop_invitations, leave_party
from matchmaking.queues.queueing import find_ticket
from matchmaking.transitions import Ending, end_tickets
from ranking.models import Player
from ranking.moderation.merges import MergeRefused
from ranking.players.row_records import give_back, recorded

_ENDING = Ending("merged")


def merge_players(kept: Player, merged: Player) -> dict[str, Any]:
    """Take the merged player out of queue and party, and put `kept` in their place on tickets and in lobbies.

    A match that is running goes on, and keeps `kept` from queueing. Return what a split needs.
    Raises MergeRefused.
    """
    now = timezone.now()
    leave_party(merged, now=now)
    drop_invitations(Invitation.objects.filter(player=merged))
    forget_reasons(merged, now)
    _check_apart(kept, merged)
    if _is_playing(merged, now) and _is_playing(kept, now):
        # A player may have one live ticket only: the kept player's.
        TicketMember.objects.filter(player=merged, live=True).update(live=False)
    places, invitations = TicketMember.objects.filter(player=merged), Invitation.objects.filter(by=merged)
    losses = UnreportedLoss.objects.filter(player=merged)
    with recorded(places, invitations, losses) as rows:
        Invitation.objects.filter(by=merged).update(by=kept)
        lobbies = _take_places(kept, merged)
        in_both = UnreportedLoss.objects.filter(player=kept).values("lobby_key")
        losses.filter(lobby_key__in=in_both).delete()
        losses.update(player=kept)
    return {"rows": rows, "lobbies": lobbies}


def split_players(kept: Player, merged: Player, taken: dict[str, Any]) -> None:
    """Undo `merge_players`. No match of either is running."""
    _replace_in_lobbies(Lobby.objects.filter(pk__in=taken["lobbies"]), kept, merged)
    give_back(taken["rows"])


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


def _take_places(kept: Player, merged: Player) -> list[str]:
    """Put `kept` in the merged player's place on tickets and in lobbies. Return the ids of these lobbies."""
    rows = TicketMember.objects.filter(player=merged)
    lobbies = _replace_in_lobbies(Lobby.objects.filter(pk__in=rows.values("ticket__lobby")), merged, kept)
    together = TicketMember.objects.filter(player=kept, ticket=OuterRef("ticket"))
    rows.filter(~Exists(together)).update(player=kept)
    TicketMember.objects.filter(player=merged).delete()
    return lobbies


def _replace_in_lobbies(lobbies: QuerySet[Lobby], owner: Player, heir: Player) -> list[str]:
    """In a lobby in which both were, each keeps their own place."""
    locked = [
        lobby
        for lobby in lobbies.select_for_update().order_by("pk")
        if not any(heir.pk in team for team in lobby.teams)
    ]
    for lobby in locked:
        lobby.teams = [[heir.pk if member == owner.pk else member for member in team] for team in lobby.teams]
        lobby.save(update_fields=["teams"])
    return [lobby.pk for lobby in locked]
