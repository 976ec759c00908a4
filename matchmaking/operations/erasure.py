"""Erases what this app keeps about a player who leaves for good; see ERASERS in ranking/hooks.py."""

from __future__ import annotations

from django.db.models import Q
from django.utils import timezone

from matchmaking import lifecycle
from matchmaking.models import Invitation, Ticket, TicketMember, UnreportedLoss
from matchmaking.operations.called_off_reasons import forget_reasons
from matchmaking.parties.parties import drop_invitations, leave_party
from matchmaking.transitions import NO_ENDING, Ending, end_free_tickets
from ranking.models import Player


def erase_player(player: Player) -> None:
    """Cancel the player's waiting ticket, take them out of their party, and blank the pings of their past tickets.

    A lobby that they are in goes on: a player who is absent when the match begins has dropped out. The teams of past
    lobbies stay, with a player who has no name, until these lobbies are deleted. Why some of these were called off is
    forgotten.
    """
    now = timezone.now()
    leave_party(player, now=now)
    drop_invitations(Invitation.objects.filter(Q(player=player) | Q(by=player)))
    own = TicketMember.objects.filter(player=player).values("ticket")
    waiting = Ticket.objects.filter(pk__in=own, state=lifecycle.WAITING)
    # Tickets that a tick has locked are skipped; the sweep looks again.
    end_free_tickets(waiting, lifecycle.CANCELLED, ending=Ending("gone"), now=now)
    UnreportedLoss.objects.filter(player=player).delete()
    forget_reasons(player, now)
    Ticket.objects.filter(pk__in=own, state__in=lifecycle.TICKET.ends).update(pings={}, **NO_ENDING.fields)
