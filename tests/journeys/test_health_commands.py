"""The health commands of compose.yaml, beside real workers and a real beat: true when busy, false when hung."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support.paths import ROOT
from tests.support.patience import wait_until, waits
from tests.support.servers import SCALED
from tests.support.sites import Site, children_among

pytestmark = [pytest.mark.faults, pytest.mark.skipif(not SCALED, reason="of the scaled profile")]

SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
MISSED = 7  # seconds, in which a process that is at work touches its file three times


class Watched:
    """A process of one site that has a health command, which reads a file of its own."""

    def __init__(self, site: Site, service: str, folder: Path) -> None:
        self.file = folder / service
        site.environment["RUNGS_ALIVE"] = str(self.file)
        kind, command = SERVICES[service]["healthcheck"]["test"]
        assert kind == "CMD-SHELL"
        self.command = command.replace("$$", "$")
        self.process = site.start(*SERVICES[service]["command"])

    def is_healthy(self) -> bool:
        environment = {"PATH": os.environ["PATH"], "RUNGS_ALIVE": str(self.file)}
        done = subprocess.run(["sh", "-c", self.command], env=environment, capture_output=True, check=False)
        return done.returncode == 0

    def comes_back(self) -> bool:
        """Is it healthy by what it does from now on?"""
        self.file.unlink(missing_ok=True)
        return wait_until(self.is_healthy)

    def stays_away(self) -> bool:
        self.file.unlink(missing_ok=True)
        for _ in waits(MISSED):
            pass
        return not self.is_healthy()


def test_a_worker_is_healthy_while_its_jobs_hang_and_while_it_looks_for_redis(quiet_site, tmp_path):
    worker = Watched(quiet_site, "worker-long", tmp_path)
    assert not worker.is_healthy()
    assert wait_until(lambda: len(children_among(quiet_site.processes("celery"))) >= 2, 90), quiet_site.log.read_text()
    assert worker.comes_back()
    for job in children_among(quiet_site.processes("celery")):
        os.kill(job, signal.SIGSTOP)
    assert worker.comes_back()
    quiet_site.redis.kill()
    assert wait_until(lambda: "Cannot connect to redis" in quiet_site.log.read_text())
    assert worker.comes_back()
    quiet_site.redis.start()
    assert worker.comes_back()
    worker.process.send_signal(signal.SIGSTOP)
    assert worker.stays_away()
    worker.process.send_signal(signal.SIGCONT)
    assert worker.comes_back()


def test_beat_is_healthy_while_it_sends_and_not_when_it_hangs(quiet_site, tmp_path):
    beat = Watched(quiet_site, "beat", tmp_path)
    assert wait_until(beat.is_healthy, 90), quiet_site.log.read_text()
    assert beat.comes_back()
    quiet_site.redis.kill()
    assert wait_until(lambda: "Message Error" in quiet_site.log.read_text()), quiet_site.log.read_text()
    assert beat.comes_back()
    quiet_site.redis.start()
    beat.process.send_signal(signal.SIGSTOP)
    assert beat.stays_away()
    beat.process.send_signal(signal.SIGCONT)
    assert beat.comes_back()
