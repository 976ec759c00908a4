"""Operators' actions: close a lobby, end a ticket. Each is noted in the audit log with its reason."""

from __future__ import annotations

import datetime as dt

from django.contrib.auth.models import User
from django.db import transaction

from matchmaking import lifecycle
from matchmaking.lobbies.accepting import close_played, fall_through, lock_lobby
from matchmaking.lobbies.silence import record_unreported
from matchmaking.models import Lobby, Ticket
from matchmaking.transitions import Ending, end_tickets, transition_lobby
from ranking.database.retries import retried
from ranking.operations import audit


@retried
@transaction.atomic
def close_lobby(lobby: Lobby, *, by: User | None, reason: str, now: dt.datetime) -> bool:
    """Close a lobby. A running match is lost; before that, players go back to the queue. Nobody's rating changes.

    False if the lobby is over already. Raises ValueError without a reason.
    """
    locked = lock_lobby(lobby.pk)
    if locked.state == lifecycle.LIVE:
        closed = transition_lobby(locked, lifecycle.LOST, now=now, **Ending("by-hand").fields)
        if closed:
            close_played([locked], Ending("match-closed"), now)
            record_unreported(locked)
    else:
        closed = fall_through(locked, lifecycle.CANCELLED, Ending("by-hand"), {}, now)
    if closed:
        audit.record_act("close lobby", f"lobby {locked.pk}", by=by, reason=reason, now=now)
    return closed


@retried
@transaction.atomic
def end_ticket(ticket: Ticket, *, by: User | None, reason: str, now: dt.datetime) -> bool:
    """End a waiting ticket. False if it doesn't wait. Raises ValueError without a reason."""
    waiting = Ticket.objects.filter(pk=ticket.pk, state=lifecycle.WAITING)
    ended = end_tickets(waiting, lifecycle.CANCELLED, ending=Ending("moderator"), now=now)
    if ended:
        audit.record_act("end ticket", f"ticket {ticket.pk} in {ticket.queue}", by=by, reason=reason, now=now)
    return bool(ended)
