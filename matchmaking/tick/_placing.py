"""Forms no more lobbies than there are idle servers, and chooses each lobby's region.

Only regions with an idle server count. If servers are few, only as many of the oldest tickets are matched as needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np

from matchmaking.matcher.pool import Pool, part_of
from matchmaking.matcher.tickets import Proposal
from matchmaking.servers import ANYWHERE

Find = Callable[[Pool], list[Proposal]]


def find_hosted_matches(pool: Pool, idle: Mapping[str, int], players: int, find: Find) -> list[Proposal]:
    """Find proposals for which there are servers. `find`: the matcher; `players`: of a match; `idle`: by region.

    If servers are few, the matcher sees only as many of the oldest tickets as it needs, so that no younger ticket takes
    a server that an older one could have.
    """
    places = sum(max(0, count) for count in idle.values())
    if not places:
        return []
    pool = _where_idle(pool, idle)
    count = places * players
    while count < len(pool):
        proposals = _placed(pool, find(part_of(pool, np.arange(len(pool)) < count)), idle)
        if len(proposals) >= places:
            return proposals
        count *= 2
    return _placed(pool, find(pool), idle)


def _where_idle(pool: Pool, idle: Mapping[str, int]) -> Pool:
    """The pool with only those regions that have an idle server."""
    if idle.get(ANYWHERE, 0) > 0:
        return pool
    pings = pool.pings.copy()
    pings[:, [number for number, name in enumerate(pool.regions) if idle.get(name, 0) <= 0]] = inf
    return replace(pool, pings=pings)


def _placed(pool: Pool, proposals: Sequence[Proposal], idle: Mapping[str, int]) -> list[Proposal]:
    """As many of these proposals as there are servers for, each in its players' best region that has one left."""
    index = {name: number for number, name in enumerate(pool.ids)}
    left, placed = dict(idle), []
    for proposal in proposals:
        worst = pool.pings[[index[ticket] for ticket in proposal.tickets]].max(0).tolist()
        for ping, region in sorted(zip(worst, pool.regions, strict=True)):
            place = region if left.get(region, 0) > 0 else ANYWHERE
            if ping < inf and left.get(place, 0) > 0:
                left[place] -= 1
                placed.append(replace(proposal, region=region))
                break
    return placed
