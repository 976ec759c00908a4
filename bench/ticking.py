"""Measures a tick with 100,000 waiting tickets: loading, matching, claiming, writing. `python -m bench.ticking`.

The population of bench/matching.py, 4v4. Wants the scaled profile's variables and a PostgreSQL database of its own,
which it fills and empties again.
"""

import datetime as dt
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from django.core.management import call_command
from django.db import connection

from bench.matching import REGIONS, population
from bench.measuring import Row
from matchmaking.models import Queue, Ticket, TicketMember
from matchmaking.tick.tick import tick
from ranking.database.bulk_writes import copy_rows
from ranking.modes.parameters import create_mode

NOW = dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC)
CASES = (("solo", 100_000), ("parties", 100_000))
ROUNDS = 3
BOUND = 5.0  # seconds

_TICKET = ("id", "queue_id", "state", "size", "queued_at", "waiting_since", "waited", "pings", "ending_code")
_MEMBER = ("ticket_id", "player_id", "strength", "display_hundredths", "percentile", "width", "strict", "live")
_PLAYERS = """
INSERT INTO ranking_player (key, name, search_name, created_at)
SELECT %(slug)s || '-' || n, 'Player ' || n, 'player ' || n, %(now)s
FROM generate_series(1, %(count)s) AS n RETURNING id
"""
_AGAIN = """
UPDATE matchmaking_ticket SET state = 'waiting', matched_at = NULL, lobby_id = NULL, team = NULL WHERE state = 'matched'
"""


def fill(mix: str, players: int, now: dt.datetime = NOW, **settings: Any) -> Queue:
    """Make a queue in which this many players wait at `now` on tickets of this mix."""
    slug = f"tick-{mix}-{time.time_ns()}"
    mode = create_mode(slug=slug, name=slug, system="elo", team_size_min=4, team_size_max=4, now=now)
    queue = Queue.objects.create(mode=mode, regions=list(REGIONS), **settings)
    with connection.cursor() as cursor:
        cursor.execute(_PLAYERS, {"slug": slug, "count": players, "now": now})
        ids = [row[0] for row in cursor.fetchall()]
        cursor.execute("SELECT coalesce(max(id), 0) FROM matchmaking_ticket")
        [[first]] = cursor.fetchall()
    tickets, members = [], []
    for number, made in enumerate(population(players, mix), first + 1):
        since = now - dt.timedelta(seconds=made.members[0].waited)
        pings = "{" + ", ".join(f'"{name}": {ping:.1f}' for name, ping in made.pings.items()) + "}"
        tickets.append((number, queue.pk, "waiting", len(made.members), since, since, 0.0, pings, ""))
        for member in made.members:
            percentile = max(1, min(100, round(member.percentile)))
            members.append((number, ids.pop(), member.strength, round(member.strength * 100), percentile,
                            int(member.width), member.strict, True))  # fmt: skip
    copy_rows(Ticket, _TICKET, tickets)
    copy_rows(TicketMember, _MEMBER, members)
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval(pg_get_serial_sequence('matchmaking_ticket', 'id'), %s)", [tickets[-1][0]])
        cursor.execute("VACUUM ANALYZE matchmaking_ticket")
        cursor.execute("VACUUM ANALYZE matchmaking_ticketmember")
    return queue


def empty() -> None:
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE matchmaking_ticketmember, matchmaking_ticket, matchmaking_lobby, matchmaking_formed")


def run(progress: Callable[[str], None]) -> Iterator[Row]:
    for mix, players in CASES:
        progress(f"a tick: {players:,} players, {mix}")
        queue = fill(mix, players)
        waiting = Ticket.objects.filter(queue=queue).count()
        taken, formed = [], 0
        for _ in range(ROUNDS):
            gc.collect()
            start = time.perf_counter()
            ticked = tick(queue, now=NOW)
            taken.append(time.perf_counter() - start)
            formed = len(ticked.lobbies) if ticked else 0
            with connection.cursor() as cursor:
                cursor.execute(_AGAIN)
                cursor.execute("VACUUM ANALYZE matchmaking_ticket")
            progress(f"{taken[-1]:.2f} s, {formed:,} lobbies")
        empty()
        seconds = median(taken)
        what = f"a tick of {waiting:,} tickets ({mix}), 4v4, {formed:,} lobbies formed, against 5 s"
        yield Row(what, f"{seconds:.2f} s", f"{BOUND:.0f} s", f"{seconds / BOUND:.2f} ×", "≤ 1 ×", seconds <= BOUND)


if __name__ == "__main__":
    from bench.measuring import table

    call_command("migrate", verbosity=0)
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True)))))
