"""Pages kept for visitors without a session against pages that are made: `python -m bench.kept`.

Processor time of the web process and of its PostgreSQL backend, from the server's call to the last byte: with limits,
the log and the metrics. The database is one that has matches, such as the demo's; the pages are of its largest mode.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from django.conf import settings
from django.core.cache import caches
from django.db import connection

from bench.boards import page
from bench.measuring import Row, table
from bench.processes import cpu_seconds
from config.serving.kept_pages import CACHE
from ranking.models import Match, Mode, Rating

ROUNDS = 60
SHARE = 1 / 8  # of a page that is made
AIM = 1.5e-3  # seconds of a kept page


def addresses() -> dict[str, str]:
    """The kinds of pages, by name."""
    mode = max(Mode.objects.filter(ranked=True), key=lambda mode: Rating.objects.filter(mode=mode, listed=True).count())
    top = Rating.objects.filter(mode=mode, listed=True).order_by("-published_hundredths").select_related("player")[0]
    match = Match.objects.filter(mode=mode, participations__player=top.player).latest("pk")
    board, player = f"/boards/{mode.slug}/", f"/players/{top.player.key}/"
    return {
        "home": "/",
        "board": board,
        "board from rank 10": f"{board}?rank=10",
        "tiers": f"{board}tiers/",
        "distribution": f"{board}distribution/",
        "seasons of a mode": f"{board}seasons/",
        "player": player,
        "matches of a player": f"{player}matches/",
        "match": f"/matches/{match.pk}/",
        "board, API": f"/api/v1{board}",
        "player, API": f"/api/v1{player}",
        "match, API": f"/api/v1/matches/{match.pk}/",
    }


def run(progress: Callable[[str], None]) -> Iterator[Row]:
    settings.LIMITS = {**settings.LIMITS, "address": 10**9}  # counted, and never reached
    for name, address in addresses().items():
        progress(name)
        made, kept = _measure(address)
        met = kept <= made * SHARE
        yield Row(f"{name}: kept against made, median processor time", f"{kept * 1e3:.2f} ms", f"{made * 1e3:.2f} ms",
                  f"{kept / made:.3f} ×", f"≤ {SHARE} ×", met)  # fmt: skip


def _measure(address: str) -> tuple[float, float]:
    """Seconds of a page that is made and of one that is kept, in turn."""
    fetch = page(address, headers={"accept-encoding": "gzip"})
    taken: dict[bool, list[float]] = {False: [], True: []}
    server = dict.fromkeys(taken, 0.0)
    for number in range(ROUNDS + 2):
        for keeps in taken:
            settings.KEPT_PAGES = keeps
            if keeps:
                fetch()  # it may have been a minute
            before, start = _server_seconds(), time.process_time()
            fetch()
            seconds = time.process_time() - start
            if number >= 2:
                taken[keeps].append(seconds)
                server[keeps] += _server_seconds() - before
    caches[CACHE].clear()
    made, kept = (median(taken[keeps]) + server[keeps] / ROUNDS for keeps in (False, True))
    return made, kept


def _server_seconds() -> float:
    """Of our backend, on PostgreSQL."""
    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cpu_seconds(int(cursor.fetchone()[0]))


if __name__ == "__main__":
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True)))))
