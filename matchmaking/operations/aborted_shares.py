"""How many of their last matches servers called off, each server and all of a key's source together.

Calling matches off costs nobody rating, so a server could spare its players every loss. Moderators' aborts don't count.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Count, Q

from matchmaking import lifecycle
from matchmaking.models import Lobby
from matchmaking.wording import CALLED_OFF
from ranking.operations.violations import Violation

PERIOD = dt.timedelta(days=7)  # of the lobbies' forming
LATEST = 10_000  # lobbies that are counted, so that it stays quick
FEWEST, HIGH = 10, 0.2  # matches, and the share from which moderators are told
_ENDS = (lifecycle.FINISHED, lifecycle.LOST, lifecycle.ABORTED)


@dataclass(frozen=True, slots=True)
class AbortedShare:
    """`aborted` of `matches` that a server hosted, or that all servers of a source did (`server` None)."""

    source: str
    server: int | None
    name: str
    aborted: int
    matches: int

    @property
    def is_high(self) -> bool:
        return self.matches >= FEWEST and self.aborted >= HIGH * self.matches

    @property
    def text(self) -> str:
        return f"{self.aborted:,} of {self.matches:,}"


def find_shares(now: dt.datetime) -> list[AbortedShare]:
    """The shares of servers that hosted matches within PERIOD, by source and name. One query."""
    latest = Lobby.objects.filter(formed_at__gt=now - PERIOD, state__in=_ENDS, server__isnull=False)
    counted = Lobby.objects.filter(pk__in=latest.order_by("-formed_at", "-key").values("pk")[:LATEST])
    who = ("server__source__slug", "server", "server__name")
    called_off = Count("pk", filter=Q(state=lifecycle.ABORTED, ending_code=CALLED_OFF))
    groups = counted.values(*who).annotate(aborted=called_off, matches=Count("pk"))
    rows = groups.order_by("server__source__slug", "server__name").values_list(*who, "aborted", "matches")
    return [AbortedShare(*row) for row in rows]


def sum_up(shares: Iterable[AbortedShare]) -> list[AbortedShare]:
    """The shares of sources, of their servers' shares in order."""
    groups = [(source, list(own)) for source, own in groupby(shares, lambda share: share.source)]
    return [
        AbortedShare(source, None, "", sum(share.aborted for share in own), sum(share.matches for share in own))
        for source, own in groups
    ]


def high_shares(now: dt.datetime) -> Iterator[Violation]:
    """Servers and sources that called off a high share of their matches; see `manage.py doctor`."""
    servers = find_shares(now)
    for share in (*servers, *sum_up(servers)):
        if share.is_high:
            who = f"The servers of {share.source}" if share.server is None else f"Server {share.source} {share.name}"
            yield Violation(
                "server.aborts", f"{who.strip()} called off {share.text} matches within seven days.",
                "Under Lobbies in the admin, read why; if they spare players their losses, revoke the key.",
            )  # fmt: skip
