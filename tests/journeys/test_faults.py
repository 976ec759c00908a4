"""What a site survives: kill -9 of its processes under load, a broker or a database that goes and comes back.

Nothing that was answered is lost, nothing is doubled, and what wasn't answered can be sent again.
"""

import itertools
import json
import os
import random
import signal
import time

import pytest
from celery import Celery

from tests.support.load import RECORDED, Load
from tests.support.servers import SCALED, server_query, wait_until
from tests.support.sites import children_among, report

pytestmark = pytest.mark.faults

KILLS = 10 if SCALED else 3
PAUSE = 1.2 if SCALED else 6.0  # Granian gives up a process that dies twice within 5.5 s; only scaled starts it again
scaled_only = pytest.mark.skipif(not SCALED, reason="of the scaled profile")


def victims(site, kind):
    if kind == "web":
        return children_among(site.processes("manage.py", "web"))
    workers = site.processes("celery", "worker")
    pool = children_among(workers)
    return pool if kind == "pool" else [process for process in workers if process not in pool]


def kill_one(site, kind):
    """Kill one process of a kind outright. False if there is none, such as between two pool processes."""
    try:
        os.kill(random.choice(victims(site, kind)), signal.SIGKILL)
    except (IndexError, ProcessLookupError):
        return False
    return True


def check_nothing_lost_or_doubled(site, load):
    """Everything answered is there; what wasn't is recorded now or was already; each is there once."""
    answered = {name for name, status in load.answers.items() if status in (200, 201)}
    assert set(load.answers.values()) <= {0, 200, 201, 503}
    recorded = json.loads(site.shell(RECORDED))
    assert answered <= set(recorded)
    assert site.send_again(load.unanswered()) <= {200, 201}
    recorded = json.loads(site.shell(RECORDED))
    assert sorted(name for name in recorded if name.startswith(f"{load.name}-")) == sorted(load.reports)
    assert site.manage("doctor") == "All is well.\n"


def test_processes_killed_outright_under_load(site):
    """Again and again: web processes, and in the scaled profile pool processes and whole workers, with jobs to do."""
    kinds = itertools.cycle(["web", "pool", "web", "worker"] if SCALED else ["web"])
    jobs = Celery(broker=site.environment["RUNGS_REDIS_URL"]) if SCALED else None
    with Load(site, "killed") as load:
        for kind in itertools.islice(kinds, KILLS):
            for _ in range(10):
                if jobs:
                    jobs.send_task("ranking.publish_standings")
                time.sleep(PAUSE / 10)
            assert wait_until(lambda kind=kind: kill_one(site, kind))
        assert wait_until(lambda: site.get("/health/ready")[0] == 200)
    assert sum(status == 201 for status in load.answers.values()) > 20
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
            assert (status, json.loads(body)["title"]) == (503, "Service Unavailable")
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
    second.wait(10)
    check_nothing_lost_or_doubled(site, load)
