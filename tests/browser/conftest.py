"""A site to browse: a real browser against the real server."""

import datetime as dt
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import BrowserContext
from pytest_django.live_server_helper import LiveServer

from leaderboards.people.following import block_player, follow_player
from ranking.models import Match, Player, Rating, Season
from ranking.operations.outbox import sweep
from ranking.rules.report import PlayerReport
from ranking.seasons.strikes import strike_ratings
from ranking.standings.publishing import publish
from tests.support.browser import PASSWORD
from tests.support.factories import make_mode, make_role, record
from tests.support.seasons import end

_HEADLESS, _WHOLE = (
    Path("/usr/bin/chromium-headless-shell"),
    Path("/usr/bin/chromium"),
)  # Debian's; the first is quicker
CHROMIUM = Path(os.environ.get("RUNGS_CHROMIUM", _HEADLESS if _HEADLESS.exists() else _WHOLE))
CROWD = 60


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder: it drives a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


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
    now = timezone.now()
    crowd = make_mode("crowd", team_count=CROWD, team_size_max=1, params={"alpha": 1}, description="All at once.")
    team = make_mode("team", system="team-ratio", description="Two against two.")
    make_mode("fun", ranked=False)
    for number in range(2):
        rosters = [[PlayerReport(id=f"p{number}-{place:02}")] for place in range(CROWD)]
        record(*rosters, mode="crowd", now=now, ended_at=now - dt.timedelta(minutes=number))
    publish(crowd, now=now - dt.timedelta(days=1))
    publish(crowd, now=now)
    for _ in range(25):
        record(["p0-55", "mate"], ["b", "c"], mode="team", now=now, ended_at=now, region="eu")
    publish(team, now=now)
    record(["secret"], ["b"], mode="team", now=now, ended_at=now)
    leaver = PlayerReport(id="c", left_early=True, seconds=100)
    record(["p0-55", "mate"], ["b", leaver], mode="team", now=now, ended_at=now, duration=600.0)
    record(["p0-55"], ["b"], mode="fun", now=now, ended_at=now)
    Player.objects.filter(key="secret").update(hides_matches=True)
    Player.objects.filter(key="p0-55").update(user=User.objects.create_user("fox", password=PASSWORD))
    for key in ("mate", "b"):
        follow_player(Player.objects.get(key="p0-55"), Player.objects.get(key=key), now=now)
    block_player(Player.objects.get(key="p0-55"), Player.objects.get(key="c"), now=now)
    sweep(now)
    make_login()
    return str(live_server.url)


def make_login() -> None:
    """A second login with a role, an address, a second factor, an account elsewhere; nobody logs in by it."""
    owl = User.objects.create_user("owl")
    owl.groups.add(make_role("viewer"))
    EmailAddress.objects.create(user=owl, email="owl@example.org", primary=True)
    Authenticator.objects.create(user=owl, type="totp", data={})
    SocialAccount.objects.create(user=owl, provider="steam", uid="7")


@pytest.fixture
def empty_site(live_server: LiveServer, transactional_db: None) -> str:
    """The address of a site with a mode that nobody has played, and two players who have done nothing yet."""
    make_mode("crowd", description="All at once.", placement_matches=10)
    user = User.objects.create_user("fox", password=PASSWORD)
    now = timezone.now()
    Player.objects.create(key="newcomer", name="Newcomer", search_name="newcomer", user=user, created_at=now)
    Player.objects.create(key="other", name="Other", search_name="other", created_at=now)
    return str(live_server.url)


@pytest.fixture
def past_season(site: str) -> None:
    """A mode whose first season is over, with a champion who was struck; p0-55 has come back, and an end is set."""
    began = timezone.now() - dt.timedelta(hours=6)
    cup = make_mode("cup", description="One against one.", now=began, placement_after_reset=1)
    for number in range(12):
        at = began + dt.timedelta(minutes=number)
        pair = (["p0-55"], ["b"]) if number % 3 else (["b"], ["p0-55"])
        record(*pair, mode="cup", now=at, ended_at=at, variant="Aerie" if number % 2 else "Cellar")
    record(["c"], ["secret"], mode="cup", now=began, ended_at=began)
    end(cup, at=began + dt.timedelta(hours=1))
    struck = Rating.objects.get(player__key="c", mode=cup)
    strike_ratings([struck.pk], by=None, reason="boosted", now=timezone.now())
    for number in range(2):
        at = began + dt.timedelta(hours=2 + number)
        record(["p0-55"], ["d"], mode="cup", now=at, ended_at=at)
    Season.objects.filter(mode=cup, current=True).update(ends_at=timezone.now() + dt.timedelta(days=12))
    publish(cup, now=timezone.now())


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
