"""Waiting players for tests: a ticket a line, and files like those the matcher is measured on."""

import math
import random

from matchmaking.matcher.tickets import Member, WaitingTicket

NOW = 1_700_000_000.0


def ticket(name, *strengths, waited=0.0, width=10.0, strict=False, pings=None, blocked=(), recent=()):
    """A ticket of players `name`, or `name1`, `name2`, …; the percentile is a twentieth of the strength."""
    names = [name] if len(strengths) == 1 else [f"{name}{number}" for number in range(1, len(strengths) + 1)]
    return WaitingTicket(
        id=name,
        members=tuple(
            Member(player, float(strength), strength / 20, width, strict, waited, tuple(blocked), tuple(recent))
            for player, strength in zip(names, strengths, strict=True)
        ),
        queued_at=NOW - waited,
        pings={"eu": 20.0} if pings is None else pings,
    )


def document(seed, players, parties=True, widths=(2, 5, 10, 20, 50), regions=("eu", "us", "ap")):
    """A ticket file, as parsed JSON."""
    rng, tickets = random.Random(seed), []
    while len(tickets) < players:
        size = min(rng.choice((1, 1, 1, 2, 3, 4)) if parties else 1, players - len(tickets))
        base, joined, good = rng.gauss(0, 1), NOW - rng.random() * 90, rng.sample(regions, rng.randint(1, len(regions)))
        for _ in range(size):
            z = 0.6 * base + 0.8 * rng.gauss(0, 1) if size > 1 else base
            number = len(tickets)
            tickets.append({
                "id": f"t{number}", "player": f"p{number}", "rating": max(1.0, round(1000 + 300 * z, 2)),
                "percentile": round(50 * math.erfc(-z / math.sqrt(2)), 4), "party": f"g{joined}" if size > 1 else None,
                "regions": good, "ping": {region: rng.randint(10, 130) for region in regions},
                "ping_limit": 120, "joined_at": joined,
                "filter": {"kind": rng.choice(("loose", "loose", "strict")), "width": rng.choice(widths)},
                "avoid": [f"p{rng.randrange(players)}"] if rng.random() < 0.2 else [],
                "recent": [[f"p{rng.randrange(players)}", NOW - rng.uniform(60, 1200)]] if rng.random() < 0.3 else [],
            })  # fmt: skip
    rng.shuffle(tickets)
    return {"meta": {"now": NOW}, "tickets": tickets}
