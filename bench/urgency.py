"""Measures what long jobs do to the urgent ones: `python -m bench.urgency [--matches 20000] [--minutes 3]`.

Runs on either profile and wants a database of its own, which it fills; Redis, too, if it is scaled. A fit of six
systems, an evaluation of eight, a re-rating and a search for abuse of one mode are begun again and again, while one
player waits in the queue of another mode, somebody reads that one's board, and a result of it comes every two seconds.
First the same is measured without them.
"""

import contextlib
import datetime as dt
import http.client
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

from bench.measuring import Row, p95

MATCHES, MINUTES, QUIET = 100_000, 10.0, 60.0
LIVE = 2_000  # matches of the mode that is watched
SYSTEMS = {"fit": 6, "evaluation": 8}
RERATED_EVERY = 60.0  # seconds from one request to the next
RESULT_EVERY = 2.0  # seconds
TICK, LONGEST_TICK, BOARD, SLOWER = 5.0, 10.0, 75.0, 2.0  # the bounds: seconds, seconds, seconds, times
RESULT, LONGEST_RESULT = 5.0, 20.0  # seconds; after 20, SQLite gives up
MANAGE = Path(__file__).parents[1] / "manage.py"
HEADERS = {"X-Forwarded-Proto": "https", "Host": "localhost"}
MODE, WATCHED = "history", "watched"


@dataclass(slots=True)
class Observations:
    """What was seen. `ticks`: times of ticks; `ages`: seconds of the board's age.

    `pages`, `results`: seconds until each was answered.
    """

    ticks: list[dt.datetime] = field(default_factory=list)
    ages: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    results: list[float] = field(default_factory=list)

    def gaps(self, until: dt.datetime) -> list[float]:
        """Seconds between two ticks, and from the last one until now."""
        return [(b - a).total_seconds() for a, b in itertools.pairwise([*self.ticks, until])]


def run(progress: Callable[[str], None], matches: int, minutes: float, quiet: float) -> Iterator[Row]:
    progress(f"recording {matches:,} matches")
    _fill(matches)
    with _site() as port:
        progress(f"{quiet:.0f} s without long jobs")
        calm, _ = _watch(port, quiet, load=False)
        progress(f"{minutes:g} minutes with them")
        busy, begun = _watch(port, 60 * minutes, load=True)
    progress(f"begun: {begun}")
    for when, seen in (("at rest", calm), ("under long jobs", busy)):
        gaps = seen.gaps(seen.ticks[-1])
        yield _row(f"from tick to tick {when}, p99", _p99(gaps), TICK)
        yield _row(f"from tick to tick {when}, longest", max(gaps), LONGEST_TICK)
        yield _row(f"age of the board {when}, oldest", max(seen.ages), BOARD)
        yield _row(f"a result {when}, p99", _p99(seen.results), RESULT)
        yield _row(f"a result {when}, longest", max(seen.results), LONGEST_RESULT)
    ratio = p95(busy.pages) / p95(calm.pages)
    yield Row(
        "a board page, p95: under long jobs, against at rest", f"{p95(busy.pages) * 1e3:.0f} ms",
        f"{p95(calm.pages) * 1e3:.0f} ms", f"{ratio:.2f} ×", f"≤ {SLOWER:g} ×", ratio <= SLOWER,
    )  # fmt: skip


def _p99(seconds: list[float]) -> float:
    return quantiles(seconds, n=100, method="inclusive")[-1]


def _row(what: str, seconds: float, bound: float) -> Row:
    return Row(what, f"{seconds:.1f} s", "", "", f"≤ {bound:g} s", seconds <= bound)


def _fill(matches: int) -> None:
    """A mode with this many matches; another one with a queue in which one player waits. Made once in a database."""
    from django.core.management import call_command
    from django.utils import timezone

    from bench.ladder import ladder
    from matchmaking.models import Queue
    from matchmaking.queues.queueing import queue_player
    from ranking.models import Mode, Player

    if Mode.objects.filter(slug=MODE).exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        for mode, count in ((MODE, matches), (WATCHED, LIVE)):
            players = max(50, count // 100)
            file = Path(folder) / f"{mode}.jsonl"
            with file.open("w") as lines:
                for result in ladder(players, -(-2 * count // players), 1, 7, True):
                    lines.write(json.dumps({**result, "mode": mode}) + "\n")
            call_command("import_matches", file, source=mode, create_mode="elo", shift_to_now=True)
    now = timezone.now()
    queue = Queue.objects.create(mode=Mode.objects.get(slug=WATCHED), team_size=1, longest_wait=86_400)
    queue_player(Player.objects.earliest("pk"), queue, now=now)


@contextlib.contextmanager
def _site() -> Iterator[int]:
    """The port of a site of all processes."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, str(MANAGE), "serve", "--port", str(port), "--with-parent"]
    process = subprocess.Popen(command, env={**os.environ, "RUNGS_PROXIES": "1"}, stdout=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with contextlib.suppress(OSError):
                _get(port, "/health/live")
                break
            time.sleep(0.2)
        time.sleep(20)  # the first of all jobs
        yield port
    finally:
        process.terminate()
        process.wait()


def _get(port: int, path: str) -> float:
    """Seconds that a page took. Raises SystemExit unless it was answered with 200."""
    return _ask(port, "GET", path, 200)


def _ask(port: int, method: str, path: str, expected: int, body: str | None = None, **headers: str) -> float:
    """Seconds that a request took. Raises SystemExit unless it was answered with this status."""
    connection, begun = http.client.HTTPConnection("127.0.0.1", port, timeout=60), time.perf_counter()
    with contextlib.closing(connection):
        connection.request(method, path, body, HEADERS | headers)
        answer = connection.getresponse()
        answer.read()
    if answer.status != expected:
        raise SystemExit(f"{path} was answered with {answer.status}.")
    return time.perf_counter() - begun


def _watch(port: int, seconds: float, *, load: bool) -> tuple[Observations, dict[str, int]]:
    """Watch for so long; return what was seen, and how many long jobs were begun, by kind."""
    from django.utils import timezone

    from matchmaking.models import Queue
    from ranking.models import Snapshot
    from ranking.operations.keys import create_key

    key = create_key("urgency", scopes=["results"], now=timezone.now())
    seen, begun, stop = (
        Observations(),
        dict.fromkeys(("fit", "evaluation", "re-rating", "search"), 0),
        threading.Event(),
    )
    threads = [
        threading.Thread(target=_read_pages, args=(port, seen, stop)),
        threading.Thread(target=_post_results, args=(port, key, seen, stop)),
        *([threading.Thread(target=_begin_again, args=(begun, stop))] if load else []),
    ]
    for thread in threads:
        thread.start()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ticked_at = Queue.objects.values_list("ticked_at", flat=True).get(mode__slug=WATCHED)
        if ticked_at and ticked_at not in seen.ticks[-1:]:
            seen.ticks.append(ticked_at)
        newest = Snapshot.objects.filter(mode__slug=WATCHED, region="").latest("taken_at").taken_at
        seen.ages.append((timezone.now() - newest).total_seconds())
        time.sleep(0.25)
    seen.ticks.append(timezone.now())
    stop.set()
    for thread in threads:
        thread.join()
    return seen, begun


def _read_pages(port: int, seen: Observations, stop: threading.Event) -> None:
    while not stop.wait(0.25):
        seen.pages.append(_get(port, f"/boards/{WATCHED}/"))


def _post_results(port: int, key: str, seen: Observations, stop: threading.Event) -> None:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    while not stop.wait(RESULT_EVERY):
        teams = [{"place": place, "players": [{"id": f"p{place}"}]} for place in (1, 2)]
        ended_at = dt.datetime.now(dt.UTC).isoformat()
        body = json.dumps({"id": uuid.uuid4().hex, "mode": WATCHED, "ended_at": ended_at, "teams": teams})
        seen.results.append(_ask(port, "POST", "/api/v1/matches/", 201, body, **headers))


def _begin_again(begun: dict[str, int], stop: threading.Event) -> None:
    """Begin each long job again when the last of its kind has ended; a mode may refuse some while it is rated anew."""
    from django.db import connection
    from django.utils import timezone

    from ranking.models import Mode
    from ranking.rerating.reratings import is_rerating_due, request_rerating
    from ranking.systems.base import Refused
    from ranking.systems.registry import SYSTEMS as ALL
    from ranking.trials.candidates import fittable_systems
    from ranking.trials.runs import ask_for_evaluation, ask_for_fit

    mode = Mode.objects.get(slug=MODE)
    candidates = [{"system": key, "params": {}} for key in ALL][: SYSTEMS["evaluation"]]
    beginnings: dict[str, Callable[[], Any]] = {
        "fit": lambda: ask_for_fit(mode, fittable_systems(mode)[: SYSTEMS["fit"]], by=None, now=timezone.now()),
        "evaluation": lambda: ask_for_evaluation(mode, candidates, by=None, now=timezone.now()),
    }
    search: subprocess.Popen[bytes] | None = None
    rerated_at = time.monotonic()
    while not stop.wait(1):
        for kind, begin in beginnings.items():
            with contextlib.suppress(Refused):
                begin()
                begun[kind] += 1
        if time.monotonic() - rerated_at >= RERATED_EVERY and not is_rerating_due(mode):
            request_rerating(mode, reason="benchmark", now=timezone.now())
            rerated_at = time.monotonic()
            begun["re-rating"] += 1
        if search is None or search.poll() is not None:
            search = _begin_search()
            begun["search"] += 1
    if search:
        search.terminate()
        search.wait()
    connection.close()


def _begin_search() -> "subprocess.Popen[bytes]":
    """The nightly search begins once a day, so a process of our own does it with the priority of a long job."""
    command = ["nice", "-n", "19", sys.executable, str(MANAGE), "report_abuse", "--mode", MODE]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=MATCHES)
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--quiet", type=float, default=QUIET, help="seconds without long jobs")
    options = parser.parse_args()

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

    from django.core.management import call_command

    from bench.measuring import table

    call_command("migrate", verbosity=0)
    rows = run(
        lambda what: print(f"… {what}", file=sys.stderr, flush=True), options.matches, options.minutes, options.quiet
    )
    print(table(list(rows)))


if __name__ == "__main__":
    main()
