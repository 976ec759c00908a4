"""A site to browse: a real browser against the real server."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from ranking.models import Match
from tests.support.browsed_sites import fill_empty_site, fill_past_season, fill_site
from tests.support.kept_sites import restore_or

_HEADLESS, _WHOLE = (
    Path("/usr/bin/chromium-headless-shell"),
    Path("/usr/bin/chromium"),
)  # Debian's; the first is quicker
CHROMIUM = Path(os.environ.get("RUNGS_CHROMIUM", _HEADLESS if _HEADLESS.exists() else _WHOLE))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder: it drives a browser."""
    for item in items:
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker("browser")


expect.set_options(timeout=30_000)  # milliseconds, on a busy machine


@pytest.fixture(scope="session", autouse=True)
def _event_loop() -> None:
    """Playwright's own event loop runs in the thread of the tests."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Debian's chromium; in a container its sandbox can't start."""
    if not CHROMIUM.exists():
        pytest.fail(
            f"There is no {CHROMIUM}; install Debian's chromium-headless-shell or chromium, or set RUNGS_CHROMIUM."
        )
    return {**browser_type_launch_args, "executable_path": str(CHROMIUM), "args": ["--no-sandbox"]}


@pytest.fixture(scope="session")
def base_url(live_server: LiveServer) -> str:
    """In place of pytest-playwright's own, which pytest 9 warns about."""
    return str(live_server.url)


@pytest.fixture
def site(live_server: LiveServer, transactional_db: None) -> str:
    """The address of a site with a board of 120 tied in pairs, a team match with a leaver, a duel, one for fun."""
    restore_or(fill_site)
    return str(live_server.url)


@pytest.fixture
def empty_site(live_server: LiveServer, transactional_db: None) -> str:
    """The address of a site with a mode that nobody has played, and two players who have done nothing yet."""
    restore_or(fill_empty_site)
    return str(live_server.url)


@pytest.fixture
def past_season(site: str) -> None:
    """A mode whose first season is over, with a champion who was struck; p0-55 has come back, and an end is set."""
    restore_or(fill_past_season)


@pytest.fixture
def team_match() -> int:
    return Match.objects.filter(mode__slug="team").latest("pk").pk


@pytest.fixture(autouse=True)
def _no_complaints(context: BrowserContext) -> Iterator[None]:
    """No error in the console, such as something that the content security policy forbade."""
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    yield
    assert complaints == []
