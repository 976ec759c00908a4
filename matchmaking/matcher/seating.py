"""Teams one ticket at a time, where a mode wants it or there are too many splits to try them all.

`seat` is the known greedy rule (strongest to A, next to B, then always to the team with the lowest total) with the size
cap without which it makes uneven teams; larger parties first, as they find room last.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


def seat(sizes: Sequence[int], strength: Sequence[float], team_size: int, team_count: int) -> list[int] | None:
    """The team of each ticket, or None where a party found no room."""
    totals, room, sides = [0.0] * team_count, [team_size] * team_count, [-1] * len(sizes)
    for ticket in sorted(range(len(sizes)), key=lambda ticket: (-sizes[ticket], -strength[ticket], ticket)):
        teams = [team for team in range(team_count) if room[team] >= sizes[ticket]]
        if not teams:
            return None
        team = min(teams, key=lambda team: (totals[team], team))
        sides[ticket] = team
        totals[team] += strength[ticket]
        room[team] -= sizes[ticket]
    return sides


def improve(sides: list[int], sizes: Sequence[int], strength: Sequence[float], team_count: int) -> list[int]:
    """Swap tickets of one size between teams as long as that brings the best and the worst team closer."""
    totals = [sum(x for x, side in zip(strength, sides, strict=True) if side == team) for team in range(team_count)]
    while True:
        best, swap = max(totals) - min(totals) - 1e-9, None
        for one, other in combinations(range(len(sides)), 2):
            a, b = sides[one], sides[other]
            if a != b and sizes[one] == sizes[other]:
                changed = totals.copy()
                changed[a] += strength[other] - strength[one]
                changed[b] += strength[one] - strength[other]
                if max(changed) - min(changed) < best:
                    best, swap = max(changed) - min(changed), (one, other, changed)
        if swap is None:
            return sides
        one, other, totals = swap
        sides = sides.copy()
        sides[one], sides[other] = sides[other], sides[one]
