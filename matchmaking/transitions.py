"""Transitions of tickets and lobbies from state to state, as conditional updates."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from matchmaking import lifecycle
from matchmaking.models import Lobby, Ticket, TicketMember
from matchmaking.wording import RESTRICTED
from ranking.models import Mode
from ranking.moderation.eligibility import Restriction

AT_ONCE = 5_000  # tickets that `end_free_tickets` ends in one call


@dataclass(frozen=True, slots=True)
class Ending:
    """How a ticket or a lobby ended: a code of matchmaking.wording, and the values in its sentence (as JSON)."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a row that hold it."""
        return {"ending_code": self.code, "ending_values": dict(self.values)}


NO_ENDING = Ending("")


def ending_of(restriction: Restriction, mode: Mode | None = None) -> Ending:
    """The ending of a ticket whose player may not queue any more; in `mode`, or in any."""
    about = {"mode": mode.stored_name} if mode is not None else {}
    return Ending(RESTRICTED, {**about, "case": restriction.case, "values": dict(restriction.values)})


def transition_lobby(lobby: Lobby, to: str, **changes: object) -> bool:
    """Move a lobby to the state `to`. False if there is no transition from its present state."""
    if to in lifecycle.LOBBY.ends:
        changes.setdefault("closed_at", changes.pop("now"))
    rows = Lobby.objects.filter(pk=lobby.pk, state__in=lifecycle.LOBBY.sources(to))
    count = rows.update(state=to, **changes)
    if count:
        lobby.state = to
        for name, value in changes.items():
            setattr(lobby, name, value)
    return bool(count)


@transaction.atomic
def end_tickets(tickets: QuerySet[Ticket], to: str, *, ending: Ending, now: dt.datetime) -> list[int]:
    """End these tickets, if there is a transition from their state. Returns the ids of those that ended.

    Their players may queue again. Tickets that another process is changing are waited for, in the order of their ids.
    """
    rows = tickets.filter(state__in=lifecycle.TICKET.sources(to)).order_by("id").select_for_update(of=("self",))
    return _end([ticket.pk for ticket in rows.only("id")], to, ending, now)


@transaction.atomic
def end_free_tickets(tickets: QuerySet[Ticket], to: str, *, ending: Ending, now: dt.datetime) -> list[int]:
    """End these tickets like `end_tickets`, but skip those that another process is changing; AT_ONCE at most."""
    rows = tickets.filter(state__in=lifecycle.TICKET.sources(to)).order_by("id")
    free = rows.select_for_update(of=("self",), skip_locked=True).only("id")[:AT_ONCE]
    return _end([ticket.pk for ticket in free], to, ending, now)


def _end(ids: list[int], to: str, ending: Ending, now: dt.datetime) -> list[int]:
    if ids:
        Ticket.objects.filter(pk__in=ids).update(state=to, ended_at=now, **ending.fields)
        TicketMember.objects.filter(ticket__in=ids).update(live=False)
    return ids


def requeue_tickets(tickets: Collection[Ticket], now: dt.datetime) -> None:
    """Return matched tickets, which the caller has locked, to their queue. They keep the time that they have waited."""
    for ticket in tickets:
        ticket.waited = ticket.waited_at(now)
        ticket.state, ticket.waiting_since = lifecycle.WAITING, now
        ticket.lobby = ticket.team = ticket.matched_at = None
    Ticket.objects.bulk_update(tickets, ["state", "waited", "waiting_since", "lobby", "team", "matched_at"])
    TicketMember.objects.filter(ticket__in=tickets).update(seen_at=None, accepted_at=None)
