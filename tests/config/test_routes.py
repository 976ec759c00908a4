"""Who is let in where: each address of the site, asked by everybody, answers as tests/support/routes.py says."""

from collections.abc import Iterable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator

from ranking import models
from ranking.models import Player
from ranking.models.access import SCOPES
from tests.support.api import make_key, make_token, result
from tests.support.factories import ban_player
from tests.support.routes import EVERYBODY, PEOPLE, ROUTES, Row, all_rows, of_models, site_routes
from tests.support.schema_answers import raw_schema
from tests.support.whole_site import make_whole_site

KEYS = {"player": "me", "other player": "other"}
LOGINS = {**KEYS, "moderator": "moderator"}
JSON = "application/json"


def test_every_route_has_a_row():
    assert {route for route, *_ in all_rows()} == site_routes()


@pytest.fixture(scope="module")
def whole_site(module_db) -> dict[str, Any]:
    return make_whole_site()


@pytest.fixture
def site(db, whole_site) -> dict[str, Any]:
    return whole_site


@pytest.fixture
def _one_schema(monkeypatch) -> None:
    """The view of the OpenAPI document builds it for each request, for everybody the same."""
    schema = raw_schema()
    monkeypatch.setattr(SchemaGenerator, "get_schema", lambda *_, **__: schema)


def headers_of(who: str) -> dict[str, str]:
    """A key's header, or that of a player's token."""
    if who in SCOPES:
        return {"Authorization": f"Bearer {make_key(who)}"}
    if who in KEYS:
        return {"Authorization": f"Bearer {make_token(Player.objects.get(key=KEYS[who]))}"}
    return {}


def ask(client: Client, who: str, headers: dict[str, str], method: str, address: str) -> Any:
    """What somebody gets: a status, or "login" where they are sent there."""
    api = address.startswith("/api/")
    more: dict[str, Any] = {"headers": headers if api or who in SCOPES else {}}
    if method == "POST":
        more |= {"data": {"hides_matches": "on"}}
    if method == "POST" and api:
        more |= {"data": {"matches": [result(id="b")]} if "bulk" in address else result(), "content_type": JSON}
    response = getattr(client, method.lower())(address, **more)
    if who in LOGINS and method != "GET":  # which may have ended the session
        client.force_login(User.objects.get(username=LOGINS[who]))
    return "login" if "login/?next=" in response.headers.get("Location", "") else response.status_code


def check(rows: Iterable[Row], names: dict[str, Any], callers: Iterable[str]) -> None:
    headers = {who: headers_of(who) for who in callers}
    clients = {who: Client() for who in callers}
    for who in headers.keys() & LOGINS.keys():
        clients[who].force_login(User.objects.get(username=LOGINS[who]))
    given, wanted = {}, {}
    for route, method, address, statuses in rows:
        asked = f"{method} {address.format(**names)}"
        for who in headers:
            wanted[route, asked, who] = dict(zip(EVERYBODY, statuses, strict=True))[who]
            given[route, asked, who] = ask(clients[who], who, headers[who], *asked.split(" "))
    assert {at: found for at, found in given.items() if found != wanted[at]} == {}


# One item a person, and one for all keys: processes share the work.
CALLERS = pytest.mark.parametrize("callers", [*((who,) for who in PEOPLE), tuple(SCOPES)], ids=[*PEOPLE, "keys"])


@pytest.mark.usefixtures("_one_schema")
@CALLERS
def test_who_is_let_in(site, callers):
    check(ROUTES, site, callers)


def test_who_is_let_into_the_admin_of_each_model(site):
    check(of_models(), site, EVERYBODY)


# Where a banned player gets something else than another player does.
BANNED = {"POST /play/duel/join/": 409}


def test_a_banned_player_is_let_in_like_another_player(site):
    """A ban keeps from queueing and from boards, and from no page."""
    banned = Player.objects.get(key="other")
    ban_player(banned, scope=models.Ban.BOTH, by=None, reason="Cheating.", now=timezone.now())
    client, headers = Client(), headers_of("other player")
    client.force_login(User.objects.get(username="other"))
    wanted, given = {}, {}
    for _, method, address, statuses in ROUTES:
        asked = f"{method} {address}"
        wanted[asked] = BANNED.get(asked, dict(zip(EVERYBODY, statuses, strict=True))["other player"])
        given[asked] = ask(client, "other player", headers, method, address.format(**site))
    assert {asked: status for asked, status in given.items() if status != wanted[asked]} == {}
