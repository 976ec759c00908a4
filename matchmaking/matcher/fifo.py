"""The strategy "first in, first out": the oldest tickets play next, without a skill filter.

It suits small communities, in which waiting hurts more than imbalance. Parties stay whole, all players share a region,
and players who block each other or have just met don't meet. The teams of a lobby are balanced as well as possible.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from matchmaking.matcher._splits import split_lobbies
from matchmaking.matcher.find import of_any_size, propose
from matchmaking.matcher.pool import Bools, Ints, Pool, Units, units_at
from matchmaking.matcher.tickets import MatchRules, Proposal


def find_next_in_line(pool: Pool, rules: MatchRules, now: float) -> list[Proposal]:
    """Proposals from the head of the line: each holds the oldest ticket left and the next ones that fill its teams."""
    return of_any_size(_find_of_one_size, _gather, pool, rules, now)


def _find_of_one_size(pool: Pool, rules: MatchRules, now: float) -> list[Proposal]:
    if not len(pool) or not pool.regions:
        return []
    units = units_at(pool, rules, now)
    lobbies = _fill_all(units, rules, lambda lobby: bool(units.size[lobby].sum() == rules.players))
    lobbies, sides, difference = split_lobbies(units, lobbies, rules)
    legal = np.isfinite(difference)
    return propose(pool, lobbies[legal], sides[legal], difference[legal])


def _gather(units: Units, patient: Bools, rules: MatchRules) -> Ints:
    """Lobbies of a free-for-all that needn't be full."""
    return _fill_all(units, rules, lambda lobby: len(lobby) >= rules.fewest_players and bool(patient[lobby].any()))


def _fill_all(units: Units, rules: MatchRules, is_enough: Callable[[list[int]], bool]) -> Ints:
    """Lobbies from the head of the line (lobbies × places, −1 for an empty place), of those that are enough."""
    pairs = np.concatenate([units.apart, units.together]).tolist()
    apart = {(one, other) for pair in pairs for one, other in (pair, pair[::-1])}
    line, filled = list(range(len(units))), []
    sizes, regions = units.size.tolist(), units.regions.tolist()
    while line:
        lobby = _fill(line, sizes, regions, apart, rules)
        enough = is_enough(lobby)
        if enough:
            filled.append(lobby + [-1] * (rules.players - len(lobby)))
        line = [ticket for ticket in line[1:] if not enough or ticket not in lobby]
    return np.array(filled, np.int64).reshape(-1, rules.players)


def _fill(
    line: list[int], sizes: list[int], regions: list[int], apart: set[tuple[int, int]], rules: MatchRules
) -> list[int]:
    """The lobby of the first ticket in line, as far as the line fills it."""
    lobby: list[int] = []
    room, shared = [rules.team_size] * rules.team_count, -1
    for ticket in line:
        teams = [team for team, left in enumerate(room) if left >= sizes[ticket]]
        if teams and shared & regions[ticket] and not any((ticket, other) in apart for other in lobby):
            room[min(teams, key=lambda team: room[team])] -= sizes[ticket]
            shared &= regions[ticket]
            lobby.append(ticket)
        if not lobby or not any(room):
            break
    return lobby
