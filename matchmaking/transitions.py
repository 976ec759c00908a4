"""Steps in the lives of tickets and lobbies, as conditional updates."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from matchmaking import lifecycle
from matchmaking.models import Lobby, Ticket, TicketMember

AT_ONCE = 5_000


def transition_lobby(lobby: Lobby, to: str, **changes: Any) -> bool:
    """Take a step; False where the lobby isn't in a state from which there is one."""
    if to in lifecycle.LOBBY.ends:
        changes.setdefault("closed_at", changes.pop("now"))
    rows = Lobby.objects.filter(pk=lobby.pk, state__in=lifecycle.LOBBY.sources(to))
    moved = rows.update(state=to, **changes)
    if moved:
        lobby.state = to
        for name, value in changes.items():
            setattr(lobby, name, value)
    return bool(moved)


@transaction.atomic
def end_tickets(tickets: QuerySet[Ticket], to: str, *, ending: str, now: dt.datetime) -> list[int]:
    """End those of these tickets that may; their ids. Their players may queue again.

    Tickets that another process is just changing are waited for, in the order of their ids.
    """
    rows = tickets.filter(state__in=lifecycle.TICKET.sources(to)).order_by("id").select_for_update(of=("self",))
    return _end([ticket.pk for ticket in rows.only("id")], to, ending, now)


@transaction.atomic
def end_free_tickets(tickets: QuerySet[Ticket], to: str, *, ending: str, now: dt.datetime) -> list[int]:
    """The same, leaving alone what another process is just changing, and no more than AT_ONCE."""
    rows = tickets.filter(state__in=lifecycle.TICKET.sources(to)).order_by("id")
    free = rows.select_for_update(of=("self",), skip_locked=True).only("id")[:AT_ONCE]
    return _end([ticket.pk for ticket in free], to, ending, now)


def _end(ids: list[int], to: str, ending: str, now: dt.datetime) -> list[int]:
    if ids:
        Ticket.objects.filter(pk__in=ids).update(state=to, ended_at=now, ending=ending)
        TicketMember.objects.filter(ticket__in=ids).update(live=False)
    return ids


def requeue_tickets(tickets: Collection[Ticket], now: dt.datetime) -> None:
    """Return matched tickets, locked by the caller, to their queue with the time that they have waited."""
    for ticket in tickets:
        ticket.waited = ticket.waited_at(now)
        ticket.state, ticket.waiting_since = lifecycle.WAITING, now
        ticket.lobby = ticket.team = ticket.matched_at = None
    Ticket.objects.bulk_update(tickets, ["state", "waited", "waiting_since", "lobby", "team", "matched_at"])
    TicketMember.objects.filter(ticket__in=tickets).update(seen_at=None, accepted_at=None)
