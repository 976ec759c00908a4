"""Processes started one by one, without a supervisor: what they have started ends with them, however they end."""

import os
import signal

import pytest

from tests.support.servers import SCALED, wait_until
from tests.support.sites import children_among

pytestmark = [pytest.mark.long, pytest.mark.faults]


def kill_outright(process):
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_web_workers_end_with_granian(quiet_site):
    web = quiet_site.start("web", "--port", str(quiet_site.port), "--workers", "2")
    assert wait_until(lambda: quiet_site.get("/health/live")[0] == 200, 90), quiet_site.log.read_text()
    assert wait_until(lambda: len(children_among(quiet_site.processes("web"))) >= 2)
    kill_outright(web)
    assert wait_until(lambda: quiet_site.processes() == [], 10)
    assert quiet_site.get("/health/live")[0] == 0


@pytest.mark.skipif(not SCALED, reason="of the scaled profile")
def test_pool_processes_end_with_their_worker(quiet_site):
    worker = quiet_site.start("worker")
    assert wait_until(lambda: len(children_among(quiet_site.processes("celery"))) >= 2, 90), quiet_site.log.read_text()
    kill_outright(worker)
    assert wait_until(lambda: quiet_site.processes() == [], 10)


@pytest.mark.skipif(not SCALED, reason="of the scaled profile")
def test_beat_leaves_nobody_behind(quiet_site):
    beat = quiet_site.start("beat")
    assert wait_until(lambda: quiet_site.processes("beat") != [], 30)
    kill_outright(beat)
    assert wait_until(lambda: quiet_site.processes() == [], 10)
