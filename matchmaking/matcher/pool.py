"""Waiting tickets as columns, oldest first: everywhere in the matcher index 0 is the oldest ticket."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from matchmaking.matcher.tickets import MatchRules, Member, WaitingTicket
from matchmaking.matcher.widening import Floats, widths_at

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Columns of tickets, and of their players in the order of the tickets.

    By ticket: `ids`, `players`, `first` (the index of its first player), `size` and `pings` (× regions; infinite if a
    region isn't good for the ticket). By player: `strength`, `percentile`, `width`, `strict` and `waited`. `blocks` and
    `recents` are pairs of tickets, with the end of the match (`recent_at`) and whether it was a re-match (`again`).
    """

    ids: tuple[str, ...]
    players: tuple[tuple[str, ...], ...]
    regions: tuple[str, ...]
    first: Ints
    size: Ints
    strength: Floats
    percentile: Floats
    width: Floats
    strict: Bools
    waited: Floats
    pings: Floats
    blocks: Ints
    recents: Ints
    recent_at: Floats
    again: Bools

    def __len__(self) -> int:
        return len(self.ids)


def make_pool(tickets: Iterable[WaitingTicket]) -> Pool:
    """The pool of these tickets; raises ValueError if a player waits twice or a ticket is empty."""
    line = sorted(tickets, key=lambda ticket: (ticket.queued_at, ticket.id))
    members = list(chain.from_iterable(ticket.members for ticket in line))
    players = tuple(member.player for member in members)
    size = np.array([len(ticket.members) for ticket in line], np.int64)
    if len(set(players)) < len(players):
        raise ValueError("A player waits on two tickets at once.")
    if len(line) and not size.all():
        raise ValueError("A ticket has no players.")
    owner = dict(zip(players, np.repeat(np.arange(len(line)), size).tolist(), strict=True))
    regions = tuple(sorted({region for ticket in line for region in ticket.pings}))
    recents = [
        (owner[member.player], owner[other], at, other in member.twice)
        for member in members
        for other, at in member.recent
        if owner.get(other, owner[member.player]) != owner[member.player]
    ]
    return Pool(
        ids=tuple(ticket.id for ticket in line),
        players=tuple(tuple(member.player for member in ticket.members) for ticket in line),
        regions=regions,
        first=np.cumsum(size) - size,
        size=size,
        strength=_column(members, "strength"),
        percentile=_column(members, "percentile"),
        width=_column(members, "width"),
        strict=np.array([member.strict for member in members], np.bool_),
        waited=_column(members, "waited"),
        pings=np.array([[ticket.pings.get(region, np.inf) for region in regions] for ticket in line], float).reshape(
            len(line), len(regions)
        ),
        blocks=_pairs(
            (owner[member.player], owner[other])
            for member in members
            for other in member.blocked
            if owner.get(other, owner[member.player]) != owner[member.player]
        ),
        recents=_pairs((one, other) for one, other, *_ in recents),
        recent_at=np.array([at for _, _, at, _ in recents], float),
        again=np.array([again for *_, again in recents], np.bool_),
    )


def part_of(pool: Pool, kept: Bools) -> Pool:
    """The pool with only these tickets; `kept` is a mask."""
    members = np.repeat(kept, pool.size)
    place = np.cumsum(kept) - 1
    met = kept[pool.recents].all(1)
    there, size = np.flatnonzero(kept).tolist(), pool.size[kept]
    return Pool(
        ids=tuple([pool.ids[ticket] for ticket in there]),
        players=tuple([pool.players[ticket] for ticket in there]),
        regions=pool.regions,
        first=np.cumsum(size) - size,
        size=size,
        strength=pool.strength[members],
        percentile=pool.percentile[members],
        width=pool.width[members],
        strict=pool.strict[members],
        waited=pool.waited[members],
        pings=pool.pings[kept],
        blocks=place[pool.blocks[kept[pool.blocks].all(1)]],
        recents=place[pool.recents[met]],
        recent_at=pool.recent_at[met],
        again=pool.again[met],
    )


def _column(members: Sequence[Member], name: str) -> Floats:
    return np.array([getattr(member, name) for member in members], float)


def _pairs(pairs: Iterable[tuple[int, int]]) -> Ints:
    return np.array(list(pairs), np.int64).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Tickets at one time, as columns for the search.

    `low` and `high`: the members' percentiles; `floor` and `ceiling`: the hull of their windows; `strength`: their sum;
    `weakest` and `strongest`: the strength of one member; `apart`: pairs never on one team; `together`: pairs never on
    opposite teams.
    """

    size: Ints
    strength: Floats
    weakest: Floats
    strongest: Floats
    low: Floats
    high: Floats
    floor: Floats
    ceiling: Floats
    waited: Floats
    pings: Floats
    regions: Ints  # a bit for each
    apart: Ints
    together: Ints

    def __len__(self) -> int:
        return len(self.size)


def units_at(pool: Pool, rules: MatchRules, now: float) -> Units:
    """The pool's units at `now` (epoch seconds); raises ValueError for more than 62 regions."""
    if len(pool.regions) > 62:
        raise ValueError(f"The matcher knows 62 regions at most, not {len(pool.regions)}.")
    half = widths_at(pool.width, pool.strict, pool.waited, rules.widen_every)
    at, rated = pool.first, pool.percentile
    return Units(
        size=pool.size,
        strength=np.add.reduceat(pool.strength, at),
        weakest=np.minimum.reduceat(pool.strength, at),
        strongest=np.maximum.reduceat(pool.strength, at),
        low=np.minimum.reduceat(rated, at),
        high=np.maximum.reduceat(rated, at),
        floor=np.minimum.reduceat(rated - half, at),
        ceiling=np.maximum.reduceat(rated + half, at),
        waited=np.maximum.reduceat(pool.waited, at),
        pings=pool.pings,
        regions=(np.isfinite(pool.pings) * (1 << np.arange(len(pool.regions), dtype=np.int64))).sum(1, dtype=np.int64),
        apart=pool.blocks,
        together=pool.recents[
            now - pool.recent_at < np.where(pool.again, rules.pause_of(again=True), rules.pause_of(again=False))
        ],
    )
