"""Pages kept for visitors without a session against pages that are made: `python -m bench.kept`.

Processor time of the web process and of its PostgreSQL backend, from the server's call to the last byte: with limits,
the log and the metrics. A mode is made for it, with PLAYERS players and MATCHES duels.

The last row is the share of kept pages while results come in: for SECONDS, readers ask for one page after another, of
addresses whose popularity falls with their rank (Zipf), and RESULTS duels a second are recorded. It is published once.
"""

import datetime as dt
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from django.conf import settings
from django.db import connection
from django.utils import timezone
from prometheus_client import REGISTRY

from bench.boards import page
from bench.measuring import Row, table
from bench.processes import scheduled_seconds
from config.serving.kept_pages import forget_pages
from ranking.database import shown_changes
from ranking.matches.recording import record_results
from ranking.models import Match, Mode, Rating, Source
from ranking.modes.parameters import create_mode
from ranking.rules.report import PlayerReport, Report, TeamReport
from ranking.standings.publishing import publish

PLAYERS, MATCHES = 100, 600
ROUNDS = 60
SHARE = 1 / 8  # of a page that is made
SECONDS, READERS, RESULTS = 60, 20, 2  # of the mixed load; pages asked for, and results, a second


def make_mode(rng: random.Random) -> tuple[Mode, Source]:
    """A mode that has been played for ten days, a minute between two duels at least."""
    now = timezone.now()
    slug = f"kept-{int(time.time())}"
    mode = create_mode(slug=slug, name="Kept", system="elo", team_size_max=1, placement_matches=3, now=now)
    source = Source.objects.create(slug=slug, created_at=now)
    step = dt.timedelta(days=10) / MATCHES
    reports = [duel(mode, rng, number, now - step * (MATCHES - number)) for number in range(MATCHES)]
    for report in reports:
        record_results([report], source=source, now=report.ended_at)
    _publish(mode)
    return mode, source


def _publish(mode: Mode) -> None:
    """Publish as the job does: the counts of what pages show become one row."""
    shown_changes.fold()
    publish(mode, now=timezone.now())


def duel(mode: Mode, rng: random.Random, number: int, ended_at: dt.datetime) -> Report:
    """A duel of two who are near each other in skill, which is their number."""
    one = rng.randrange(PLAYERS)
    other = (one + rng.randint(1, PLAYERS // 4)) % PLAYERS
    teams = [
        TeamReport(players=(PlayerReport(id=f"{mode.slug}-{player}", name=f"Kept {player}"),), score=score)
        for player, score in ((one, rng.random() + one / PLAYERS), (other, rng.random() + other / PLAYERS))
    ]
    return Report(id=f"{mode.slug}-{number}", mode=mode.slug, ended_at=ended_at, teams=tuple(teams))


def addresses(mode: Mode) -> dict[str, str]:
    """The kinds of pages, by name."""
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
    rng = random.Random(7)
    progress("kept pages: playing a mode")
    mode, source = make_mode(rng)
    limits = settings.LIMITS
    settings.LIMITS = {**limits, "address": 10**9}  # counted, and never reached
    try:
        for name, address in addresses(mode).items():
            progress(f"kept pages: {name}")
            made, kept = _measure(address)
            met = kept <= made * SHARE
            yield Row(f"{name}: kept against made, median processor time", f"{kept * 1e3:.2f} ms",
                      f"{made * 1e3:.2f} ms", f"{kept / made:.3f} ×", f"≤ {SHARE} ×", met)  # fmt: skip
        progress("kept pages: readers and results")
        yield _share_of_kept(mode, source, rng)
    finally:
        settings.LIMITS = limits
        forget_pages()


def _measure(address: str) -> tuple[float, float]:
    """Seconds of a page that is made and of one that is kept, in turn."""
    fetches = {keeps: page(address, headers={"accept-encoding": "gzip"}, keeps=keeps) for keeps in (False, True)}
    taken: dict[bool, list[float]] = {False: [], True: []}
    for number in range(ROUNDS + 2):
        for keeps, fetch in fetches.items():
            if keeps:
                fetch()  # it may have been a minute
            start = _seconds()
            fetch()
            if number >= 2:
                taken[keeps].append(_seconds() - start)
    forget_pages()
    return median(taken[False]), median(taken[True])


def _seconds() -> float:
    """Processor time of this process so far, and of its backend on PostgreSQL."""
    backend = 0.0
    if connection.vendor == "postgresql":
        connection.ensure_connection()
        backend = scheduled_seconds(connection.connection.info.backend_pid)
    return time.process_time() + backend


def _share_of_kept(mode: Mode, source: Source, rng: random.Random) -> Row:
    """Readers of home, boards, and of players and matches, of which the newest and the first are read the most."""
    keys = Rating.objects.filter(mode=mode, listed=True).order_by("-published_hundredths").values_list("player__key")
    players = [f"/players/{key}/" for (key,) in keys]
    matches = [f"/matches/{number}/" for (number,) in Match.objects.filter(mode=mode).order_by("-pk").values_list("pk")]
    board = f"/boards/{mode.slug}/"
    pages = [
        board,
        "/",
        f"{board}distribution/",
        f"{board}?rank=50",
        *(one for pair in zip(players, matches, strict=False) for one in pair),
    ]
    weights = [1 / (rank + 1) for rank in range(len(pages))]
    before = _outcomes()
    begun = time.monotonic()
    for number in range(SECONDS * RESULTS):
        report = duel(mode, rng, MATCHES + number, timezone.now())
        record_results([report], source=source, now=timezone.now())
        for address in rng.choices(pages, weights, k=READERS // RESULTS):
            page(address, headers={"accept-encoding": "gzip"}, keeps=True)()
        if number == SECONDS * RESULTS // 2:
            _publish(mode)
        time.sleep(max(0.0, begun + (number + 1) / RESULTS - time.monotonic()))
    hits, misses = (after - count for after, count in zip(_outcomes(), before, strict=True))
    return Row(f"{READERS} pages asked for and {RESULTS} results a second: kept pages, of all", f"{hits:.0f}",
               f"{hits + misses:.0f}", f"{hits / (hits + misses):.2f} ×", "", True)  # fmt: skip


def _outcomes() -> tuple[float, float]:
    """The pages that were kept and those that were made, as the metrics count them."""
    kept, made = (REGISTRY.get_sample_value("rungs_kept_pages_total", {"outcome": name}) for name in ("kept", "made"))
    return kept or 0.0, made or 0.0


if __name__ == "__main__":
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True)))))
