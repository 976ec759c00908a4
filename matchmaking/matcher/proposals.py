"""The search's columns as what the rest of the site reads."""

from __future__ import annotations

import numpy as np

from matchmaking.matcher.pool import Ints, Pool
from matchmaking.matcher.tickets import Proposal
from matchmaking.matcher.widening import Floats


def propose(pool: Pool, lobbies: Ints, sides: Ints, difference: Floats) -> list[Proposal]:
    """Lobbies as proposals, by their oldest ticket; teams in the order of theirs."""
    there = lobbies >= 0
    region = np.where(there[:, :, None], pool.pings[lobbies], 0.0).max(1).argmin(1)
    by_age = np.where(there, lobbies, len(pool)).argsort(1)
    lobbies, sides = np.take_along_axis(lobbies, by_age, 1), np.take_along_axis(sides, by_age, 1)
    columns = (lobbies.tolist(), sides.tolist(), there.sum(1).tolist(), region.tolist(), difference.tolist())
    return [_proposal(pool, *row) for row in sorted(zip(*columns, strict=True))]


def _proposal(pool: Pool, tickets: list[int], sides: list[int], count: int, region: int, gap: float) -> Proposal:
    teams: dict[int, list[str]] = {}
    for ticket, side in zip(tickets[:count], sides[:count], strict=True):
        teams.setdefault(side, []).extend(pool.players[ticket])
    return Proposal(
        teams=tuple(map(tuple, teams.values())),
        tickets=tuple([pool.ids[ticket] for ticket in tickets[:count]]),
        region=pool.regions[region],
        difference=gap,
    )
