"""Erases what this app keeps about a player who leaves for good (see ERASERS in ranking/hooks.py), and why matches were
called off: in the words of a server or a moderator, which may name players.
"""

from __future__ import annotations

import datetime as dt

from django.db.models import Q, QuerySet
from django.utils import timezone

from matchmaking import lifecycle
from matchmaking.models import Invitation, Lobby, Ticket, TicketMember, UnreportedLoss
from matchmaking.parties.parties import drop_invitations, leave_party
from matchmaking.transitions import NO_ENDING, Ending, end_free_tickets
from matchmaking.wording import CALLS_OFF
from ranking.models import Player

REASONS_KEPT = dt.timedelta(days=30)
_LONGEST = dt.timedelta(days=3)  # from a lobby's forming to its end; the longest match takes a day


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


def forget_reasons(player: Player, now: dt.datetime) -> None:
    """Forget the reasons in lobbies that this player was in, and on all tickets of these.

    Players are looked for in the lobbies' teams: tickets that went back to their queue have left the lobby.
    """
    rows = _with_reason().filter(formed_at__gte=now - REASONS_KEPT - _LONGEST).values_list("pk", "teams")
    lobbies = [key for key, teams in rows.iterator() if any(player.pk in team for team in teams)]
    Lobby.objects.filter(pk__in=lobbies).update(ending_values={})
    Ticket.objects.filter(lobby__in=lobbies, ending_code__in=CALLS_OFF).update(ending_values={})


def forget_old_reasons(now: dt.datetime) -> None:
    """Forget the reasons in lobbies that are kept longer. Tickets are deleted after that time."""
    _with_reason().filter(closed_at__lt=now - REASONS_KEPT).update(ending_values={})


def _with_reason() -> QuerySet[Lobby]:
    return Lobby.objects.filter(ending_code__in=CALLS_OFF).exclude(ending_values={})
