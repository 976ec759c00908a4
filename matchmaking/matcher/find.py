"""The matcher's one question: who plays now?"""

from __future__ import annotations

from matchmaking.matcher.bounds import even_enough
from matchmaking.matcher.exchanges import exchange
from matchmaking.matcher.exhaustive import FEW, search
from matchmaking.matcher.forming import form_lobbies
from matchmaking.matcher.pool import Pool, units_at
from matchmaking.matcher.proposals import propose
from matchmaking.matcher.splits import split_lobbies
from matchmaking.matcher.tickets import Proposal, Rules


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
