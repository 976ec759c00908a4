"""A player who has left for good: the door lets go of them; see settings.ERASERS."""

from __future__ import annotations

from django.db.models import Q
from django.utils import timezone

from matchmaking import lifecycle
from matchmaking.models import Invitation, Ticket, TicketMember
from matchmaking.parties.parties import leave_party
from matchmaking.transitions import end_free_tickets
from ranking.models import Player


def forget_player(player: Player) -> None:
    """End their waiting ticket, take them out of their party, and blank where they played from.

    A lobby that they are in takes its course: who isn't there when it begins has dropped out. Who was in which lobby
    stays, of a player without a name, until it is dropped.
    """
    now = timezone.now()
    leave_party(player, now=now)
    Invitation.objects.filter(Q(player=player) | Q(by=player)).delete()
    own = TicketMember.objects.filter(player=player).values("ticket")
    waiting = Ticket.objects.filter(pk__in=own, state=lifecycle.WAITING)
    # What the tick is just claiming is left to it; the sweep looks again.
    end_free_tickets(waiting, lifecycle.CANCELLED, ending="Somebody isn’t a player any more.", now=now)
    Ticket.objects.filter(pk__in=own, state__in=lifecycle.TICKET.ends).update(pings={}, ending="")
