"""Sites for journeys: each module has one of its own, from a migrated database with one mode and one key."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from tests.support.game_servers import command, start  # noqa: F401 - fixtures
from tests.support.programs import run  # noqa: F401 - a fixture
from tests.support.servers import SCALED, new_database
from tests.support.sites import Site

MODE_AND_KEY = """
from django.utils import timezone
from ranking.modes.parameters import create_mode
from ranking.operations.keys import create_key
create_mode(slug="duel", name="Duel", system="elo", placement_matches=1, team_size_max=6, now=timezone.now())
print(create_key("journeys", scopes=["results"], now=timezone.now()))
"""


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The URL of a database with the mode `duel`, and a key for results."""
    folder = tmp_path_factory.mktemp("prepared")
    url = new_database(folder)
    site = Site(folder, url)
    try:
        site.manage("migrate", "-v0")
        yield url, site.shell(MODE_AND_KEY)
    finally:
        site.close()


@pytest.fixture(scope="session")
def _static_files() -> None:
    if SCALED and not (settings.STATIC_ROOT / "staticfiles.json").exists():
        call_command("collectstatic", interactive=False, verbosity=0)


@pytest.fixture(scope="module")
def site(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory, _static_files: None) -> Iterator[Site]:
    """A running site."""
    yield from _running(prepared, tmp_path_factory.mktemp("site"))


@pytest.fixture
def fresh_site(prepared: tuple[str, str], tmp_path: Path, _static_files: None) -> Iterator[Site]:
    """A running site that the test may end."""
    yield from _running(prepared, tmp_path)


@pytest.fixture
def quiet_site(prepared: tuple[str, str], tmp_path: Path, _static_files: None) -> Iterator[Site]:
    """A site none of whose processes runs yet. Those that the test has stopped go on, so that they can end."""
    site = Site(tmp_path, new_database(tmp_path, template=prepared[0]))
    try:
        yield site
    finally:
        for process in site.processes():
            os.kill(process, signal.SIGCONT)
        site.close()


def _running(prepared: tuple[str, str], folder: Path) -> Iterator[Site]:
    url, key = prepared
    running = Site(folder, new_database(folder, template=url))
    running.key = key
    try:
        running.start()
        yield running
    finally:
        running.close()
