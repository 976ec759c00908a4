"""Processes started one by one, without a supervisor: what they have started ends with them, however they end."""

import os
import signal

import pytest

from tests.support.servers import SCALED, new_database, wait_until
from tests.support.sites import Site, children_among

pytestmark = [pytest.mark.long, pytest.mark.faults]


@pytest.fixture
def lone_site(prepared, tmp_path, _static_files):
    """A site none of whose processes runs yet."""
    site = Site(tmp_path, new_database(tmp_path, template=prepared[0]))
    try:
        yield site
    finally:
        site.close()


def kill_outright(process):
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_web_workers_end_with_granian(lone_site):
    web = lone_site.start("web", "--port", str(lone_site.port), "--workers", "2")
    assert wait_until(lambda: lone_site.get("/health/live")[0] == 200, 90), lone_site.log.read_text()
    assert wait_until(lambda: len(children_among(lone_site.processes("web"))) >= 2)
    kill_outright(web)
    assert wait_until(lambda: lone_site.processes() == [], 10)
    assert lone_site.get("/health/live")[0] == 0


@pytest.mark.skipif(not SCALED, reason="of the scaled profile")
def test_pool_processes_end_with_their_worker(lone_site):
    worker = lone_site.start("worker")
    assert wait_until(lambda: len(children_among(lone_site.processes("celery"))) >= 2, 90), lone_site.log.read_text()
    kill_outright(worker)
    assert wait_until(lambda: lone_site.processes() == [], 10)


@pytest.mark.skipif(not SCALED, reason="of the scaled profile")
def test_beat_leaves_nobody_behind(lone_site):
    beat = lone_site.start("beat")
    assert wait_until(lambda: lone_site.processes("beat") != [], 30)
    kill_outright(beat)
    assert wait_until(lambda: lone_site.processes() == [], 10)
