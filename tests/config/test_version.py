"""One version everywhere: of the package, of the changelog's last section, of the schema and of the command."""

import re
import subprocess
import sys
import tomllib

import pytest

from config import VERSION
from tests.support.paths import ROOT
from tests.support.schema_answers import raw_schema


def test_every_place_says_the_same_version():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    headings = re.findall(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    schema = raw_schema()["info"]["version"]
    assert (package, headings[-1], schema) == (VERSION, VERSION, VERSION)


@pytest.mark.parametrize("word", ["version", "--version"])
def test_the_command_says_the_version(word):
    said = subprocess.run([sys.executable, "manage.py", word], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout == f"Rungs {VERSION}\n"
