"""Reads ticket files: waiting players as JSON, for measuring the matcher without a site.

`{"meta": {"now": s}, "tickets": [{"id", "player", "rating", "percentile", "party", "regions", "ping", "ping_limit",
"joined_at", "filter": {"kind", "width"}, "avoid", "recent"}, …]}`, one entry a player; the players of a party share
`party`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from matchmaking.matcher.tickets import Member, WaitingTicket

Fields = Mapping[str, Any]


def read_tickets(document: Fields) -> tuple[list[WaitingTicket], float]:
    """The tickets of a file and the time of its queue; raises KeyError or TypeError for another format."""
    now = float(document["meta"]["now"])
    parties: dict[str, list[Fields]] = defaultdict(list)
    for fields in document["tickets"]:
        parties[fields["party"] or fields["id"]].append(fields)
    return [_ticket(name, members, now) for name, members in parties.items()], now


def _ticket(name: str, members: Sequence[Fields], now: float) -> WaitingTicket:
    members = sorted(members, key=lambda fields: str(fields["player"]))
    good = set(members[0]["regions"]).intersection(*(fields["regions"] for fields in members))
    return WaitingTicket(
        id=name,
        members=tuple(_member(fields, now) for fields in members),
        queued_at=min(float(fields["joined_at"]) for fields in members),
        pings={
            region: float(max(fields["ping"][region] for fields in members))
            for region in good
            if all(fields["ping"][region] <= fields["ping_limit"] for fields in members)
        },
    )


def _member(fields: Fields, now: float) -> Member:
    return Member(
        player=fields["player"],
        strength=float(fields["rating"]),
        percentile=float(fields["percentile"]),
        width=float(fields["filter"]["width"]),
        strict=fields["filter"]["kind"] == "strict",
        waited=now - float(fields["joined_at"]),
        blocked=tuple(fields["avoid"]),
        recent=tuple((other, float(at)) for other, at in fields["recent"]),
    )
