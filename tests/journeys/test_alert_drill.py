"""A drill: what goes wrong makes its alert fire, on a real site with a real Prometheus, and the runbook mends it.

The alerts wait for a second instead of minutes; one test takes the file as it is.
"""

import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from tests.support.paths import ROOT
from tests.support.prometheus import Prometheus
from tests.support.servers import SCALED, new_database, server_query, wait_until
from tests.support.sites import TOKEN, Site, report

pytestmark = pytest.mark.faults

JOBS = ("worker", "beat") if SCALED else ("jobs",)
WORKER = JOBS[0]
PATIENCE = 180.0  # seconds, on a busy machine
RUNBOOK = (ROOT / "docs/runbook.md").read_text()


class Drill:
    """A site whose processes were started one by one, so that nobody starts them again; and a Prometheus beside it."""

    def __init__(self, site, folder, *, as_written=False):
        self.site = site
        self.web = site.start("web", "--port", str(site.port))
        self.started = {name: site.start(name) for name in JOBS}
        assert wait_until(lambda: site.get("/health/ready")[0] == 200, PATIENCE), site.log.read_text()
        self.prometheus = Prometheus(folder, f"127.0.0.1:{site.port}", TOKEN, as_written=as_written)

    def begins_well(self):
        """Every job has succeeded, and no alert fires."""
        assert wait_until(lambda: self.prometheus.finds("rungs_board_age_seconds < 5"), PATIENCE)
        never = "rungs_job_last_success_timestamp_seconds == 0"
        assert wait_until(lambda: not self.prometheus.finds(never), PATIENCE), self.site.log.read_text()[-5_000:]
        assert wait_until(lambda: self.prometheus.firing() == set(), PATIENCE), self.prometheus.firing()

    def fires(self, *alerts, within=PATIENCE):
        began = time.monotonic()
        assert wait_until(lambda: self.prometheus.firing() >= set(alerts), within), self.prometheus.firing()
        sys.stdout.write(f"{', '.join(alerts)} fired after {time.monotonic() - began:.0f} s\n")

    def is_mended(self, *alerts, within=PATIENCE):
        began = time.monotonic()
        assert wait_until(lambda: not self.prometheus.firing() & set(alerts), within), self.prometheus.firing()
        sys.stdout.write(f"{', '.join(alerts)} mended after {time.monotonic() - began:.0f} s\n")

    def close(self):
        self.prometheus.close()
        for process in (self.web, *self.started.values()):
            process.kill()
            process.wait()

    def stop(self, name):
        self.started[name].terminate()
        self.started[name].wait(30)

    def start(self, name):
        self.started[name] = self.site.start(name)


@pytest.fixture
def site(prepared, tmp_path, _static_files):
    running = Site(tmp_path, new_database(tmp_path, template=prepared[0]))
    running.key = prepared[1]
    try:
        yield running
    finally:
        running.close()


@pytest.fixture
def drill(site, tmp_path):
    going_on = Drill(site, tmp_path)
    try:
        going_on.begins_well()
        yield going_on
    finally:
        going_on.close()


def part_of(alert):
    """An alert's part of the runbook."""
    return re.search(rf"^## {alert}$(.*?)(?=^## |\Z)", RUNBOOK, re.MULTILINE | re.DOTALL)[1]


@pytest.mark.long
def test_the_worker_stopped_redis_gone_boards_old_no_writes(drill):
    worker_stopped(drill)
    if SCALED:
        redis_gone(drill)
    boards_old(drill)
    no_writes(drill)
    assert drill.site.manage("doctor").splitlines()[-1] == "All is well."  # hints come before


def worker_stopped(drill):
    assert f"`bin/rungs {WORKER}`" in part_of("RungsJobsStand")
    drill.stop(WORKER)
    drill.fires("RungsJobsStand", "RungsBoardsOld")
    assert drill.site.post_result(report("unattended", "Kestrel", "Wren")) == 201
    drill.start(WORKER)
    drill.is_mended("RungsJobsStand", "RungsBoardsOld")
    assert wait_until(lambda: "Kestrel" in drill.site.get("/boards/duel/")[1])


def redis_gone(drill):
    assert "start Redis" in part_of("RungsRedisGone")
    drill.site.redis.kill()
    drill.fires("RungsRedisGone")
    assert drill.site.post_result(report("without-redis", "Kestrel", "Wren")) == 201
    drill.site.redis.start()
    drill.is_mended("RungsRedisGone", "RungsJobsStand", "RungsBoardsOld")


def boards_old(drill):
    """Somebody forgets a session that holds a lock; the runbook's query finds it, and it is ended."""
    with forgotten_session(drill.site.database) as end:
        drill.fires("RungsBoardsOld")
        end()
        drill.is_mended("RungsBoardsOld", "RungsJobsStand")


@contextmanager
def forgotten_session(database) -> Iterator:
    if SCALED:
        with psycopg.connect(database.replace("postgres://", "postgresql://")) as connection:
            connection.execute("LOCK TABLE ranking_snapshot IN EXCLUSIVE MODE")
            yield lambda: end_blocking(database)
            connection.close()
        return
    holder = subprocess.Popen(
        [sys.executable, "-c", "import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1], timeout=30);"
         " c.execute('BEGIN IMMEDIATE'); time.sleep(600)", database.removeprefix("sqlite:///")],
    )  # fmt: skip
    try:
        yield holder.kill
    finally:
        holder.kill()
        holder.wait()


def end_blocking(database):
    """What the runbook says for PostgreSQL: ends who blocks the session that has waited longest."""
    (query,) = re.findall(r"`(select pid, [^`]*pg_blocking_pids.*?)`", part_of("RungsBoardsOld"), re.DOTALL)
    with psycopg.connect(database.replace("postgres://", "postgresql://"), autocommit=True) as connection:

        def blocking():
            """By how many seconds, and by whom, the first row of the answer is kept waiting."""
            rows = connection.execute(query).fetchall()
            return (rows[0][1].total_seconds(), rows[0][2]) if rows else (0.0, [])

        assert wait_until(lambda: blocking()[0] > 2)
        (pid,) = blocking()[1]
        connection.execute("select pg_terminate_backend(%s)", [pid])


def no_writes(drill):
    """The disk is full (SQLite), or PostgreSQL was made read-only because its disk is."""
    assert "make room" in part_of("RungsNoWrites")
    refuse, allow = refuse_writes(drill.site)
    refuse()
    drill.fires("RungsNoWrites")
    assert drill.site.post_result(report("refused", "Kestrel", "Wren")) == 503
    assert drill.site.get("/boards/duel/")[0] == 200
    allow()
    drill.is_mended("RungsNoWrites", "RungsJobsStand", "RungsBoardsOld")
    assert drill.site.post_result(report("refused", "Kestrel", "Wren")) == 201


def test_pages_are_shown_although_nobody_else_has_the_database_open(site):
    web = site.start("web", "--port", str(site.port))
    assert wait_until(lambda: site.get("/health/ready")[0] == 200, PATIENCE), site.log.read_text()
    refuse, allow = refuse_writes(site)
    refuse()
    assert site.post_result(report("refused", "Kestrel", "Wren")) == 503
    assert site.get("/")[0] == 200
    allow()
    assert site.post_result(report("refused", "Kestrel", "Wren")) == 201
    web.kill()
    web.wait()


def refuse_writes(site):
    """How the database stops taking writes, and how it takes them again."""
    if SCALED:
        name = site.database.rpartition("/")[2]
        sessions = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"

        def make(command):
            server_query(f"ALTER DATABASE {name} {command}")
            server_query(sessions)

        return (lambda: make("SET default_transaction_read_only = on"),
                lambda: make("RESET default_transaction_read_only"))  # fmt: skip
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)

    def bound(limits):
        for process in site.processes():
            resource.prlimit(process, resource.RLIMIT_FSIZE, limits)

    return lambda: bound((4_096, unlimited[1])), lambda: bound(unlimited)


@pytest.mark.long
def test_the_alert_of_a_stopped_worker_as_it_is_written(site, tmp_path):
    """Some five minutes: every waiting time is the file's."""
    drill = Drill(site, tmp_path, as_written=True)
    try:
        drill.begins_well()
        drill.stop(WORKER)
        drill.fires("RungsJobsStand", "RungsBoardsOld", within=300)
        drill.start(WORKER)
        drill.is_mended("RungsJobsStand", "RungsBoardsOld", within=120)
    finally:
        drill.close()
