"""A new rating system is one folder and its line in the registry: a copy of the product with one more is used."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.support.paths import ROOT

FOLDER = ROOT / "tests" / "new_system" / "home_elo"
# Tests of all systems, which try the new one, too.
TESTS = [
    "systems/replay/test_replaying", "systems/test_outlook", "systems/test_registry", "rerating/test_reratings",
    "seasons/test_history",
]  # fmt: skip
MATCHES = '    "elo": (st.builds(EloSkill, elo_ratings()), 4, (1, 5)),\n'
IMPORTS = """\
from ranking.systems.home_elo.batch import HomeEloKernel
from ranking.systems.home_elo.system import HomeElo
"""


@pytest.fixture
def copy(tmp_path):
    """The product with Elo with home advantage: its folder, and its line in the registry."""
    for name in ("bench", "config", "leaderboards", "locale", "matchmaking", "ranking", "static", "templates", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("manage.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    systems = tmp_path / "ranking" / "systems"
    shutil.copytree(FOLDER, systems / "home_elo", ignore=shutil.ignore_patterns("__pycache__"))
    registry = systems / "registry.py"
    text, count = re.subn(
        r"(?s)(from ranking\.systems\.base)(.*?)(    Elo: EloKernel,\n)",
        rf"{IMPORTS}\1\2\3    HomeElo: HomeEloKernel,\n",
        registry.read_text(),
    )
    assert count == 1
    registry.write_text(text)
    strategies = tmp_path / "tests" / "support" / "strategies.py"
    text = strategies.read_text()
    strategies.write_text(text.replace(MATCHES, f"{MATCHES}{MATCHES.replace('elo', 'home-elo', 1)}"))
    return tmp_path


def run(copy, *words):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", *words]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    assert "skipped" not in done.stdout
    return int(re.search(r"(\d+) passed", done.stdout)[1])


def test_a_folder_and_a_line_make_a_system_of_which_everything_is_there(copy):
    assert run(copy, "tests/new_system/checks.py") == 7


@pytest.mark.long
def test_tests_of_all_systems_hold_for_it(copy):
    assert run(copy, "-k", "home-elo", *(f"tests/ranking/{name}.py" for name in TESTS)) > 30
