"""The matcher's one question: who plays now?"""

from __future__ import annotations

import numpy as np

from matchmaking.matcher.bounds import even_enough
from matchmaking.matcher.exchanges import exchange
from matchmaking.matcher.exhaustive import FEW, search
from matchmaking.matcher.forming import form_lobbies
from matchmaking.matcher.pool import Ints, Pool, units_at
from matchmaking.matcher.splits import split_lobbies
from matchmaking.matcher.tickets import Proposal, Rules
from matchmaking.matcher.widening import Floats


def find_matches(pool: Pool, rules: Rules, now: float) -> list[Proposal]:
    """Proposals for the tickets in `pool` at `now` (epoch seconds), by their oldest ticket. Every rule holds in each.

    At most FEW tickets: the lexicographically oldest set of matched tickets, then the smallest sum of differences.
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


def propose(pool: Pool, lobbies: Ints, sides: Ints, difference: Floats) -> list[Proposal]:
    """Lobbies as proposals, strongest place first in nothing: teams in order of their oldest ticket."""
    pings = np.where((lobbies >= 0)[:, :, None], pool.pings[lobbies], 0.0).max(1)
    region = pings.argmin(1)
    order = np.lexsort((np.where(lobbies >= 0, lobbies, len(pool)).min(1),))
    proposals = []
    for row in order.tolist():
        seats = sorted((ticket, side) for ticket, side in zip(lobbies[row].tolist(), sides[row].tolist(), strict=True))
        seats = [seat for seat in seats if seat[0] >= 0]
        teams: dict[int, list[str]] = {}
        for ticket, side in seats:
            teams.setdefault(side, []).extend(pool.players_of(ticket))
        proposals.append(
            Proposal(
                teams=tuple(tuple(team) for team in teams.values()),
                tickets=tuple(pool.ids[ticket] for ticket, _ in seats),
                region=pool.regions[region[row]],
                difference=float(difference[row]),
            )
        )
    return proposals
