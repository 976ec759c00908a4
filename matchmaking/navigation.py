"""What every page's header leads to, read in one statement: boards, whether there is a queue, and where one waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, Subquery, Value
from django.db.models.fields import CharField

from matchmaking import lives
from matchmaking.models import Queue, TicketMember
from ranking.models import Mode


@dataclass(frozen=True, slots=True)
class Live:
    """The viewer's live ticket: in the queue of `mode`, or in the lobby of this key."""

    mode: Mode
    state: str
    lobby: str | None

    @property
    def waits(self) -> bool:
        return self.state == lives.WAITING

    @property
    def found(self) -> bool:
        return self.state == lives.MATCHED


@dataclass(frozen=True, slots=True)
class Navigation:
    """`boards`: ranked modes by name; `plays`: somewhere one can queue."""

    boards: Sequence[Mode]
    plays: bool
    live: Live | None


def find_navigation(user: Any) -> Navigation:
    """What the header shows to an account: one query."""
    queued = Exists(Queue.objects.filter(mode=OuterRef("pk")))
    rows: Any = Mode.objects.annotate(queued=queued).filter(Q(ranked=True) | Q(queued=True))
    rows = rows.only("slug", "name", "ranked").order_by("name", "id")
    if isinstance(user, AnonymousUser) or not user.is_authenticated:
        nothing = Value(None, output_field=CharField())
        rows = rows.annotate(live_state=nothing, live_lobby=nothing)
    else:
        own = TicketMember.objects.filter(player__user=user.pk, live=True, ticket__queue__mode=OuterRef("pk"))
        rows = rows.annotate(
            live_state=Subquery(own.values("ticket__state")[:1]), live_lobby=Subquery(own.values("ticket__lobby")[:1])
        )
    modes = list(rows)
    live = next((Live(mode, mode.live_state, mode.live_lobby) for mode in modes if mode.live_state), None)
    return Navigation([mode for mode in modes if mode.ranked], any(mode.queued for mode in modes), live)
