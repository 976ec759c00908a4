"""Rights of staff: none without the second factor, on any page."""

import datetime as dt
import re
from collections.abc import Callable

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from ranking.models import Match, Player
from ranking.rules.report import PlayerReport
from tests.support.factories import make_mode, make_role, record
from tests.support.paths import ROOT
from tests.support.second_factors import code_of

pytestmark = pytest.mark.django_db
PASSWORD = "a long secret"


@pytest.fixture(autouse=True)
def _second_factor_wanted(settings) -> None:
    settings.ADMIN_MFA = True


@pytest.fixture(autouse=True)
def _hiding() -> None:
    """`me` hides their matches, and left the newest one."""
    make_mode()
    now = timezone.now()
    for number in range(2):
        record(["me"], ["other"], ended_at=now - dt.timedelta(hours=2 + number), now=now)
    left = PlayerReport(id="me", left_early=True)
    record(["other"], [left], ended_at=now - dt.timedelta(minutes=1), now=now)
    Player.objects.filter(key="me").update(hides_matches=True)


def enter(role: str, *, second_factor: bool) -> Client:
    user = User.objects.create_user("boss", password=PASSWORD, is_staff=True, is_superuser=role == "root")
    if role != "root":
        user.groups.add(make_role(role))
    client = Client()
    if not second_factor:
        client.post("/account/login/", {"login": "boss", "password": PASSWORD})
        return client
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    client.post("/account/login/", {"login": "boss", "password": PASSWORD})
    client.post("/account/2fa/authenticate/", {"code": code_of(secret)})
    return client


def shows(*words: str) -> Callable[[Client, str], bool]:
    return lambda client, path: all(word in client.get(path).text for word in words)


def opens(client: Client, path: str) -> bool:
    return client.get(path).status_code == 200


# path → what only staff see there
PAGES: dict[str, Callable[[Client, str], bool]] = {
    "/players/me/": lambda client, path: client.get(path).context["profile"].past is not None,
    "/players/me/?mode=duel": shows("Conduct", "Look into it"),
    "/compare/me/other/": lambda client, path: not client.get(path).context["compared"].hiding,
    "/matches/{match}/": shows("points"),
    "/play/": shows("Who waits, and how good matches are"),
    "/queues/": opens,
    "/admin/": opens,
    "/admin/ranking/leaver/": opens,
    "/admin/matchmaking/planning/": opens,
    "/admin/matchmaking/planning/simulation/": opens,
}
ALL_SHOWN, NONE_SHOWN = dict.fromkeys(PAGES, True), dict.fromkeys(PAGES, False)


def shown_to(client: Client) -> dict[str, bool]:
    match = Match.objects.latest("pk").pk
    return {path: sees(client, path.format(match=match)) for path, sees in PAGES.items()}


@pytest.mark.parametrize("role", ["viewer", "moderator", "administrator", "root"])
@pytest.mark.parametrize(("second_factor", "expected"), [(False, NONE_SHOWN), (True, ALL_SHOWN)])
def test_rights_come_with_the_second_factor(role: str, second_factor: bool, expected: dict[str, bool]) -> None:
    assert shown_to(enter(role, second_factor=second_factor)) == expected


def test_a_site_may_do_without_second_factors(settings) -> None:
    settings.ADMIN_MFA = False
    assert shown_to(enter("viewer", second_factor=False)) == ALL_SHOWN


def test_strangers_have_none_of_it() -> None:
    assert shown_to(Client()) == NONE_SHOWN


@pytest.mark.parametrize("path", ["/api/v1/matches/?player=me", "/api/v1/players/me/history/?mode=duel"])
def test_a_session_of_staff_sees_no_more_by_the_api(path: str) -> None:
    stranger = Client().get(path)
    staff = enter("root", second_factor=True).get(path)
    assert (staff.status_code, staff.json()) == (stranger.status_code, stranger.json())


ASKS = re.compile(r"is_staff|is_superuser|has_perms?\(|\bperms\b")
# Places outside the admin that read a right or a role, with what for.
ELSEWHERE = {
    "config/management/commands/createsuperuser.py",  # notes in the audit log who may do everything now
    "config/people/accounts.py",  # the audit log names staff who remove their second factor, and no player
    "config/people/oidc.py",  # gives and takes the roles that the provider names
    "config/people/work_queue.py",  # what waits on the admin's home, only where its viewer may go
    "leaderboards/accounts/staff.py",  # the rule
    "ranking/moderation/ban_limits.py",  # superusers ban without a limit
    "ranking/players/notable_names.py",  # whose names are staff's
    "ranking/api/moderation/authors.py",  # what the author of an act may do; a key proves who asks
    "ranking/players/anonymising.py",  # the account of staff who leave is kept
    "templates/account/account.html",  # the link to the admin, which asks for the second factor
    "templates/leaderboards/leave.html",  # says that the account of staff is kept
}


def test_nothing_outside_the_admin_asks_for_rights_in_another_way() -> None:
    files = [
        path.relative_to(ROOT)
        for app in ("config", "leaderboards", "matchmaking", "ranking", "templates")
        for path in (ROOT / app).rglob("*")
        if path.suffix in (".py", ".html") and not {"admin", "migrations"} & set(path.relative_to(ROOT).parts)
    ]
    assert {str(path) for path in files if ASKS.search((ROOT / path).read_text())} == ELSEWHERE
