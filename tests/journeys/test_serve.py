"""`manage.py serve` as a user runs it: every process under one supervisor, and nothing left behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from config.celery import QUEUES
from tests.support.paths import ROOT
from tests.support.servers import SCALED, new_database, wait_until
from tests.support.sites import Site, parent_of

pytestmark = pytest.mark.long

NAMES = ["web", *QUEUES, "beat"] if SCALED else ["web", "jobs"]  # words of their command lines
SOURCES = "from ranking.models import Source; print([*Source.objects.values_list('slug', flat=True)])"
AT_LEAST = 15 if SCALED else 4  # supervisor, web and its workers, jobs; or three workers and their pools, beat


def started(site, name):
    """What the supervisor started by this name, and lives."""
    return [process for process in site.processes(name) if parent_of(process) == site.process.pid]


def metrics_folder(process):
    """Where a process counts."""
    variables = Path(f"/proc/{process}/environ").read_text().split("\0")
    return Path(next(text for text in variables if text.startswith("RUNGS_METRICS_DIR=")).partition("=")[2])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_supervisor_ends_everything(fresh_site, number):
    assert wait_until(lambda: len(fresh_site.processes()) >= AT_LEAST)
    (folder,) = {metrics_folder(process) for name in NAMES for process in started(fresh_site, name)}
    assert (folder.parent, folder.stat().st_mode & 0o777) == (Path("/dev/shm"), 0o700)
    fresh_site.process.send_signal(number)
    assert fresh_site.process.wait(40) == 0
    assert fresh_site.processes() == []
    assert not folder.exists()
    assert fresh_site.get("/health/live")[0] == 0


def test_a_second_ctrl_c_changes_nothing(fresh_site):
    """Impatient people press it twice, and make hands a signal on to whom the terminal has sent it already."""
    assert wait_until(lambda: len(fresh_site.processes()) >= AT_LEAST)
    fresh_site.process.send_signal(signal.SIGINT)
    assert wait_until(lambda: "Ending." in fresh_site.log.read_text())
    for number in (signal.SIGINT, signal.SIGTERM):
        fresh_site.process.send_signal(number)
    assert fresh_site.process.wait(40) == 0
    assert fresh_site.processes() == []
    assert "Traceback" not in fresh_site.log.read_text()


def test_nothing_survives_a_supervisor_killed_outright(fresh_site):
    assert wait_until(lambda: len(fresh_site.processes()) >= AT_LEAST)
    fresh_site.process.kill()
    fresh_site.process.wait()
    assert wait_until(lambda: fresh_site.processes() == [])


@pytest.mark.skipif(SCALED, reason="of the embedded profile")
@pytest.mark.parametrize("name", NAMES)
def test_if_one_process_ends_so_does_the_other(fresh_site, name):
    assert wait_until(lambda: len(started(fresh_site, name)) == 1)
    os.kill(*started(fresh_site, name), signal.SIGKILL)
    assert fresh_site.process.wait(40) == 1
    assert wait_until(lambda: fresh_site.processes() == [])


def test_a_backup_timer_that_ends_is_started_again(tmp_path):
    """Of either profile: a site without backups is better than none."""
    site = Site(tmp_path, new_database(tmp_path), RUNGS_BACKUP_DIR=str(tmp_path))
    try:
        site.manage("migrate", "-v0")
        site.start()
        assert wait_until(lambda: len(started(site, "backup_timer")) == 1)
        before = started(site, "backup_timer")
        os.kill(*before, signal.SIGKILL)
        assert wait_until(lambda: started(site, "backup_timer") not in ([], before))
        assert (site.process.poll(), site.get("/health/ready")[0]) == (None, 200)
    finally:
        site.close()


def test_what_make_starts_ends_with_make_even_while_it_migrates(tmp_path):
    site = Site(tmp_path, new_database(tmp_path))
    script = f"'{sys.executable}' manage.py run --with-parent --port {site.port} & wait"
    try:
        with site.log.open("wb") as log:
            make = subprocess.Popen(["sh", "-c", script], cwd=ROOT, env=site.environment, stdout=log, stderr=log)
        assert wait_until(lambda: "Bringing the database up to date" in site.log.read_text(), 90), site.log.read_text()
        make.kill()
        make.wait()
        assert wait_until(lambda: site.processes() == [])
        assert "Rungs is on" not in site.log.read_text()
    finally:
        site.close()


@pytest.mark.faults
@pytest.mark.skipif(SCALED, reason="of the embedded profile")
def test_the_site_is_up_while_the_demo_seasons_are_played(tmp_path):
    site = Site(tmp_path, new_database(tmp_path))
    try:
        site.manage("migrate", "-v0")
        site.process = site.start("serve", "--port", str(site.port), "--demo")
        assert wait_until(lambda: site.get("/")[0] == 200, 90)
        assert wait_until(lambda: "Playing the demo seasons" in site.log.read_text(), 90)
        assert wait_until(lambda: site.shell(SOURCES) == "['demo-7-unfinished']", 90)
        assert site.processes("jobs") == []
        site.process.send_signal(signal.SIGTERM)
        assert site.process.wait(40) == 0
        assert site.processes() == []
        assert site.shell(SOURCES) == "['demo-7-unfinished']"
        site.process = site.start("serve", "--port", str(site.port), "--demo")
        assert wait_until(lambda: "The demo seasons are played." in site.log.read_text(), 240)
        assert wait_until(lambda: len(started(site, "jobs")) == 1, 90)
        assert site.shell(SOURCES) == "['demo']"
        assert site.manage("doctor").splitlines()[-1] == "All is well."  # hints come before
    finally:
        site.close()


@pytest.mark.skipif(not SCALED, reason="of the scaled profile")
def test_a_process_that_ends_is_started_again(fresh_site):
    for name in NAMES:
        assert wait_until(lambda name=name: len(started(fresh_site, name)) == 1)
        before = started(fresh_site, name)
        os.kill(*before, signal.SIGKILL)
        assert wait_until(lambda name=name, before=before: started(fresh_site, name) not in ([], before))
    assert wait_until(lambda: fresh_site.get("/health/ready")[0] == 200)
    assert fresh_site.process.poll() is None
