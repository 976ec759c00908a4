"""Measures the matcher by size and party mix: share matched, difference, spread, seconds. `python -m bench.matching`.

Populations like a busy queue's: ratings N(1000, 300), six regions, a fifth with strict filters, up to a minute waited.
Wants no database.
"""

import gc
import os
import platform
import sys
import time
from collections.abc import Iterator
from statistics import fmean, median

import numpy as np

from matchmaking.matcher.find import find_matches
from matchmaking.matcher.pool import Pool, make_pool
from matchmaking.matcher.tickets import MatchRules, Member, Proposal, WaitingTicket

NOW = 1_700_000_000.0
REGIONS = {"eu-west": (0, 0), "eu-east": (30, 6), "us-east": (-85, -5), "us-west": (-150, -8), "sa": (-95, -120),
           "ap": (150, -40)}  # fmt: skip
SIZES = {"solo": (1.0, 0.0, 0.0, 0.0), "parties": (0.55, 0.25, 0.12, 0.08)}
CASES = ((1_000, "parties", 4), (5_000, "solo", 1), (5_000, "solo", 4), (5_000, "parties", 4), (100_000, "solo", 4),
         (100_000, "parties", 4))  # fmt: skip
ROUNDS = 5


def population(players: int, mix: str, seed: int = 7) -> list[WaitingTicket]:
    """Tickets of this many players, with this mix of sizes."""
    rng, tickets, left = np.random.default_rng(seed), [], players
    places = np.array(list(REGIONS.values()), float)
    while left:
        size = min(int(rng.choice(4, p=SIZES[mix])) + 1, left)
        left -= size
        home = places[rng.choice(6, p=(0.28, 0.12, 0.22, 0.14, 0.10, 0.14))] + rng.normal(0, 8, 2)
        pings = 13 + 1.15 * np.hypot(*(places - home).T)
        limit = max(float(rng.choice((80, 120, 200), p=(0.35, 0.45, 0.20))), float(pings.min()))
        base, waited = rng.normal(), float(rng.uniform(0, 60))
        z = base if size == 1 else 0.6 * base + 0.8 * rng.normal(size=size)
        strict, width = bool(rng.random() < 0.2), float(rng.choice((2, 5, 10, 20, 50), p=(0.1, 0.25, 0.3, 0.25, 0.1)))
        members = tuple(
            Member(f"p{left + number}", 1000 + 300 * x, _percentile(x), width, strict, waited)
            for number, x in enumerate(np.atleast_1d(z).tolist())
        )
        good = {name: float(ping) for name, ping in zip(REGIONS, pings, strict=True) if ping <= limit}
        tickets.append(WaitingTicket(f"t{left}", members, NOW - waited, good))
    return tickets


def _percentile(z: float) -> float:
    return 100 / (1 + float(np.exp(-1.702 * z)))  # within a point of the normal's


def figures(pool: Pool, matches: list[Proposal], team_size: int) -> tuple[float, float, float]:
    """The share of players matched, the mean difference of the teams' means, and the mean spread of strength."""
    of = dict(zip((name for names in pool.players for name in names), pool.strength.tolist(), strict=True))
    spreads = []
    for match in matches:
        strength = [of[player] for team in match.teams for player in team]
        spreads.append(max(strength) - min(strength))
    return len(matches) * 2 * team_size / len(of), fmean(match.difference for match in matches), fmean(spreads)


def lines() -> Iterator[str]:
    yield "| players | tickets | match | matched | difference | spread | seconds |"
    yield "|---:|---|---|---:|---:|---:|---:|"
    for players, mix, team_size in CASES:
        print(f"… {players:,} {mix}", file=sys.stderr, flush=True)
        pool, rules, taken = make_pool(population(players, mix)), MatchRules(team_size), []
        for _ in range(ROUNDS):
            gc.collect()
            start = time.process_time()
            matches = find_matches(pool, rules, NOW)
            taken.append(time.process_time() - start)
        share, difference, spread = figures(pool, matches, team_size)
        match = f"{team_size}v{team_size}"
        yield (
            f"| {players:,} | {mix} | {match} | {share:.1%} | {difference:.2f} | {spread:.0f} | {median(taken):.3f} |"
        )


if __name__ == "__main__":
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores, processor seconds\n")
    print("\n".join(lines()))
