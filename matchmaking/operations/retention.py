"""Deletes what isn't kept for ever: old tickets, lobbies without a match, history of matches formed, invitations."""

from __future__ import annotations

import datetime as dt

from matchmaking import lifecycle
from matchmaking.models import Formed, Invitation, Lobby, Ticket, TicketMember, UnreportedLoss
from matchmaking.operations.erasure import forget_old_reasons
from matchmaking.parties.parties import end_lone_parties

KEPT = dt.timedelta(days=30)  # ended tickets, and lobbies that fell through
HISTORY_KEPT = dt.timedelta(days=90)
LOST_KEPT = dt.timedelta(days=365)  # unreported losses, and lobbies lost or called off: their late results are void
INVITED = dt.timedelta(days=1)  # open invitations
_AT_ONCE = 10_000  # tickets deleted in one statement


def drop_old(now: dt.datetime) -> None:
    """Delete what is old. Lobbies whose match was played stay, because the match's page shows them."""
    old = Ticket.objects.filter(ended_at__lt=now - KEPT).order_by("ended_at").values_list("pk", flat=True)
    while ids := list(old[:_AT_ONCE]):
        TicketMember.objects.filter(ticket__in=ids).delete()
        Ticket.objects.filter(pk__in=ids).delete()
    ended = Lobby.objects.filter(tickets=None)
    ended.filter(state__in=(lifecycle.CANCELLED, lifecycle.FORFEITED), closed_at__lt=now - KEPT).delete()
    without_result = ended.filter(state__in=(lifecycle.LOST, lifecycle.ABORTED), match=None)
    without_result.filter(closed_at__lt=now - LOST_KEPT).delete()
    forget_old_reasons(now)
    Formed.objects.filter(formed_at__lt=now - HISTORY_KEPT).delete()
    UnreportedLoss.objects.filter(closed_at__lt=now - LOST_KEPT).delete()
    Invitation.objects.filter(invited_at__lt=now - INVITED).delete()
    end_lone_parties()
