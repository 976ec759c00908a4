"""Measures recording 5v5 results over HTTP against the same SQL by hand, and bulk requests against single ones."""

import http.client
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
from django.db import connection
from django.utils import timezone

from bench.floors import record_by_hand, ten_of
from bench.measuring import Row, at_least, at_most, compared, median
from bench.processes import cpu_seconds, postmaster
from ranking.models import Mode, Player, Rating, Season, Source
from ranking.modes.parameters import create_mode
from ranking.operations.keys import create_key
from ranking.standings.publishing import publish

PLAYERS = 5_000
CONCURRENCY = 4
SYSTEMS = ("trueskill", "margin")  # whose modes are compared
ROUNDS = 5
# No limit is met, nothing is logged, and what comes over HTTP counts as if a proxy had taken it over HTTPS.
ENVIRONMENT = {
    "RUNGS_LOG_LEVEL": "ERROR", "RUNGS_PROXIES": "1",
    "RUNGS_LIMIT_KEY": "100000000", "RUNGS_LIMIT_ADDRESS": "100000000",
}  # fmt: skip


def prepare() -> Mode:
    """A mode with PLAYERS players, each with a published rating."""
    now = timezone.now()
    slug = f"bench-{int(time.time())}"
    mode = create_mode(slug=slug, name="Bench", system="elo", team_size_max=5, placement_matches=0, now=now)
    Player.objects.bulk_create(
        [
            Player(key=f"bench-{number}", name=f"Bench {number}", search_name=f"bench {number}", created_at=now)
            for number in range(PLAYERS)
        ],
        ignore_conflicts=True,
    )
    season = Season.objects.get(mode=mode)
    Rating.objects.bulk_create(
        Rating(player=player, mode=mode, season=season, display_hundredths=2500, mu=25.0, reached_at=now)
        for player in Player.objects.filter(key__startswith="bench-")
    )
    publish(mode, now=now)
    return mode


@contextmanager
def web(settings: str = "config.settings", workers: int = 1) -> Iterator[tuple[int, int]]:
    """A web process, or the main one of several: its id and port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [
            *(sys.executable, "manage.py", "web", "--port", str(port)),
            *("--workers", str(workers), "--threads", str(CONCURRENCY)),
        ],
        stdout=subprocess.DEVNULL,
        env={**os.environ, **ENVIRONMENT, "DJANGO_SETTINGS_MODULE": settings},
    )
    try:
        _wait_for(port)
        yield process.pid, port
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int) -> None:
    for _ in range(300):
        try:
            http.client.HTTPConnection("127.0.0.1", port, timeout=5).request("GET", "/api/schema/")
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("The web process didn't start within a minute.")


class Sender(threading.local):
    """Connections kept open, one for each thread."""

    def __init__(self, port: int, key: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json",
                        "X-Forwarded-Proto": "https", "Host": "localhost"}  # fmt: skip

    def post(self, path: str, body: dict[str, Any], expected: int) -> None:
        self.connection.request("POST", path, json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != expected:
            raise SystemExit(f"{answer.status}: {text[:500]!r}")


def result(mode: str, rng: random.Random) -> dict[str, Any]:
    keys = ten_of(rng, PLAYERS)
    return {
        "id": f"bench-{rng.getrandbits(96):x}",
        "mode": mode,
        "ended_at": datetime.now(UTC).isoformat(),
        "duration": 600,
        "teams": [
            {"score": side, "players": [{"id": key, "seconds": 600, "stats": {"kills": 3}} for key in keys[side::2]]}
            for side in (0, 1)
        ],
    }


def timed(work: Callable[[int], None], count: int, pids: list[int]) -> tuple[float, float]:
    """Wall and processor seconds per unit, for `count` units by CONCURRENCY threads."""

    failures: list[BaseException] = []

    def share() -> None:
        try:
            for number in range(count // CONCURRENCY):
                work(number)
        except BaseException as failure:
            failures.append(failure)

    before, start = sum(map(cpu_seconds, pids)), time.perf_counter()
    threads = [threading.Thread(target=share) for _ in range(CONCURRENCY)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return (time.perf_counter() - start) / count, (sum(map(cpu_seconds, pids)) - before) / count


def prepare_systems() -> None:
    """An empty mode of each of SYSTEMS, named after it."""
    for key in SYSTEMS:
        if not Mode.objects.filter(slug=f"bench-{key}").exists():
            create_mode(slug=f"bench-{key}", name=key, system=key, team_size_max=5, now=timezone.now())


def run(progress: Callable[[str], None]) -> Iterator[Row]:
    prepare_systems()
    mode, source = prepare(), Source.objects.get_or_create(slug="bench", defaults={"created_at": timezone.now()})[0]
    key = create_key("bench", scopes=["results"], now=timezone.now())
    hand = threading.local()
    dsn = connection.get_connection_params()
    dsn = {name: dsn[name] for name in ("host", "port", "user", "password", "dbname") if dsn.get(name)}

    def by_hand(number: int) -> None:
        if not hasattr(hand, "connection"):
            hand.connection = psycopg.connect(**dsn)
        record_by_hand(hand.connection, mode.pk, source.pk, ten_of(random.Random(), PLAYERS))

    rows: dict[str, list[tuple[float, float]]] = {"single": [], "bulk": [], "hand": [], "validating": []}
    rows |= {system: [] for system in SYSTEMS}
    with web() as (pid, port), web("bench.validating") as (bare_pid, bare_port):
        sender, bare = Sender(port, key), Sender(bare_port, key)
        server, us = postmaster(), os.getpid()

        def single(number: int) -> None:
            sender.post("/api/v1/matches/", result(mode.slug, random.Random()), 201)

        def of_system(system: str) -> Callable[[int], None]:
            return lambda number: sender.post("/api/v1/matches/", result(f"bench-{system}", random.Random()), 201)

        def validating(number: int) -> None:
            bare.post("/api/v1/matches/", result(mode.slug, random.Random()), 201)

        def bulk(number: int) -> None:
            rng = random.Random()
            sender.post("/api/v1/matches/bulk/", {"matches": [result(mode.slug, rng) for _ in range(100)]}, 200)

        timed(single, 80, [])
        timed(by_hand, 80, [])
        for system in SYSTEMS:
            timed(of_system(system), 400, [])  # some know each other then
        for number in range(ROUNDS):
            progress(f"ingestion, round {number + 1} of {ROUNDS}")
            rows["single"].append(timed(single, 400, [pid, server]))
            rows["hand"].append(timed(by_hand, 400, [us, server]))
            rows["validating"].append(timed(validating, 400, [bare_pid]))
            for system in SYSTEMS if number % 2 else SYSTEMS[::-1]:
                rows[system].append(timed(of_system(system), 400, [pid, server]))
            wall, cpu = timed(bulk, 8, [pid, server])
            rows["bulk"].append((wall / 100, cpu / 100))
    yield from _ratios(rows)


def _ratios(rows: dict[str, list[tuple[float, float]]]) -> Iterator[Row]:
    for name, part in (("processor", 1), ("wall", 0)):
        single, hand, bulk, bare = (
            median([row[part] for row in rows[what]]) for what in ("single", "hand", "bulk", "validating")
        )
        yield at_least(f"POST matches/, 5v5, {name} time a result, against its SQL by hand", single, hand, 0.33)
        yield compared(f"POST matches/, 5v5, {name} time a result, against a view that only validates", single, bare)
        trueskill, margin = (median([row[part] for row in rows[system]]) for system in SYSTEMS)
        yield at_most(f"POST matches/, 5v5 by margin, {name} time a result, against trueskill", margin, trueskill, 1.25)
        yield at_least(f"bulk of 100, {name} time a result, against single", bulk, single, 3.0)
