"""`make bench`: every benchmark, as a Markdown table.

Wants the scaled profile's variables and a PostgreSQL database of its own, which it fills.
"""

import os
import platform
import sys
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from bench import (  # noqa: E402
    boards,
    evaluating,
    fitting,
    followup,
    friends,
    ingest,
    kept,
    leavers,
    lists,
    population,
    publishing,
    rating,
    rerating,
    seeding,
    ticking,
    visits,
)
from bench.measuring import Row, table  # noqa: E402


def progress(what: str) -> None:
    print(f"… {what}", file=sys.stderr, flush=True)


def rows() -> list[Row]:
    found = [
        *rating.run(progress),
        *evaluating.run(progress),
        *fitting.run(progress),
        *ingest.run(progress),
        *followup.run(progress),
        *rerating.run(progress),
        *kept.run(progress),
    ]
    found += seeding.run(progress)
    progress("making 10 thousand and 1 million players")
    small, large = population.make_population(10_000), population.make_population(1_000_000)
    found += boards.run(small, large, progress)
    found += boards.lookup(large)
    found += friends.run(large, progress)
    found += publishing.run(large, 1_000_000, progress)
    found += ticking.run(progress)
    found += leavers.run(progress)
    found += lists.run(progress)
    found += visits.run(progress)
    return found


def environment() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        server = cursor.fetchone()[0].split()[0]
    cores = os.cpu_count()
    return f"Python {platform.python_version()}, Django {django.__version__}, PostgreSQL {server}, {cores} cores, Linux"


def main() -> None:
    if connection.vendor != "postgresql":
        raise SystemExit("Benchmarks want PostgreSQL: set the scaled profile's variables.")
    call_command("migrate", verbosity=0)
    text = f"{environment()}\n\n{table(rows())}\n"
    print(text)
    if len(sys.argv) > 1:
        path = Path(sys.argv[1])
        page = path.read_text()
        head, mark, _ = page.partition("<!-- figures -->\n")
        path.write_text(f"{head}{mark}{text}")


main()
