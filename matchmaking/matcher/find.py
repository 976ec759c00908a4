"""The matcher's entry point: finds the matches that can begin now among the waiting tickets."""

from __future__ import annotations

import numpy as np

from matchmaking.matcher.exchanges import exchange
from matchmaking.matcher.exhaustive import FEW, search
from matchmaking.matcher.forming import form_lobbies
from matchmaking.matcher.pool import Ints, Pool, units_at
from matchmaking.matcher.splits import even_enough, split_lobbies
from matchmaking.matcher.tickets import MatchRules, Proposal
from matchmaking.matcher.widening import Floats


def propose(pool: Pool, lobbies: Ints, sides: Ints, difference: Floats) -> list[Proposal]:
    """Turn lobbies into proposals, in the order of their oldest tickets; so are the teams of each."""
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


def find_matches(pool: Pool, rules: MatchRules, now: float) -> list[Proposal]:
    """Proposals for the tickets in `pool` at `now` (epoch seconds), ordered by oldest ticket; each keeps every rule.

    For at most FEW tickets it is the lexicographically oldest set of tickets, then the smallest sum of differences.
    """
    if not len(pool) or not pool.regions:
        return []
    units = units_at(pool, rules, now)
    if len(units) <= FEW:
        lobbies, sides, difference = search(units, rules)
    else:
        lobbies, _ = form_lobbies(units, units.size <= rules.team_size, rules)
        lobbies, sides, difference = exchange(units, *split_lobbies(units, lobbies, rules), rules)
        even = even_enough(units, lobbies, difference, rules.bound)
        lobbies, sides, difference = lobbies[even], sides[even], difference[even]
    return propose(pool, lobbies, sides, difference)
