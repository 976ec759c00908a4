"""What a site survives: kill -9 of its processes under load, a broker or a database that goes and comes back.

Nothing that was answered is lost, nothing is doubled, and what wasn't answered can be sent again.
"""

import itertools
import json
import os
import random
import signal
import sys
import time

import pytest
from celery import Celery

from config.celery import URGENT
from tests.support.load import Load, check_nothing_lost_or_doubled
from tests.support.servers import SCALED, free_port, server_query, wait_until
from tests.support.sites import children_among, parent_of, report

pytestmark = pytest.mark.faults

KILLS = int(os.environ.get("KILLS") or (30 if SCALED else 10))
KINDS = ("web", "pool", "lone", "worker", "web", "pool", "redis") if SCALED else ("web", "lone")
APART = 0.0 if SCALED else 5.6  # Granian gives up a process that dies twice within 5.5 s; only scaled starts it again
ANSWERED = 5  # results that are recorded between two kills
PATIENCE = 120  # seconds that a process may take to start on a busy machine
scaled_only = pytest.mark.skipif(not SCALED, reason="of the scaled profile")


class Killer:
    """Kills processes of a site outright, one after the other, as soon as the site has recovered from the last kill.

    Beside the site runs a web process that was started alone, on the same database.
    """

    def __init__(self, site, load):
        self.site, self.load = site, load
        self.lone = self._start_lone()
        self._web_at = 0.0

    def _start_lone(self):
        return self.site.start("web", "--port", str(free_port()))

    def kill(self, kind):
        if kind == "web":
            time.sleep(max(0.0, self._web_at + APART - time.monotonic()))
        before = self._recorded()
        assert wait_until(lambda: getattr(self, f"_kill_{kind}")(), PATIENCE)
        self._web_at = time.monotonic() if kind == "web" else self._web_at
        assert wait_until(lambda: self._recorded() >= before + ANSWERED, PATIENCE)

    def _recorded(self):
        return sum(status == 201 for status in list(self.load.answers.values()))

    def _kill_web(self):
        web = self.site.processes("web")
        return kill_one([process for process in children_among(web) if parent_of(process) != self.lone.pid])

    def _kill_lone(self):
        """Kill the main process, once it has workers: they end, too. Start another."""
        workers = [process for process in self.site.processes("web") if parent_of(process) == self.lone.pid]
        if not workers:
            return False
        self.end_lone()
        assert wait_until(lambda: not set(workers) & set(self.site.processes("web")), 10)
        self.lone = self._start_lone()
        return True

    def end_lone(self):
        self.lone.kill()
        self.lone.wait()

    def _kill_pool(self):
        return kill_one(children_among(self.site.processes("celery", "worker")))

    def _kill_worker(self):
        workers = self.site.processes("celery", "worker")
        return kill_one(sorted(set(workers) - set(children_among(workers))))

    def _kill_redis(self):
        self.site.redis.kill()
        self.site.redis.start()
        return True


def kill_one(processes):
    """Kill one of these processes outright. False if there is none, such as between two pool processes."""
    try:
        os.kill(random.choice(processes), signal.SIGKILL)
    except (IndexError, ProcessLookupError):
        return False
    return True


def test_processes_killed_outright_under_load(site):
    """Again and again: web processes, one that was started alone, and in the scaled profile workers and Redis, too."""
    jobs = Celery(broker=site.environment["RUNGS_REDIS_URL"]) if SCALED else None
    begun = time.monotonic()
    with Load(site, "killed") as load:
        killer = Killer(site, load)
        for kind in itertools.islice(itertools.cycle(KINDS), KILLS):
            for _ in range(5 if jobs else 0):
                jobs.send_task("ranking.publish_standings", queue=URGENT)
            killer.kill(kind)
        sys.stdout.write(f"{KILLS} kills in {time.monotonic() - begun:.0f} s\n")
        killer.end_lone()
        assert wait_until(lambda: site.get("/health/ready")[0] == 200)
    assert sum(status == 201 for status in load.answers.values()) >= ANSWERED * KILLS
    check_nothing_lost_or_doubled(site, load)


@scaled_only
def test_the_broker_gone_and_back(site):
    """Results are taken without it; boards stand still until it is back, then go on by themselves."""
    site.redis.kill()
    with Load(site, "unbrokered") as load:
        time.sleep(3)
    assert set(load.answers.values()) == {201}
    status, body = site.get("/health/ready")
    checks = json.loads(body)["checks"]
    assert (status, {name for name, said in checks.items() if said != "ready"}) == (503, {"broker", "cache"})
    assert site.get("/health/ready?only=database,migrations")[0] == 200
    site.redis.start()
    assert site.post_result(report("back", "AfterTheBreak", "player-1")) == 201
    assert wait_until(lambda: "AfterTheBreak" in site.get("/boards/duel/")[1], 60)
    check_nothing_lost_or_doubled(site, load)


@scaled_only
def test_the_database_gone_and_back(site):
    name = site.database.rpartition("/")[2]
    with Load(site, "undatabased") as load:
        time.sleep(1)
        server_query(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        try:
            server_query(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
            time.sleep(1)
            status, body = site.send("POST", "/api/v1/matches/", {}, Authorization=f"Bearer {site.key}")
            assert (status, json.loads(body)["code"]) == (503, "database-unavailable")
            status, body = site.get("/boards/duel/")
            assert (status, "<h1>Service Unavailable</h1>" in body) == (503, True)
            checks = json.loads(site.get("/health/ready")[1])["checks"]
            assert {name for name, said in checks.items() if said != "ready"} == {"database", "migrations", "writes"}
            assert site.get("/health/live")[0] == 200
        finally:
            server_query(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert wait_until(lambda: site.get("/health/ready")[0] == 200)
        time.sleep(1)
    check_nothing_lost_or_doubled(site, load)


@scaled_only
def test_two_beats_are_harmless(site):
    second = site.start("beat")
    with Load(site, "beaten") as load:
        time.sleep(4)
    assert second.poll() is None
    second.terminate()
    second.wait(60)
    check_nothing_lost_or_doubled(site, load)
