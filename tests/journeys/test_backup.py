"""Backup, restore and upgrade, rehearsed: taken under load, put into a new database, everything sent again."""

import json
import re
import subprocess
import sys
import time

import pytest

from tests.support.load import RECORDED, Load
from tests.support.servers import SCALED, new_database
from tests.support.sites import ROOT, Site

pytestmark = pytest.mark.faults


def test_a_backup_under_load_is_whole_and_what_came_since_can_be_sent_again(site, tmp_path):
    file = tmp_path / "backup"
    with Load(site, "kept") as load:
        time.sleep(1.5)
        assert f"{file}: " in site.manage("backup", str(file))
        time.sleep(1)
    before = sum(status == 201 for status in load.answers.values())
    assert file.stat().st_mode & 0o777 == 0o600

    restored = Site(tmp_path, new_database(tmp_path))
    restored.key = site.key  # keys are in the backup too
    try:
        restored.manage("restore", str(file))
        assert restored.manage("doctor").splitlines()[-1] == "All is well."  # hints come before
        assert 0 < len(json.loads(restored.shell(RECORDED))) < before
        restored.start()
        assert restored.send_again(load.reports.values()) == {200, 201}
        assert restored.send_again(load.reports.values()) == {200}
        assert sorted(json.loads(restored.shell(RECORDED))) == sorted(load.reports)
        assert restored.manage("doctor").splitlines()[-1] == "All is well."  # hints come before
    finally:
        restored.close()


def commands(section):
    """The commands of a section of the page of backups, in order."""
    _, _, text = (ROOT / "docs/backups.md").read_text().partition(f"\n## {section}\n")
    text, _, _ = text.partition("\n## ")
    return re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)


def test_the_pages_commands_work_as_written(site, tmp_path):
    restored = Site(tmp_path, new_database(tmp_path))
    try:
        for place, script in zip((site, restored), commands("By hand"), strict=True):
            script = script.replace(".venv/bin/python", sys.executable).replace("/var/backups", str(tmp_path))
            subprocess.run(["sh", "-euc", script], cwd=ROOT, env=place.environment, check=True, capture_output=True)
        assert restored.shell(RECORDED) == site.shell(RECORDED)
    finally:
        restored.close()


def test_what_is_no_backup_is_refused(prepared, tmp_path):
    file = tmp_path / "nonsense"
    file.write_bytes(b"not a database")
    empty = Site(tmp_path, new_database(tmp_path))
    try:
        said = empty.manage("restore", str(file), code=1)
        assert ("pg_restore: " if SCALED else f"{file} is no backup of this site") in said
    finally:
        empty.close()
