"""One version everywhere: of the package, of the changelog's last section, of the schema and of the command."""

import re
import subprocess
import sys
import tomllib

import pytest

from config import VERSION
from tests.support.paths import ROOT
from tests.support.schema_answers import raw_schema

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_place_says_the_same_version():
    headings = re.findall(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert (headings[-1], raw_schema()["info"]["version"]) == (VERSION, VERSION)
    assert PYPROJECT["tool"]["hatch"]["version"]["path"] == "config/__init__.py"


def test_locks_hold_no_addresses():
    """Whoever installs chooses the index. npm adds addresses of sponsors: take out `funding` after locking."""
    locks = [*ROOT.glob("requirements*.lock"), *ROOT.glob("clients/*/*-lock.json")]
    assert len(locks) == 3
    assert {lock.name for lock in locks if "://" in lock.read_text()} == set()


def test_what_builds_the_wheel_is_what_is_locked():
    locked = (ROOT / "requirements-dev.lock").read_text()
    for pinned in PYPROJECT["build-system"]["requires"]:
        assert f"\n{pinned} \\\n" in locked, pinned


@pytest.mark.parametrize("word", ["version", "--version"])
def test_the_command_says_the_version(word):
    said = subprocess.run([sys.executable, "manage.py", word], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout == f"Rungs {VERSION}\n"


def test_the_locks_have_one_django_for_all_pythons():
    locks = [(ROOT / name).read_text() for name in ("requirements.lock", "requirements-dev.lock")]
    pinned = [re.findall(r"^django==(\d+\.\d+)", lock, flags=re.MULTILINE) for lock in locks]
    assert pinned == [["5.2"], ["5.2"]]
