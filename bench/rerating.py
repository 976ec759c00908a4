"""Measures rating a mode's whole history anew, from and to PostgreSQL: `python -m bench.rerating [MATCHES]`.

Matches of ten players, five against five, drawn from as many players as a hundredth of the matches, at least a hundred.
The facts are written straight to the database, as an import would have left them. They are rated twice: first there is
no ledger yet; the second time all of its rows are superseded.
"""

import contextlib
import datetime as dt
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.measuring import Row

MATCHES = 100_000
SEED = 1
CHUNK = 20_000
SIZE = 5
MANAGE = Path(__file__).parents[1] / "manage.py"

_EVENTS = """
    INSERT INTO ranking_event (mode_id, kind, happened_at)
    SELECT %s, 'match', %s FROM generate_series(1, %s) RETURNING id
"""
_MATCHES = """
    INSERT INTO ranking_match (source_id, external_id, digest, mode_id, event_id, season_id, ended_at, variant, server,
        region, lobby, teams, received_at, late)
    SELECT %(source)s, 'm' || number, md5(number::text), %(mode)s, event, %(season)s,
        %(start)s + number * interval '2.5 seconds', '', '', '', '',
        '[{"name": "", "place": 1, "score": null}, {"name": "", "place": 2, "score": null}]', %(now)s, false
    FROM unnest(%(events)s::bigint[], %(numbers)s::bigint[]) AS found(event, number) RETURNING id
"""
_PARTS = """
    INSERT INTO ranking_participation (match_id, player_id, team, slot, left_early, absences, party, stats)
    SELECT match, player, (seat - 1) / %(size)s, (seat - 1) %% %(size)s, false, '[]', '', '{}'
    FROM unnest(%(matches)s::bigint[], %(players)s::bigint[], %(seats)s::int[]) AS found(match, player, seat)
"""


def run(progress: Callable[[str], None], matches: int = MATCHES) -> Iterator[Row]:
    """Measure seconds, the peak memory of the process, and microseconds per match."""
    slug = _make_history(matches, progress)
    for what in ("rate {} matches of ten from their facts", "the same again, with a ledger to supersede"):
        progress(f"rating {matches:,} matches anew")
        start = time.perf_counter()
        worker = subprocess.Popen([sys.executable, str(MANAGE), "rerate", slug])
        backend = _watch_backend(worker)
        _, status, used = os.wait4(worker.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            raise SystemExit(f"rerate ended with {os.waitstatus_to_exitcode(status)}.")
        for name, value in (
            ("whole", f"{seconds:.1f} s"),
            ("a match", f"{seconds / matches * 1e6:.0f} µs"),
            ("processor time a match, the process", f"{(used.ru_utime + used.ru_stime) / matches * 1e6:.0f} µs"),
            ("processor time a match, PostgreSQL", f"{backend / matches * 1e6:.0f} µs" if backend else "not known"),
            ("peak memory", f"{used.ru_maxrss / 1024:.0f} MiB"),
        ):
            yield Row(f"{what.format(f'{matches:,}')}: {name}", value, "", "", "", True)


def _watch_backend(worker: subprocess.Popen[bytes]) -> float:
    """Processor seconds of the worker's server process until the worker ends; 0 if it is on another machine."""
    from django.db import connection

    pids: set[int] = set()
    seconds: dict[int, float] = {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        others = {pid for (pid,) in cursor.fetchall()}
        while not _ended(worker):
            if not pids:
                cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
                pids = {pid for (pid,) in cursor.fetchall()} - others
            for pid in pids:
                with contextlib.suppress(OSError):
                    spent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                    seconds[pid] = (int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK")
            time.sleep(0.05)
    return sum(seconds.values())


def _ended(worker: subprocess.Popen[bytes]) -> bool:
    """True if the process has ended; its exit status stays for the process that waits for it."""
    return os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


def _make_history(matches: int, progress: Callable[[str], None]) -> str:
    """Make a mode with this many matches, in which everybody is a newcomer; return its slug."""
    from django.db import connection, transaction
    from django.utils import timezone

    from ranking.models import Player, Rating, Season, Source
    from ranking.modes.parameters import create_mode

    now = timezone.now()
    slug = f"rerating-{matches}-{now:%H%M%S}"
    start = now - dt.timedelta(seconds=2.5) * (matches + 60)
    mode = create_mode(slug=slug, name=slug, system="elo", now=start, team_size_min=SIZE, team_size_max=SIZE)
    season, source = Season.objects.get(mode=mode), Source.objects.create(slug=slug, created_at=start)
    keys = [f"{slug}-{number}" for number in range(max(100, matches // 100))]
    players = Player.objects.bulk_create(Player(key=key, name=key, search_name=key, created_at=start) for key in keys)
    Rating.objects.bulk_create(
        Rating(player=player, mode=mode, season=season, reached_at=start, display_hundredths=2500, mu=25.0)
        for player in players
    )
    ids, rng = np.array([player.pk for player in players]), np.random.default_rng(SEED)
    about: dict[str, Any] = {
        "source": source.pk,
        "mode": mode.pk,
        "season": season.pk,
        "start": start,
        "now": now,
        "size": SIZE,
    }
    for first in range(0, matches, CHUNK):
        progress(f"writing matches to rate anew, {first:,} of {matches:,}")
        numbers = list(range(first, min(first + CHUNK, matches)))
        seats = np.array([rng.choice(len(ids), 2 * SIZE, replace=False, shuffle=False) for _ in numbers])
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_EVENTS, [mode.pk, now, len(numbers)])
            events = sorted(pk for (pk,) in cursor.fetchall())
            cursor.execute(_MATCHES, {**about, "events": events, "numbers": numbers})
            rows = np.repeat(sorted(pk for (pk,) in cursor.fetchall()), 2 * SIZE)
            who = {"players": ids[seats.reshape(-1)].tolist(), "matches": rows.tolist()}
            cursor.execute(_PARTS, {**about, **who, "seats": list(range(1, 2 * SIZE + 1)) * len(numbers)})
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE ranking_event, ranking_match, ranking_participation, ranking_rating")
    return slug


def main() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

    from django.core.management import call_command
    from django.db import connection

    from bench.measuring import table

    if connection.vendor != "postgresql":
        raise SystemExit("Benchmarks want PostgreSQL: set the scaled profile's variables.")
    call_command("migrate", verbosity=0)
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True), matches))))


if __name__ == "__main__":
    main()
