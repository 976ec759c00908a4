"""The matcher's entry point: finds the matches that can begin now among the waiting tickets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from matchmaking.matcher._exchanges import exchange
from matchmaking.matcher._exhaustive import FEW, search
from matchmaking.matcher._forming import form_lobbies, form_smaller
from matchmaking.matcher._splits import even_enough, split_lobbies
from matchmaking.matcher.pool import Bools, Ints, Pool, Units, part_of, units_at
from matchmaking.matcher.tickets import MatchRules, Proposal
from matchmaking.matcher.widening import Floats

Find = Callable[[Pool, MatchRules, float], list[Proposal]]
Gather = Callable[[Units, Bools, MatchRules], Ints]  # of tickets, those that have waited, and rules: lobbies


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
    return of_any_size(_find_of_one_size, form_smaller, pool, rules, now)


def of_any_size(find: Find, gather: Gather, pool: Pool, rules: MatchRules, now: float) -> list[Proposal]:
    """Full matches as `find` proposes them, and smaller ones of tickets that are left, once one of them has waited.

    `gather` finds smaller free-for-alls of many tickets at once; other sizes are tried one after the other.
    """
    proposals = find(pool, rules, now)
    if rules.fewest_players == rules.players:
        return proposals
    for count in range(rules.team_count - 1, (rules.fewest_teams or 0) - 1, -1):
        left = _left(pool, proposals)
        patient = patient_of(left, rules)
        if not patient.any():
            break
        if rules.team_size == 1 and len(left) > FEW:
            units = units_at(left, rules, now)
            proposals += _free_for_alls(left, units, gather(units, patient, rules))
            break
        if left.size.sum() >= count * rules.team_size:
            old = {left.ids[ticket] for ticket in np.flatnonzero(patient).tolist()}
            smaller = find(left, replace(rules, team_count=count, fewest_teams=None), now)
            proposals += [proposal for proposal in smaller if not old.isdisjoint(proposal.tickets)]
    order = {ticket: number for number, ticket in enumerate(pool.ids)}
    return sorted(proposals, key=lambda proposal: order[proposal.tickets[0]])


def _left(pool: Pool, proposals: Sequence[Proposal]) -> Pool:
    taken = {ticket for proposal in proposals for ticket in proposal.tickets}
    return part_of(pool, np.array([ticket not in taken for ticket in pool.ids], np.bool_))


def patient_of(pool: Pool, rules: MatchRules) -> Bools:
    """By ticket: True if one of its players has waited long enough for a smaller match."""
    patient = np.zeros(len(pool), np.bool_)
    np.logical_or.at(patient, np.repeat(np.arange(len(pool)), pool.size), pool.waited >= rules.fill_after)
    return patient


def _free_for_alls(pool: Pool, units: Units, lobbies: Ints) -> list[Proposal]:
    """Proposals of these lobbies, in which everybody is a team."""
    there = lobbies >= 0
    sides = np.where(there, np.arange(lobbies.shape[1]), -1)
    strength = units.strength[lobbies]
    highest = np.where(there, strength, -np.inf).max(1, initial=-np.inf)
    return propose(pool, lobbies, sides, highest - np.where(there, strength, np.inf).min(1, initial=np.inf))


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
