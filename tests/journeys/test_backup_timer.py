"""The backup timer of a site that takes results: its backups restore, the oldest go, and a failure costs nothing."""

import configparser
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

from tests.support.load import RECORDED, Load
from tests.support.servers import new_database, wait_until
from tests.support.sites import ROOT, Site

pytestmark = pytest.mark.faults

OLD = [f"rungs-2026010{day}T120000Z.backup" for day in (1, 2, 3)]


@pytest.fixture
def folder(site, tmp_path):
    """A folder with three old backups, and a variable that names it."""
    folder = tmp_path / "backups"
    folder.mkdir()
    for name in OLD:
        (folder / name).write_text("an old one")
    site.environment |= {"RUNGS_BACKUP_DIR": str(folder), "RUNGS_BACKUPS_KEPT": "2"}
    yield folder
    for name in ("RUNGS_BACKUP_DIR", "RUNGS_BACKUPS_KEPT"):
        del site.environment[name]


def backups(folder):
    return sorted(path.name for path in folder.glob("rungs-*.backup"))


def test_the_timers_backup_restores_with_the_results_that_came_meanwhile(site, folder, tmp_path):
    with Load(site, "timed") as load:
        time.sleep(1.5)
        timer = site.start("backup_timer")
        try:
            assert wait_until(lambda: len(backups(folder)) == 2), site.log.read_text()
        finally:
            timer.send_signal(signal.SIGTERM)
        assert timer.wait(60) == 0
        time.sleep(1)
    kept, taken = backups(folder)
    assert kept == OLD[-1]
    recorded = len(json.loads(site.shell(RECORDED)))

    restored = Site(tmp_path, new_database(tmp_path))
    restored.key = site.key
    try:
        restored.manage("restore", str(folder / taken))
        assert restored.manage("doctor").splitlines()[-1] == "All is well."  # hints come before
        assert 0 < len(json.loads(restored.shell(RECORDED))) < recorded
        restored.start()
        assert restored.send_again(load.reports.values()) == {200, 201}
        assert sorted(json.loads(restored.shell(RECORDED))) == sorted(load.reports)
        assert restored.manage("doctor").splitlines()[-1] == "All is well."  # hints come before
    finally:
        restored.close()


def scheduled():
    """What docs/backups.md tells cron and systemd to run: shell commands."""
    page = (ROOT / "docs/backups.md").read_text()
    [cron] = re.findall(r"^30 4 \* \* \* rungs (.+)$", page, flags=re.MULTILINE)
    unit = configparser.ConfigParser()
    unit.optionxform = str
    unit.read_string(re.search(r"```ini\n(\[Service\].*?)```", page, flags=re.DOTALL)[1])
    service = unit["Service"]
    # systemd reads the file's variables itself, and starts the command in this folder.
    load = f"set -a; . {service['EnvironmentFile']}; set +a"
    return {"cron": cron, "systemd": f"{load}; cd {service['WorkingDirectory']}; exec {service['ExecStart']}"}


@pytest.mark.parametrize("by", ["cron", "systemd"])
def test_what_the_page_tells_cron_and_systemd_works(site, folder, tmp_path, by):
    variables = tmp_path / "rungs.env"
    names = [name for name in site.environment if name.startswith("RUNGS_")]
    lines = [f"{name}='{site.environment[name]}'\n" for name in names]  # as the page says
    lines.append("RUNGS_EMAIL_FROM='Rungs & friends <rungs@localhost> #1'\n")
    variables.write_text("".join(lines) + f"PYTHON={sys.executable}\n")
    script = scheduled()[by].replace("/etc/rungs.env", str(variables)).replace("/srv/rungs", str(ROOT))
    subprocess.run(["/bin/sh", "-c", script], cwd="/", env={"PATH": "/usr/bin:/bin"}, check=True, timeout=60)
    kept, taken = backups(folder)
    assert (kept, taken > kept) == (OLD[-1], True)

    page = (ROOT / "docs/backups.md").read_text()
    [find] = re.findall(r"^find .+$", page, flags=re.MULTILINE)
    check = ["/bin/sh", "-c", find.replace("/var/backups/rungs", str(folder))]
    assert subprocess.run(check, check=False).returncode == 0
    os.utime(folder / taken, (0, 0))
    os.utime(folder / kept, (0, 0))
    assert subprocess.run(check, check=False).returncode == 1


def test_the_timer_waits_until_the_newest_is_old_enough(site, folder):
    site.manage("backup_timer", "--once")
    taken = backups(folder)
    started = site.log.read_text().count("backup_timer_started")
    timer = site.start("backup_timer")
    try:
        assert wait_until(lambda: site.log.read_text().count("backup_timer_started") > started)
        time.sleep(2)
        assert (timer.poll(), backups(folder)) == (None, taken)
    finally:
        timer.send_signal(signal.SIGTERM)
    assert timer.wait(60) == 0


def test_a_full_disk_leaves_the_old_ones_and_says_so(site, folder):
    command = shlex.join([sys.executable, "manage.py", "backup_timer", "--once"])
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 16; exec {command}"], cwd=ROOT, env=site.environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.startswith("CommandError: ")
    assert "Traceback" not in done.stderr
    assert backups(folder) == OLD
    assert sorted(path.name for path in folder.iterdir()) == [".lock", *OLD]


def test_a_timer_that_is_killed_while_it_writes_leaves_nothing_that_counts(site, folder):
    timer = site.start("backup_timer")
    writing = wait_until(lambda: any(folder.glob(".rungs-*.partial")) or len(backups(folder)) == 2, 120)
    for process in site.processes("backup_timer"):
        os.kill(process, signal.SIGKILL)
    timer.wait(60)
    assert writing
    if backups(folder) == OLD:
        assert any(folder.glob(".rungs-*.partial"))
    if len(backups(folder)) != 2:  # else it was quicker than this test; it may also have been killed while it deleted
        site.manage("backup_timer", "--once")
    assert len(backups(folder)) == 2
    assert not any(folder.glob(".rungs-*.partial"))
