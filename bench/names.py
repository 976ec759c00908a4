"""The search for players by parts of their names among a million: `python -m bench.names`, on either database.

It fills the database, which should be one of its own. Names are words of two to four syllables, half of them with a
number. Results of newcomers alone are recorded in turn with the index and without it.
"""

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from bench.measuring import Row, p95, side_by_side
from leaderboards.people.search import find_by_name
from ranking.database.name_index import create_name_index, create_triggers, drop_name_index
from ranking.matches.recording import record_results
from ranking.models import Player, Source
from ranking.modes.parameters import create_mode
from ranking.rules.report import PlayerReport, Report, TeamReport

COUNT, SEARCHES = 1_000_000, 200
ROUNDS, RESULTS = 3, 100
BOUND, MOST_ADDED = 0.05, 1.1
_SYLLABLES = (
    "ba be bo da de do fa fe fox ga go ka ki ko la le lo ma me mo na ne no pa po ra re ro sa se so ta te to va vo wa za"
)


def _names(rng: random.Random) -> Iterator[str]:
    syllables = _SYLLABLES.split()
    while True:
        word = "".join(rng.choices(syllables, k=rng.choice((2, 3, 3, 4))))
        yield word + (str(rng.randint(1, 999)) if rng.random() < 0.5 else "")


def fill() -> None:
    """A million players."""
    names, now = _names(random.Random(1)), timezone.now()
    start = Player.objects.count()
    for begin in range(start, COUNT, 10_000):
        rows = ((f"named-{number}", next(names)) for number in range(begin, begin + 10_000))
        Player.objects.bulk_create(Player(key=key, name=name, search_name=name, created_at=now) for key, name in rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE ranking_player" if connection.vendor == "sqlite" else "VACUUM ANALYZE ranking_player")


def run(progress: Callable[[str], None]) -> Iterator[Row]:
    progress("a million names")
    fill()
    rng, names = random.Random(2), _names(random.Random(3))
    for length in (3, 4, 6):
        texts = iter([_part(next(names), length, rng) for _ in range(SEARCHES + 2)])
        progress(f"searches for {length} letters")
        taken = side_by_side({"search": partial(_search, texts)}, SEARCHES)["search"]
        seconds = p95(taken)
        what = f"search for {length} letters inside {COUNT:,} names: p95, against 50 ms"
        yield Row(what, f"{1e3 * seconds:.1f} ms", "50 ms", f"{seconds / BOUND:.2f} ×", "≤ 1 ×", seconds <= BOUND)
    progress("results of newcomers")
    now = timezone.now()
    create_mode(slug="named", name="Named", system="elo", team_size_max=6, now=now)
    source, _ = Source.objects.get_or_create(slug="bench", defaults={"created_at": now})
    seconds_with, seconds_without = 0.0, 0.0
    for number in range(ROUNDS):
        seconds_with += _record(names, source, f"with-{number}")
        drop_name_index(connection)
        seconds_without += _record(names, source, f"without-{number}")
        create_name_index(connection)
        create_triggers(connection)
    ratio, each = seconds_with / seconds_without, 1e3 / (ROUNDS * RESULTS)
    what = "a result of 12 newcomers, with the index against without it"
    yield Row(what, f"{seconds_with * each:.2f} ms", f"{seconds_without * each:.2f} ms", f"{ratio:.2f} ×",
              f"≤ {MOST_ADDED} ×", ratio <= MOST_ADDED)  # fmt: skip


def _record(names: Iterator[str], source: Source, label: str) -> float:
    """Seconds in which RESULTS results of newcomers are recorded."""
    now = timezone.now()
    keys = [f"{label}-{number}" for number in range(12 * RESULTS)]
    players = iter([PlayerReport(id=key, name=next(names)) for key in keys])
    rosters = [[TeamReport(tuple(islice(players, 6)), place=place) for place in (1, 2)] for _ in range(RESULTS)]
    reports = [
        Report(id=f"{label}-{number}", mode="named", ended_at=now, teams=tuple(teams))
        for number, teams in enumerate(rosters)
    ]
    start = time.perf_counter()
    for report in reports:
        [recorded] = record_results([report], source=source, now=now)
        if recorded.error is not None:
            raise recorded.error
    return time.perf_counter() - start


def _search(texts: Iterator[str]) -> None:
    find_by_name(next(texts))


def _part(name: str, length: int, rng: random.Random) -> str:
    start = rng.randint(0, max(0, len(name) - length))
    return name[start : start + length].ljust(length, "a")


if __name__ == "__main__":
    from bench.measuring import table

    call_command("migrate", verbosity=0)
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True)))))
