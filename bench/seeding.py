"""Measures bringing a ladder's ratings along, on either database: `python -m bench.seeding [PLAYERS]`.

A file of so many players nobody knows is read, planned and written, then rated anew; the second run finds all written.
"""

import os
import random
import sys
import time
from collections.abc import Callable, Iterator

from bench.measuring import Row

PLAYERS = 100_000
LONGEST = 120.0  # seconds, the bound of the import


def file_of(players: int, prefix: str) -> Iterator[bytes]:
    """A file's lines, with ratings like those of a ladder."""
    rng = random.Random(1)
    for number in range(players):
        yield f"{prefix}-{number},{prefix.title()} {number},{rng.gauss(25, 8):.2f},,{rng.randint(0, 900)}\n".encode()


def run(progress: Callable[[str], None], players: int = PLAYERS) -> Iterator[Row]:
    from django.utils import timezone

    from ranking.modes.parameters import create_mode
    from ranking.rerating.reratings import request_rerating, rerate
    from ranking.seeds.planning import plan_seeds
    from ranking.seeds.seeding import seed_players
    from ranking.systems.foreign_scales import LinearScale
    from ranking.validation.rating_files import read_ratings

    slug = f"seeds-{timezone.now():%H%M%S}"
    mode = create_mode(slug=slug, name=slug, system="trueskill", now=timezone.now())

    def bring_along() -> tuple[float, float, int]:
        begun, worked = time.perf_counter(), time.process_time()
        lines, faults = read_ratings(file_of(players, slug))
        plan = plan_seeds(mode, lines, faults, LinearScale(), placed=True)
        outcomes = list(seed_players(plan, by=None, reason="benchmark", now=timezone.now()))
        seconds = time.perf_counter() - begun, time.process_time() - worked
        return *seconds, sum(outcome.written for outcome in outcomes)

    progress(f"bringing {players:,} ratings along")
    seconds, worked, written = bring_along()
    what = f"{written:,} ratings brought along; processor time of it"
    yield Row(what, f"{seconds:.1f} s", f"{worked:.1f} s", "", f"≤ {LONGEST:.0f} s", seconds <= LONGEST)
    again, _, written = bring_along()
    yield Row(f"the same file again: {written} written", f"{again:.1f} s", "", "", "0", not written)
    progress("rating them anew")
    begun = time.perf_counter()
    request_rerating(mode, reason="benchmark", now=timezone.now())
    rerate(mode)
    yield Row("the mode rated anew", f"{time.perf_counter() - begun:.1f} s", "", "", "", True)


def main() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

    from django.core.management import call_command

    from bench.measuring import table

    call_command("migrate", verbosity=0)
    players = int(sys.argv[1]) if len(sys.argv) > 1 else PLAYERS
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True), players))))


if __name__ == "__main__":
    main()
