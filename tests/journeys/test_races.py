"""Results, acts of moderators and breaks at once: nothing answered is lost or doubled, and every rating is as told.

RACE_SECONDS=300 is the full run; the default is 20.
"""

import itertools
import json
import os
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.journeys.test_faults import kill_one
from tests.support.paths import ROOT
from tests.support.patience import waits
from tests.support.servers import SCALED, server_query, wait_until
from tests.support.sites import children_among, report

pytestmark = [
    pytest.mark.faults,
    pytest.mark.long,
    pytest.mark.skipif(not SCALED, reason="On SQLite writers take turns."),
]
SECONDS = float(os.environ.get("RACE_SECONDS") or 20)
SENDERS, ACTORS, PLAYERS = 3, 2, 40
BREAK_EVERY = 5.0  # seconds between two breaks
TAKEN, RETRIED = (200, 201, 202), (0, 503)
REFUSED = (400, 409)  # both of a pair may be one player by then; another result may have the id
SQUAD = """
from django.utils import timezone
from ranking.modes.parameters import create_mode
create_mode(slug="squad", name="Squad", system="elo", placement_matches=1, team_size_max=6, now=timezone.now())
"""


class Sender:
    """A game server that sends the same result again, results of the same players in turned orders, and another result
    with an id that it has used; `answers`: by id, each final status with the place of the first team that was sent.
    """

    def __init__(self, site: Any, number: int) -> None:
        self.site, self.number, self.rng = site, number, random.Random(number)
        self.answers: dict[str, list[tuple[int, str]]] = {}
        self.retries = 0

    def send_until(self, at: float) -> None:
        kinds = itertools.cycle([self._same, self._turned, self._other])
        with ThreadPoolExecutor(8) as pool:
            for number in itertools.count():
                if time.monotonic() > at:
                    return
                list(pool.map(self._send, *zip(*next(kinds)(f"race-{self.number}-{number}"), strict=True)))

    def _pair(self) -> list[str]:
        return [f"player-{number}" for number in self.rng.sample(range(PLAYERS), 2)]

    def _made(self, name: str, pair: list[str]) -> dict[str, Any]:
        return {**report(name, *pair), "mode": self.rng.choice(["duel", "squad"])}

    def _same(self, name: str) -> list[tuple[dict[str, Any], str]]:
        made = self._made(name, self._pair())
        return [(made, name if number % 2 else "") for number in range(8)]

    def _turned(self, name: str) -> list[tuple[dict[str, Any], str]]:
        pair = self._pair()
        return [(self._made(f"{name}-{turn}", pair[:: 1 - 2 * (turn % 2)]), "") for turn in range(6)]

    def _other(self, name: str) -> list[tuple[dict[str, Any], str]]:
        pair, mode = self._pair(), self.rng.choice(["duel", "squad"])
        return [({**report(name, *pair[:: 1 - 2 * (turn % 2)]), "mode": mode}, "") for turn in range(6)]

    def _send(self, made: dict[str, Any], key: str) -> None:
        headers = {"Authorization": f"Bearer {self.site.key}", **({"Idempotency_Key": key} if key else {})}
        for _ in waits(60):
            status, body = self.site.send("POST", "/api/v1/matches/", made, **headers)
            again = status in RETRIED or (status == 409 and json.loads(body)["code"] == "request-in-flight")
            if not again:
                first = made["teams"][0]["players"][0]["id"]
                self.answers.setdefault(made["id"], []).append((status, first))
                return
            self.retries += 1
        raise AssertionError(f"{made['id']} is never answered: {status} {body}")


def break_things(site: Any, stop: threading.Event) -> int:
    """End connections to the database, forget what Redis holds, kill processes of the worker; returns how often."""
    rng, name, breaks = random.Random(5), site.database.rpartition("/")[2], 0
    some = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND random() < 0.3"
    while not stop.wait(BREAK_EVERY):
        kind = rng.choice(["connections", "connections", "redis", "pool"])
        if kind == "connections":
            server_query(some)
        elif kind == "redis":
            subprocess.run(["redis-cli", "-p", str(site.redis.port), "flushall"], check=True, capture_output=True)
        else:
            kill_one(children_among(site.processes("celery", "worker")))
        breaks += 1
    return breaks


def act(site: Any, seed: int) -> "subprocess.Popen[str]":
    code = f"from tests.support import racing; racing.act({SECONDS}, {seed})"
    return subprocess.Popen(
        [sys.executable, "manage.py", "shell", "--no-imports", "-v0", "-c", code],
        cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def tell(site: Any) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(site.shell("from tests.support import racing; racing.tell()").splitlines()[-1])
    return told


RECORDED = """
import json
from ranking.models import Match
print(json.dumps(list(Match.objects.values_list("external_id", flat=True))))
"""


def test_nothing_is_lost_or_doubled_whatever_happens_at_once(site: Any) -> None:
    site.shell(SQUAD)
    senders, stop = [Sender(site, number) for number in range(SENDERS)], threading.Event()
    with ThreadPoolExecutor(SENDERS + 1) as pool:
        breaking = pool.submit(break_things, site, stop)
        actors = [act(site, seed) for seed in range(ACTORS)]
        until = time.monotonic() + SECONDS
        sending = [pool.submit(sender.send_until, until) for sender in senders]
        said = [actor.communicate() for actor in actors]
        for sent in sending:
            sent.result()
        stop.set()
    assert [actor.returncode for actor in actors] == [0] * ACTORS, said
    assert wait_until(lambda: site.get("/health/ready")[0] == 200, 120)
    found = tell(site)
    for _ in waits(180, every=2):
        if not any(found["waiting"].values()):
            break
        found = tell(site)
    answers = {name: given for sender in senders for name, given in sender.answers.items()}
    sys.stdout.write(f"{sum(map(len, answers.values()))} answers for {len(answers)} ids, {breaking.result()} breaks, ")
    sys.stdout.write(
        f"{sum(sender.retries for sender in senders)} sent again; {found}; acts {[out for out, _ in said]}\n"
    )
    assert {status for given in answers.values() for status, _ in given} <= {*TAKEN, *REFUSED}
    taken = {name for name, given in answers.items() if any(status in TAKEN for status, _ in given)}
    assert sorted(json.loads(site.shell(RECORDED))) == sorted(taken)
    for name, given in answers.items():  # who was answered that theirs is recorded sent what is recorded
        assert len({first for status, first in given if status in TAKEN}) <= 1, (name, given)
    assert (found["waiting"], found["same"]) == ({"results": 0, "outbox": 0, "reratings": 0}, True)
    assert site.manage("doctor").splitlines()[-1] == "All is well."  # hints come before
