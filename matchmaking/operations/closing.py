"""What operators do by hand, each with a reason in the audit log: close a lobby, take a ticket out of its queue."""

from __future__ import annotations

import datetime as dt

from django.contrib.auth.models import User
from django.db import transaction

from matchmaking import lifecycle
from matchmaking.lobbies.accepting import close_played, fall_through, lock_lobby
from matchmaking.models import Lobby, Ticket
from matchmaking.transitions import end_tickets, transition_lobby
from ranking.operations import audit


@transaction.atomic
def close_lobby(lobby: Lobby, *, by: User | None, reason: str, now: dt.datetime) -> bool:
    """Close a lobby: players go back to the queue, or, where the match runs, it is lost; nobody's rating changes.

    False where it is over already. Raises ValueError without a reason.
    """
    held = lock_lobby(lobby.pk)
    if held.state == lifecycle.LIVE:
        closed = transition_lobby(held, lifecycle.LOST, now=now, ending="Closed by hand.")
        if closed:
            close_played([held], "The match was closed by hand; nothing changes.", now)
    else:
        closed = fall_through(held, lifecycle.CANCELLED, "Closed by hand.", {}, now)
    if closed:
        audit.record_act("close lobby", f"lobby {held.pk}", by=by, reason=reason, now=now)
    return closed


@transaction.atomic
def end_ticket(ticket: Ticket, *, by: User | None, reason: str, now: dt.datetime) -> bool:
    """Take a waiting ticket out of its queue; False where it doesn't wait. Raises ValueError without a reason."""
    waiting = Ticket.objects.filter(pk=ticket.pk, state=lifecycle.WAITING)
    ended = end_tickets(waiting, lifecycle.CANCELLED, ending="A moderator took you out of the queue.", now=now)
    if ended:
        audit.record_act("end ticket", f"ticket {ticket.pk} in {ticket.queue}", by=by, reason=reason, now=now)
    return bool(ended)
