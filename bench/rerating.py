"""Rating a mode's whole history anew, from and to PostgreSQL: `python -m bench.rerating [MATCHES]`.

Matches of ten players, five against five, drawn from as many players as a hundredth of the matches, at least a hundred.
"""

import datetime as dt
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.measuring import Row

MATCHES = 100_000
BATCH = 500
MANAGE = Path(__file__).parents[1] / "manage.py"


def run(progress: Callable[[str], None], matches: int = MATCHES) -> Iterator[Row]:
    """Seconds, peak memory of the process, and microseconds a match."""
    slug = _make_history(matches, progress)
    progress(f"rating {matches:,} matches anew")
    start = time.perf_counter()
    worker = subprocess.Popen([sys.executable, str(MANAGE), "rerate", slug])
    _, status, used = os.wait4(worker.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"rerate ended with {os.waitstatus_to_exitcode(status)}.")
    what = f"rate {matches:,} matches of ten anew"
    for name, value in (
        ("whole", f"{seconds:.1f} s"),
        ("a match", f"{seconds / matches * 1e6:.0f} µs"),
        ("peak memory", f"{used.ru_maxrss / 1024:.0f} MiB"),
    ):
        yield Row(f"{what}: {name}", value, "", "", "", True)


def _make_history(matches: int, progress: Callable[[str], None]) -> str:
    """A mode in which so many matches were lived; its slug."""
    from django.utils import timezone

    from ranking.models import Source
    from ranking.modes import create_mode
    from ranking.report import PlayerReport, Report, TeamReport
    from ranking.results import record_results

    now = timezone.now()
    slug = f"rerating-{matches}-{now:%H%M%S}"
    start = now - dt.timedelta(days=30)
    create_mode(slug=slug, name=slug, system="elo", now=start, team_size_min=5, team_size_max=5)
    source = Source.objects.create(slug=slug, created_at=start)
    rng = random.Random(1)
    people = [f"{slug}-{number}" for number in range(max(100, matches // 100))]

    def report(number: int) -> Report:
        chosen = [PlayerReport(id=key) for key in rng.sample(people, 10)]
        teams = (TeamReport(players=tuple(chosen[:5]), place=1), TeamReport(players=tuple(chosen[5:]), place=2))
        ended_at = start + dt.timedelta(days=29) * (number / matches)
        return Report(id=f"m{number}", mode=slug, ended_at=ended_at, teams=teams)

    for first in range(0, matches, BATCH):
        if first % 10_000 == 0:
            progress(f"recording matches to rate anew, {first:,} of {matches:,}")
        numbers = range(first, min(first + BATCH, matches))
        record_results([report(number) for number in numbers], source=source, now=now)
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
