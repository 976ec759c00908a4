"""The matcher's entry point: finds the matches that can begin now among the waiting tickets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from matchmaking.matcher.exchanges import exchange
from matchmaking.matcher.exhaustive import FEW, search
from matchmaking.matcher.forming import form_lobbies
from matchmaking.matcher.pool import Ints, Pool, part_of, units_at
from matchmaking.matcher.splits import even_enough, split_lobbies
from matchmaking.matcher.tickets import MatchRules, Proposal
from matchmaking.matcher.widening import Floats

Find = Callable[[Pool, MatchRules, float], list[Proposal]]


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

    The largest matches come first. For at most FEW tickets they are the lexicographically oldest set of tickets, then
    the smallest sum of differences.
    """
    return of_any_size(_find_of_one_size, pool, rules, now)


def of_any_size(find: Find, pool: Pool, rules: MatchRules, now: float) -> list[Proposal]:
    """What `find` proposes for matches of each number of teams, the largest first, from the tickets that are left."""
    proposals = find(pool, rules, now)
    fewest = rules.fewest_teams or rules.team_count
    if fewest == rules.team_count:
        return proposals
    for count in range(rules.team_count - 1, fewest - 1, -1):
        taken = {ticket for proposal in proposals for ticket in proposal.tickets}
        left = part_of(pool, np.array([ticket not in taken for ticket in pool.ids], np.bool_))
        if not (left.waited >= rules.fill_after).any():
            break
        if left.size.sum() >= count * rules.team_size:
            owners = np.repeat(np.arange(len(left)), left.size)
            patient = {left.ids[ticket] for ticket in owners[left.waited >= rules.fill_after].tolist()}
            smaller = find(left, replace(rules, team_count=count, fewest_teams=None), now)
            proposals += [proposal for proposal in smaller if not patient.isdisjoint(proposal.tickets)]
    order = {ticket: number for number, ticket in enumerate(pool.ids)}
    return sorted(proposals, key=lambda proposal: order[proposal.tickets[0]])


def _find_of_one_size(pool: Pool, rules: MatchRules, now: float) -> list[Proposal]:
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
