"""Ten thousand wait, two workers and two beats match them, a thousand cancel, and workers are killed outright.

Everybody is waiting, matched once, or cancelled. RUNGS_QUEUE_FAULT_SECONDS=300 is the full run.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
import zlib
from contextlib import closing

import psycopg
import pytest

from tests.support.queue_load import CANCELLED, PLAYERS
from tests.support.servers import SCALED, new_database, wait_until
from tests.support.sites import ROOT, Site, children_among

SECONDS = float(os.environ.get("RUNGS_QUEUE_FAULT_SECONDS", "40"))
PAUSE = 5.0  # between kills: a few ticks
TICKS = (
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 3 AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
TICKED = "SELECT ticked_at IS NOT NULL FROM matchmaking_queue"

pytestmark = [pytest.mark.faults, pytest.mark.skipif(not SCALED, reason="of the scaled profile")]


@pytest.fixture
def jobs(prepared, tmp_path):
    """A site without web processes: two workers and two beats."""
    site = Site(tmp_path, new_database(tmp_path, template=prepared[0]))
    try:
        yield site
    finally:
        site.close()


def call(site, code):
    return json.loads(site.shell(f"from tests.support import queue_load; queue_load.{code}").splitlines()[-1])


def drive(site):
    command = f"from tests.support import queue_load; queue_load.drive({SECONDS})"
    return subprocess.Popen(
        [sys.executable, "manage.py", "shell", "--no-imports", "-v0", "-c", command],
        cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def kill_somebody(site, started, connection, rng):
    """A pool process or a whole worker, while a tick is at work; how many."""
    deadline = time.monotonic() + 180
    while not connection.execute(TICKS).fetchone()[0]:
        assert time.monotonic() < deadline, site.log.read_text()[-3000:]
        time.sleep(0.002)  # a tick takes less than wait_until's steps
    workers = site.processes("celery", "worker")
    pool = children_among(workers)
    heads = [process for process in workers if process not in pool]
    if not heads:
        return 0
    if rng.random() < 0.3:
        os.kill(rng.choice(heads), signal.SIGKILL)
        started.append(site.start("worker"))
    elif pool:
        os.kill(rng.choice(pool), signal.SIGKILL)
    else:
        return 0
    return 1


def test_everybody_is_waiting_matched_once_or_cancelled(jobs):
    rng, kills = random.Random(11), 0
    jobs.shell("from tests.support import queue_load; queue_load.begin()")
    with closing(psycopg.connect(jobs.database.replace("postgres://", "postgresql://"), autocommit=True)) as connection:
        tickets = connection.execute("SELECT count(*) FROM matchmaking_ticket").fetchone()[0]
        started = [jobs.start(command) for command in ("worker", "worker", "beat", "beat")]
        assert wait_until(lambda: connection.execute(TICKED).fetchone()[0], 180), jobs.log.read_text()[-3000:]
        load = drive(jobs)
        while load.poll() is None or kills <= SECONDS / 15:  # a busy machine may see few kills until the load ends
            time.sleep(PAUSE)
            kills += kill_somebody(jobs, started, connection, rng)
        said, _ = load.communicate()
        assert load.returncode == 0, said
        done = json.loads(said.splitlines()[-1])
        time.sleep(5)
        for process in jobs.processes("celery"):
            os.kill(process, signal.SIGKILL)
        for process in started:
            process.wait(60)
        assert wait_until(lambda: not connection.execute(TICKS).fetchone()[0], 60)
    found = call(jobs, "tell()")
    states = found["states"]
    sys.stdout.write(json.dumps({"seconds": SECONDS, "kills": kills, **done, **found}) + "\n")
    assert (found["players"], sum(states.values())) == (PLAYERS, tickets)
    assert (found["twice"], found["astray"], found["violations"]) == (0, 0, [])
    dropped = found["lobbies"].get("forfeited", 0)
    assert set(states) <= {"waiting", "matched", "playing", "done", "cancelled"}
    assert states["cancelled"] == done["cancelled"] + dropped
    assert done["asked"] == CANCELLED
    assert found["formed"] == sum(found["lobbies"].values())
    assert found["formed"] > 50


def test_the_lock_that_says_who_ticks_is_the_one_that_is_watched():
    from django.db import connection

    from ranking.database import locks

    assert (locks._TICKER, zlib.crc32(b"duel") - 2**31, connection.vendor) == (3, locks._number("duel"), "postgresql")
