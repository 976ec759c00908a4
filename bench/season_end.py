"""Measures the end of a season with very many rated players: `python -m bench.season_end [PLAYERS]`.

With the slug of a mode that `bench.population` has made, that one is ended instead of a new one.

A web process takes duels one by one, at a steady rate, before, during and after the end; in the late window and from
then on, every other one ended before the season did. A worker publishes every ten seconds, another one ends the
season once the late window is over. Meanwhile pages are read. All of it runs on this machine at once.
"""

import http.client
import itertools
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.measuring import Row, median

PLAYERS = 1_000_000
RATE = 100  # results a second
CLIENTS = 8
USUAL, LATE = 40, 20  # seconds before the season's end, and of its late window
DOORS, BLOCKED, SLOWER = 10.0, 10.0, 2.0  # the bounds: seconds, seconds, times
HEADERS = {"X-Forwarded-Proto": "https", "Host": "localhost", "Content-Type": "application/json"}

_WORKER = """
import sys, time
import django
django.setup()
from django.utils import timezone
from ranking.models import Mode, Season
from ranking.seasons.ending import end_season
from ranking.standings.publishing import publish
mode, what = Mode.objects.get(slug=sys.argv[1]), sys.argv[2]
while not Season.objects.filter(mode=mode, current=False).exclude(checksum="").exists():
    if what == "publish":
        publish(mode, now=timezone.now())
    else:
        end_season(mode)
    time.sleep(10 if what == "publish" else 0.1)
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked, in seconds since the season's end, and what came. `what`: a kind of results, or a page."""

    what: str
    at: float
    seconds: float
    status: int

    @property
    def until(self) -> float:
        return self.at + self.seconds


@dataclass(slots=True)
class Traffic:
    """Results that are sent to a web process at RATE, and pages that are read from it, all until `stop`."""

    port: int
    key: str
    mode: str
    players: int
    ends_at: datetime
    stop: threading.Event = field(default_factory=threading.Event)
    answers: list[Answer] = field(default_factory=list)

    def threads(self) -> list[threading.Thread]:
        senders = [threading.Thread(target=self._send, args=(client,)) for client in range(CLIENTS)]
        return [*senders, threading.Thread(target=self._read)]

    def _ask(self, connection: http.client.HTTPConnection, what: str, method: str, path: str, body: Any = None) -> None:
        headers = HEADERS | ({"Authorization": f"Bearer {self.key}"} if body else {})
        at, start = datetime.now(UTC) - self.ends_at, time.perf_counter()
        connection.request(method, path, json.dumps(body) if body else None, headers)
        answer = connection.getresponse()
        answer.read()
        self.answers.append(Answer(what, at.total_seconds(), time.perf_counter() - start, answer.status))

    def _send(self, client: int) -> None:
        rng, connection = random.Random(client), http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        begun = time.monotonic()
        for number in itertools.count():
            if self.stop.wait(max(0.0, begun + number * CLIENTS / RATE - time.monotonic())):
                return
            now = datetime.now(UTC)
            before = now < self.ends_at or number % 2
            ended_at = min(now, self.ends_at - timedelta(milliseconds=1)) if before else now
            teams = [
                {"place": place, "players": [{"id": f"{self.mode}-{player}"}]}
                for place, player in enumerate(rng.sample(range(1, self.players + 1), 2), 1)
            ]
            body = {"id": f"{client}-{number}", "mode": self.mode, "ended_at": ended_at.isoformat(), "teams": teams}
            self._ask(connection, "before" if before else "after", "POST", "/api/v1/matches/", body)

    def _read(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        board = f"/boards/{self.mode}/"
        pages = {"board": board, "board, middle": f"{board}?rank={self.players // 3}", "home": "/",
                 "player": f"/players/{self.mode}-1/"}  # fmt: skip
        for what, path in itertools.cycle(pages.items()):
            if self.stop.wait(0.05):
                return
            self._ask(connection, what, "GET", path)


def run(progress: Callable[[str], None], players: int = PLAYERS, slug: str = "") -> Iterator[Row]:
    from django.utils import timezone

    from bench.ingest import web
    from bench.population import make_population, spread_over_regions
    from ranking.models import Event, Match, Mode, Rerating, Season
    from ranking.operations.keys import create_key

    if slug:
        mode = Mode.objects.get(slug=slug)
        players = mode.ratings.count()
    else:
        progress(f"making {players:,} players")
        mode = make_population(players)
        spread_over_regions(mode)
    key = create_key(mode.slug, scopes=["results"], now=timezone.now())
    with web(workers=2) as (_, port):
        ends_at = timezone.now() + timedelta(seconds=USUAL)
        mode.late_results = LATE
        mode.save(update_fields=["late_results"])
        Season.objects.filter(mode=mode).update(ends_at=ends_at)
        traffic = Traffic(port, key, mode.slug, players, ends_at)
        threads = traffic.threads()
        publisher, worker = (
            subprocess.Popen([sys.executable, "-c", _WORKER, mode.slug, what]) for what in ("publish", "end")
        )
        for thread in threads:
            thread.start()
        progress(f"ending their season, in {USUAL + LATE} seconds")
        status = worker.wait()
        sealed = (timezone.now() - ends_at).total_seconds()
        publisher.wait()
        traffic.stop.set()
        for thread in threads:
            thread.join()
    if status:
        raise SystemExit(f"The worker ended with {status}.")
    ended = Rerating.objects.get(mode=mode)

    def since_late(moment: datetime | None) -> float:
        assert moment is not None
        return (moment - ends_at).total_seconds() - LATE

    rated = Event.objects.filter(match__in=Match.objects.filter(mode=mode, ended_at__gte=ends_at, late=False))
    waited = rated.filter(happened_at__lte=ended.finished_at).latest("happened_at").happened_at
    if Match.objects.filter(mode=mode, event=None).exists():
        raise SystemExit("Some results have never been rated.")
    yield _bound("doors closed beyond the late window", since_late(ended.finished_at), DOORS)
    yield _bound("the last result of the new season that waited is rated", since_late(waited), DOORS)
    yield _said("the worker begins", since_late(ended.started_at))
    yield _said("the next season is open", since_late(ended.switched_at))
    yield _said("the archive is sealed", sealed - LATE)
    yield from _results(traffic.answers, LATE, sealed)
    yield from _pages(traffic.answers, LATE, sealed)


def _results(answers: list[Answer], since: float, until: float) -> Iterator[Row]:
    usual = [answer for answer in answers if answer.what == "before" and -USUAL / 2 < answer.at < 0]
    during = [answer for answer in answers if answer.what in ("before", "after") and since <= answer.until <= until]
    before = [answer for answer in during if answer.what == "before"]
    refused = [answer for answer in answers if answer.what in ("before", "after") and answer.status not in (201, 202)]
    waiting = [answer for answer in answers if answer.what == "before" and answer.status != 201]
    count = sum(answer.what in ("before", "after") for answer in answers)
    yield Row("results sent, and refused", f"{count:,}", "", f"{len(refused)}", "0", not refused)
    yield Row("results from before the end that wait", f"{len(waiting)}", "", "", "0", not waiting)
    yield _bound("the longest that any result took", max(answer.seconds for answer in during), BLOCKED)
    yield _compared("a result from before the end: median, and usually", before, usual)


def _pages(answers: list[Answer], since: float, until: float) -> Iterator[Row]:
    for page in ("board", "board, middle", "home", "player"):
        of_page = [answer for answer in answers if answer.what == page]
        usual = [answer for answer in of_page if -USUAL / 2 < answer.at < 0]
        during = [answer for answer in of_page if since <= answer.until <= until]
        yield _compared(f"page, {page}: median, and usually", during, usual, SLOWER)
        failed = [answer for answer in of_page if answer.status != 200]
        worst = max(answer.seconds for answer in during) * 1e3
        worst_usually = max(answer.seconds for answer in usual) * 1e3
        yield Row(
            f"page, {page}: the slowest, and usually; errors", f"{worst:.0f} ms", f"{worst_usually:.0f} ms",
            f"{len(failed)}", "0", not failed,
        )  # fmt: skip


def _bound(what: str, seconds: float, most: float) -> Row:
    return Row(what, f"{seconds:.2f} s", "", "", f"≤ {most:.0f} s", seconds <= most)


def _said(what: str, seconds: float) -> Row:
    return Row(what, f"{seconds:.2f} s", "", "", "", True)


def _compared(what: str, during: list[Answer], usual: list[Answer], most: float | None = None) -> Row:
    ours, floor = (median([answer.seconds for answer in some]) * 1e3 for some in (during, usual))
    wanted = "" if most is None else f"≤ {most:.0f} ×"
    return Row(
        what, f"{ours:.1f} ms", f"{floor:.1f} ms", f"{ours / floor:.2f} ×", wanted, most is None or ours / floor <= most
    )


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
    asked = sys.argv[1] if len(sys.argv) > 1 else str(PLAYERS)
    players = {"players": int(asked)} if asked.isdecimal() else {"slug": asked}
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True), **players))))


if __name__ == "__main__":
    main()
