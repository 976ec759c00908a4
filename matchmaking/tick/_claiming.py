"""Claims the tickets of a tick's lobbies with one conditional update."""

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

Claim = tuple[int, str, int]  # a ticket's id, its lobby's key, the index of its team there


def claim_tickets(claims: Sequence[Claim], now: dt.datetime) -> set[str]:
    """Take these tickets out of the queue for their lobbies. Returns the keys of lobbies that lack a ticket.

    The other tickets of such a lobby wait on as if nothing had happened.
    """
    if not claims or _claim(claims, now) == len(claims):
        return set()
    return _undo(claims)


def _claim(claims: Sequence[Claim], now: dt.datetime) -> int:
    """Update the tickets that still wait. Returns how many did."""
    values: list[Any]
    if connection.vendor == "postgresql":
        lists = [",".join(map(str, column)) for column in zip(*claims, strict=True)]
        statement, values = f"{_SET}{_POSTGRESQL}{_WHERE}", [lifecycle.MATCHED, now, *lists]
    else:
        moment = connection.ops.adapt_datetimefield_value(now)
        statement, values = f"{_SET}{_SQLITE}{_WHERE}", [lifecycle.MATCHED, moment, json.dumps(claims)]
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, lifecycle.WAITING])
        return int(cursor.rowcount)


def _undo(claims: Sequence[Claim]) -> set[str]:
    """Put back the claimed tickets of lobbies that lack a ticket. Returns the keys of these lobbies."""
    lobbies = {ticket: lobby for ticket, lobby, _ in claims}
    claimed: set[int] = set()
    for tickets in _batches(list(lobbies)):
        rows = Ticket.objects.filter(pk__in=tickets, state=lifecycle.MATCHED).values_list("pk", "lobby_id")
        claimed |= {ticket for ticket, lobby in rows if lobby == lobbies[ticket]}
    failed = {lobby for ticket, lobby in lobbies.items() if ticket not in claimed}
    for tickets in _batches([ticket for ticket in claimed if lobbies[ticket] in failed]):
        Ticket.objects.filter(pk__in=tickets).update(state=lifecycle.WAITING, matched_at=None, lobby=None, team=None)
    return failed


def _batches(tickets: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(tickets), _AT_ONCE):
        yield tickets[start : start + _AT_ONCE]
