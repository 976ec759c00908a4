"""Seats tickets one at a time, if a mode asks for it or if there are too many splits to try them all.

`seat` is the well-known greedy rule: the strongest ticket goes to A, the next to B, then each to the team with the
lowest total. Teams are capped in size, or they would become uneven; larger parties go first, because they need room.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


def seat(sizes: Sequence[int], strength: Sequence[float], team_size: int, team_count: int) -> list[int] | None:
    """The team of each ticket; None if a party finds no room."""
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
    """Swap tickets of one size between teams as long as a swap brings the best and the worst team closer."""
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
