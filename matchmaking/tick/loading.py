"""Who waits in a queue, loaded in the matcher's columns."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from math import inf
from operator import itemgetter
from typing import Any

import numpy as np
from django.db import connection

from leaderboards.models import Blocking
from matchmaking import lifecycle
from matchmaking.matcher.pool import Ints, Pool
from matchmaking.matcher.widening import Floats
from matchmaking.models import Queue, TicketMember
from ranking.models import Participation

_COLUMNS = (
    "ticket_id", "player_id", "strength", "display_hundredths", "percentile", "width", "strict", "ticket__queued_at",
    "ticket__waiting_since", "ticket__waited", "ticket__pings",
)  # fmt: skip
# Columns instead of rows: for a hundred thousand players a quarter of the time.
_AGGREGATED = """
    SELECT array_agg(ticket_id), array_agg(player_id), array_agg(strength), array_agg(display_hundredths),
        array_agg(percentile), array_agg(width), array_agg(strict), array_agg(waited),
        '[' || coalesce(string_agg(pings, ','), '') || ']'
    FROM (
        SELECT member.ticket_id, member.player_id, member.strength, member.display_hundredths, member.percentile,
            member.width, member.strict,
            ticket.waited + greatest(0, extract(epoch FROM %s - ticket.waiting_since))::float8 AS waited,
            ticket.pings::text AS pings
        FROM matchmaking_ticket AS ticket JOIN matchmaking_ticketmember AS member ON member.ticket_id = ticket.id
        WHERE ticket.queue_id = %s AND ticket.state = 'waiting'
        ORDER BY ticket.queued_at, ticket.id, member.player_id
    ) AS line
"""


@dataclass(frozen=True, slots=True, eq=False)
class LoadedQueue:
    """`pool`: the matcher's columns; beside its players `player` (ids) and `hundredths` (display ratings)."""

    pool: Pool
    player: Ints
    hundredths: Ints

    def __len__(self) -> int:
        return len(self.pool)


@dataclass(frozen=True, slots=True)
class _Rows:
    """A column of each, by player; `pings` as tickets have them."""

    ticket: Sequence[int] = ()
    player: Sequence[int] = ()
    strength: Sequence[float] = ()
    hundredths: Sequence[int] = ()
    percentile: Sequence[int] = ()
    width: Sequence[int] = ()
    strict: Sequence[bool] = ()
    waited: Sequence[float] = ()
    pings: Sequence[Mapping[str, float]] = ()


def load_queue(queue: Queue, now: dt.datetime, regions: Sequence[str]) -> LoadedQueue:
    """The tickets that wait, oldest first: three queries. `regions`: those where matches can be played, beside the
    ones that tickets name; a ticket that names none is good for all."""
    rows = _aggregated(queue, now) if connection.vendor == "postgresql" else _row_by_row(queue, now)
    ticket = np.array(rows.ticket, np.int64)
    first = np.flatnonzero(np.diff(ticket, prepend=-1))
    size = np.diff(first, append=len(ticket))
    heads = first.tolist()
    owner = dict(zip(rows.player, np.repeat(np.arange(len(first)), size).tolist(), strict=True))
    names, pings = _pings([rows.pings[head] for head in heads], regions)
    recents, recent_at = _recents(queue, now, owner)
    players = list(map(str, rows.player))
    pool = Pool(
        ids=tuple(map(str, ticket[first].tolist())),
        players=tuple([tuple(players[start:end]) for start, end in pairwise([*heads, len(players)])]),
        regions=names,
        first=first,
        size=size,
        strength=np.array(rows.strength, float),
        percentile=np.array(rows.percentile, float),
        width=np.array(rows.width, float),
        strict=np.array(rows.strict, np.bool_),
        waited=np.array(rows.waited, float),
        pings=pings,
        blocks=_blocks(queue, owner),
        recents=recents,
        recent_at=recent_at,
    )
    return LoadedQueue(pool, np.array(rows.player, np.int64), np.array(rows.hundredths, np.int64))


def _aggregated(queue: Queue, now: dt.datetime) -> _Rows:
    with connection.cursor() as cursor:
        cursor.execute(_AGGREGATED, [now, queue.pk])
        columns: list[Any] = list(cursor.fetchone())
    columns[-1] = json.loads(columns[-1])
    return _Rows(*columns) if columns[0] else _Rows()


def _row_by_row(queue: Queue, now: dt.datetime) -> _Rows:
    rows: Any = TicketMember.objects.filter(ticket__queue=queue, ticket__state=lifecycle.WAITING)
    found = list(rows.order_by("ticket__queued_at", "ticket_id", "player_id").values_list(*_COLUMNS))
    waited = [row[9] + max(0.0, (now - row[8]).total_seconds()) for row in found]
    columns: list[Any] = list(zip(*found, strict=True))
    columns[7:10] = [waited]
    return _Rows(*columns) if found else _Rows()


def _pings(given: Sequence[Mapping[str, float]], regions: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
    """The regions there are, and tickets × regions, infinite where one isn't good."""
    names = tuple(sorted({*regions, *chain.from_iterable(given)})) or ("",)
    columns = [[pings.get(name, inf) for pings in given] for name in names]
    table: Floats = np.array(columns, float).reshape(len(names), len(given)).T.copy()
    table[[number for number, pings in enumerate(given) if not pings]] = 0.0
    return names, table


def _blocks(queue: Queue, owner: Mapping[int, int]) -> Ints:
    """Pairs of tickets of which somebody blocks somebody."""
    here = TicketMember.objects.filter(ticket__queue=queue, ticket__state=lifecycle.WAITING).values("player")
    rows = Blocking.objects.filter(blocker__in=here, blocked__in=here).values_list("blocker", "blocked")
    pairs = [(owner[one], owner[other]) for one, other in rows if one in owner and other in owner]
    return np.array([pair for pair in pairs if pair[0] != pair[1]], np.int64).reshape(-1, 2)


def _recents(queue: Queue, now: dt.datetime, owner: Mapping[int, int]) -> tuple[Ints, Floats]:
    """Pairs of tickets of which somebody's last match in the mode was against somebody, and when it ended."""
    here = TicketMember.objects.filter(ticket__queue=queue, ticket__state=lifecycle.WAITING).values("player")
    since = now - dt.timedelta(seconds=queue.rematch_after)
    parts = Participation.objects.filter(match__mode=queue.mode_id, match__ended_at__gt=since, player__in=here)
    rows: Any = parts.order_by("match__ended_at", "match_id").values_list(
        "match_id", "player_id", "team", "match__ended_at"
    )
    found = [row for row in rows if row[1] in owner]
    last = {player: match for match, player, _, _ in found}
    pairs: list[tuple[int, int]] = []
    moments: list[float] = []
    for match, rows_of in groupby(found, itemgetter(0)):
        parts_of = list(rows_of)
        for _, player, team, ended_at in parts_of:
            if last[player] != match:
                continue
            for _, other, their_team, _ in parts_of:
                if their_team != team and owner[player] != owner[other]:
                    pairs.append((owner[player], owner[other]))
                    moments.append(ended_at.timestamp())
    return np.array(pairs, np.int64).reshape(-1, 2), np.array(moments, float)
