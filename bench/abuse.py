"""Measures how much of planted abuse the search finds, and what it takes: `python -m bench.abuse [--large] [FILE.md]`.

A seeded history of duels with twenty cases of each kind among honest play (bench/planting.py) is recorded as results
are, searched by `ranking.abuse.search.search`, and compared with what was planted. `--large`, on PostgreSQL: a search
of a million parts in matches, by seconds and memory. Wants a database of its own, which it fills.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from bench.abusecrowd import make_crowd  # noqa: E402
from bench.duel_world import BEGIN, Simulation  # noqa: E402
from bench.planting import simulate  # noqa: E402
from bench.plants import PLANTS  # noqa: E402
from ranking.abuse.search import search  # noqa: E402
from ranking.matches.recording import record_results  # noqa: E402
from ranking.models import Finding, Mode, Source  # noqa: E402
from ranking.modes.parameters import create_mode  # noqa: E402

TOP = 25
SEEDS = (1, 2)
BATCH = 500
MANAGE = Path(__file__).parents[1] / "manage.py"


def lived(world: Simulation) -> Mode:
    """The simulation's mode, with its matches recorded in their order."""
    mode = create_mode(slug=world.mode, name=world.mode, system="elo", now=BEGIN)
    source = Source.objects.create(slug=world.mode, created_at=BEGIN)
    reports = [report for _, report in world.duels]
    for at in range(0, len(reports), BATCH):
        record_results(reports[at : at + BATCH], source=source, now=timezone.now())
    return mode


def rows(world: Simulation, findings: list[Finding]) -> Iterator[list[str]]:
    """A line for each kind: planted cases, those in the first TOP rows, the last one's row, all rows, false rows."""
    cheats = {player for planted in world.planted for player in planted.players}
    for kind in PLANTS:
        found = [frozenset(player.key for player in row.players) for row in findings if row.kind == kind]
        planted = {case.players for case in world.planted if case.kind == kind}
        places = [found.index(players) + 1 for players in planted if players in found]
        false = [players for players in found if players not in planted]
        honest = sum(not players & cheats for players in false)
        yield [
            kind, str(len(planted)), str(sum(place <= TOP for place in places)), str(max(places, default=0)),
            str(len(found)), str(honest), str(len(false) - honest),
        ]  # fmt: skip


HEAD = ["seed", "kind", "planted", f"in the first {TOP}", "last one's row", "rows", "honest", "other cheats"]


def planted() -> Iterator[list[str]]:
    for seed in SEEDS:
        world = simulate(seed, mode=f"planted-{seed}-{timezone.now():%H%M%S}")
        print(f"… recording {len(world.duels):,} matches", file=sys.stderr, flush=True)
        mode = lived(world)
        for line in rows(world, search(mode, now=timezone.now())):
            yield [str(seed), *line]


def large(parts: int = 1_000_000) -> str:
    """Seconds and peak memory of a search of this many participations, in a process of its own."""
    told = []
    for size in (1, 5):
        slug = make_crowd(parts, size)
        start = time.perf_counter()
        worker = subprocess.Popen(
            [sys.executable, str(MANAGE), "report_abuse", "--mode", slug], stdout=subprocess.DEVNULL
        )
        _, status, used = os.wait4(worker.pid, 0)
        if status:
            raise SystemExit(f"report_abuse ended with {os.waitstatus_to_exitcode(status)}.")
        seconds = time.perf_counter() - start
        told.append(
            f"| {parts:,} | {size} against {size} | {seconds:.1f} s | {used.ru_utime + used.ru_stime:.1f} s |"
            f" {used.ru_maxrss / 1024:.0f} MiB |"
        )
    head = "| parts in matches | teams | whole | processor time of the job | peak memory |\n|---:|---|---:|---:|---:|\n"
    return head + "\n".join(told)


def main() -> None:
    call_command("migrate", verbosity=0)
    asked = sys.argv[1:]
    if "--large" in asked:
        if connection.vendor != "postgresql":
            raise SystemExit("A large search wants PostgreSQL: set the scaled profile's variables.")
        text = large()
    else:
        lines = [HEAD, ["---:", "---", *["---:"] * (len(HEAD) - 2)], *planted()]
        text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    print(text)


if __name__ == "__main__":
    main()
