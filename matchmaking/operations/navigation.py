"""Loads the navigation in every page's header in one query: boards, whether one can queue, the viewer's live ticket."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import BigIntegerField, CharField, Exists, OuterRef, Q, Subquery, Value

from matchmaking import lifecycle
from matchmaking.models import Queue, TicketMember
from ranking.database.microseconds import Microseconds, moment_at
from ranking.database.prepared_queries import Placeholder, Prepared, prepare
from ranking.models import Mode

_MODE = ("id", "slug", "name", "names", "ranked")


@dataclass(frozen=True, slots=True)
class LiveTicket:
    """The viewer's live ticket: in the queue of `mode`, or in a lobby (its key).

    `accept_until`: when the time to accept is over; None if there is nothing to accept, or the viewer has accepted.
    """

    mode: Mode
    state: str
    lobby: str | None
    accept_until: dt.datetime | None

    @property
    def waits(self) -> bool:
        return self.state == lifecycle.WAITING

    @property
    def found(self) -> bool:
        return self.state == lifecycle.MATCHED

    @property
    def digest(self) -> str:
        """Everything that the bar shows, to find out whether it has changed."""
        return f"{self.mode.slug}-{self.state}{'-accept' if self.accept_until else ''}"


@dataclass(frozen=True, slots=True)
class Navigation:
    """The header's content. `boards`: ranked modes by name; `queues`: the ids of modes that have a queue."""

    boards: Sequence[Mode]
    queues: frozenset[int]
    live: LiveTicket | None

    @property
    def plays(self) -> bool:
        """True if there is a queue."""
        return bool(self.queues)


def find_navigation(user: Any) -> Navigation:
    """Return what the header shows to an account. One query."""
    known = user is not None and user.is_authenticated
    rows = _boards_and_own().rows(user=user.pk) if known else _boards().rows()
    modes = [(Mode.from_db("default", _MODE, row[: len(_MODE)]), *row[len(_MODE) :]) for row in rows]
    live = next((_live(mode, *own) for mode, _, *own in modes if own[0]), None)
    boards = [mode for mode, *_ in modes if mode.ranked]
    return Navigation(boards, frozenset(mode.pk for mode, queued, *_ in modes if queued), live)


def _live(mode: Mode, state: str, lobby: str | None, accept_until: int | None) -> LiveTicket:
    return LiveTicket(mode, state, lobby, None if accept_until is None else moment_at(accept_until))


@cache
def _boards() -> Prepared:
    nothing = Value(None, output_field=CharField())
    return _prepared(live_state=nothing, live_lobby=nothing, live_until=nothing)


@cache
def _boards_and_own() -> Prepared:
    account = Placeholder("user", BigIntegerField())
    own = TicketMember.objects.filter(player__user=account, live=True, ticket__queue__mode=OuterRef("pk"))
    until = own.filter(accepted_at=None).values(until=Microseconds("ticket__lobby__accept_until"))
    return _prepared(
        live_state=Subquery(own.values("ticket__state")[:1]),
        live_lobby=Subquery(own.values("ticket__lobby")[:1]),
        live_until=Subquery(until[:1]),
    )


def _prepared(**live: object) -> Prepared:
    queued = Exists(Queue.objects.filter(mode=OuterRef("pk")))
    rows = Mode.objects.annotate(queued=queued, **live).filter(Q(ranked=True) | Q(queued=True)).order_by("name", "id")
    return prepare(rows.values_list(*_MODE, "queued", "live_state", "live_lobby", "live_until"))
