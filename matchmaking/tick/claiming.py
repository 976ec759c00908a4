"""Claiming tickets for lobbies: one conditional update for all of a tick."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection

from matchmaking import lifecycle
from matchmaking.models import Ticket

_SET = "UPDATE matchmaking_ticket SET state = %s, matched_at = %s, lobby_id = claim.lobby, team = claim.team FROM "
_WHERE = " WHERE matchmaking_ticket.id = claim.id AND matchmaking_ticket.state = %s"
_LIST = "string_to_array(%s, ',')"  # quicker to write than an array
_POSTGRESQL = f"unnest({_LIST}::bigint[], {_LIST}, {_LIST}::smallint[]) AS claim (id, lobby, team)"
_SQLITE = (
    "(SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS lobby,"
    " json_extract(value, '$[2]') AS team FROM json_each(%s)) AS claim"
)
_AT_ONCE = 10_000  # parameters of a statement

Claim = tuple[int, str, int]  # a ticket, its lobby's key, its team there


def claim_tickets(claims: Sequence[Claim], now: dt.datetime) -> set[str]:
    """Take these tickets out of the queue for their lobbies; the keys of the lobbies that don't get all of theirs,
    whose others wait on as though nothing had been."""
    if not claims or _claim(claims, now) == len(claims):
        return set()
    return _undo(claims)


def _claim(claims: Sequence[Claim], now: dt.datetime) -> int:
    """How many of them were still there."""
    said: list[Any]
    if connection.vendor == "postgresql":
        lists = [",".join(map(str, column)) for column in zip(*claims, strict=True)]
        statement, said = f"{_SET}{_POSTGRESQL}{_WHERE}", [lifecycle.MATCHED, now, *lists]
    else:
        moment = connection.ops.adapt_datetimefield_value(now)
        statement, said = f"{_SET}{_SQLITE}{_WHERE}", [lifecycle.MATCHED, moment, json.dumps(claims)]
    with connection.cursor() as cursor:
        cursor.execute(statement, [*said, lifecycle.WAITING])
        return int(cursor.rowcount)


def _undo(claims: Sequence[Claim]) -> set[str]:
    wanted = {ticket: lobby for ticket, lobby, _ in claims}
    taken: set[int] = set()
    for tickets in _parts(list(wanted)):
        rows = Ticket.objects.filter(pk__in=tickets, state=lifecycle.MATCHED).values_list("pk", "lobby_id")
        taken |= {ticket for ticket, lobby in rows if lobby == wanted[ticket]}
    failed = {lobby for ticket, lobby in wanted.items() if ticket not in taken}
    for tickets in _parts([ticket for ticket in taken if wanted[ticket] in failed]):
        Ticket.objects.filter(pk__in=tickets).update(state=lifecycle.WAITING, matched_at=None, lobby=None, team=None)
    return failed


def _parts(tickets: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(tickets), _AT_ONCE):
        yield tickets[start : start + _AT_ONCE]
