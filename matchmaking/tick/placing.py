"""No more lobbies than idle servers: which regions count, how many of those who wait, and where each lobby goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf

from matchmaking.matcher.pool import Ints, Pool
from matchmaking.matcher.tickets import Proposal
from matchmaking.servers import ANYWHERE

Find = Callable[[Pool], list[Proposal]]


def find_hosted_matches(pool: Pool, idle: Mapping[str, int], players: int, find: Find) -> list[Proposal]:
    """Proposals that there are servers for. Where these are few, only as many of the oldest tickets are looked at as
    they need, so that nobody younger takes a place that an older one could have."""
    places = sum(max(0, count) for count in idle.values())
    if not places:
        return []
    pool = _where_idle(pool, idle)
    count = places * players
    while count < len(pool):
        proposals = _placed(pool, find(_oldest(pool, count)), idle)
        if len(proposals) >= places:
            return proposals
        count *= 2
    return _placed(pool, find(pool), idle)


def _where_idle(pool: Pool, idle: Mapping[str, int]) -> Pool:
    """The pool without the regions where no server is idle."""
    if idle.get(ANYWHERE, 0) > 0:
        return pool
    pings = pool.pings.copy()
    pings[:, [number for number, name in enumerate(pool.regions) if idle.get(name, 0) <= 0]] = inf
    return replace(pool, pings=pings)


def _oldest(pool: Pool, count: int) -> Pool:
    """The pool of the first tickets in line."""
    members = int(pool.first[count])
    kept = pool.recents.max(1, initial=-1) < count
    return replace(
        pool,
        ids=pool.ids[:count],
        players=pool.players[:count],
        first=pool.first[:count],
        size=pool.size[:count],
        strength=pool.strength[:members],
        percentile=pool.percentile[:members],
        width=pool.width[:members],
        strict=pool.strict[:members],
        waited=pool.waited[:members],
        pings=pool.pings[:count],
        blocks=_within(pool.blocks, count),
        recents=pool.recents[kept],
        recent_at=pool.recent_at[kept],
    )


def _within(pairs: Ints, count: int) -> Ints:
    kept: Ints = pairs[pairs.max(1, initial=-1) < count]
    return kept


def _placed(pool: Pool, proposals: Sequence[Proposal], idle: Mapping[str, int]) -> list[Proposal]:
    """As many of these as there are servers for, each in the best region of its players that has one left."""
    index = {name: number for number, name in enumerate(pool.ids)}
    left, found = dict(idle), []
    for proposal in proposals:
        worst = pool.pings[[index[ticket] for ticket in proposal.tickets]].max(0).tolist()
        for ping, region in sorted(zip(worst, pool.regions, strict=True)):
            place = region if left.get(region, 0) > 0 else ANYWHERE
            if ping < inf and left.get(place, 0) > 0:
                left[place] -= 1
                found.append(replace(proposal, region=region))
                break
    return found
