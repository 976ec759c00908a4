"""Operators' actions: close a lobby, end a ticket. Each is noted in the audit log with its reason."""

from __future__ import annotations

import datetime as dt

from django.contrib.auth.models import User
from django.db import transaction

from matchmaking import lifecycle
from matchmaking.lobbies.aborting import call_off, called_off
from matchmaking.lobbies.accepting import fall_through, lock_lobby
from matchmaking.models import Lobby, Ticket
from matchmaking.transitions import Ending, end_tickets
from matchmaking.wording import CALLED_OFF_BY_MODERATOR
from ranking.database.retries import retried
from ranking.operations import audit


@retried
@transaction.atomic
def close_lobby(lobby: Lobby, *, by: User | None, reason: str, note: str = "", now: dt.datetime) -> bool:
    """Call a lobby's match off. Before it began, players go back to the queue. Nobody's rating changes.

    Its players read `reason`. False if the lobby is over already. Raises ValueError without a reason.
    """
    locked, ending = lock_lobby(lobby.pk), called_off(reason, CALLED_OFF_BY_MODERATOR)
    if locked.state == lifecycle.ACCEPTING:
        closed = fall_through(locked, lifecycle.CANCELLED, ending, {}, now)
    else:
        closed = call_off(locked, ending, now)
    if closed:
        audit.record_act("close lobby", f"lobby {locked.pk}", by=by, reason=reason, note=note, now=now)
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
