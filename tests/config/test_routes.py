"""Who is let in where: each address of the site, asked by everybody, answers as tests/support/routes.py says."""

from collections.abc import Iterable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from ranking import models
from ranking.models import Player
from tests.support.api import make_key, make_token, result
from tests.support.factories import ban_player
from tests.support.routes import PEOPLE, ROUTES, Row, all_rows, keys_of, of_models, site_routes
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


# One of the people of the table, or the scopes of a key.
Caller = str | tuple[str, ...]


def headers_of(who: Caller) -> dict[str, str]:
    """A key's header, or that of a player's token."""
    if isinstance(who, tuple):
        return {"Authorization": f"Bearer {make_key(*who)}"}
    if who in KEYS:
        return {"Authorization": f"Bearer {make_token(Player.objects.get(key=KEYS[who]))}"}
    return {}


def client_of(who: Caller) -> Client:
    client = Client()
    if who in LOGINS:
        client.force_login(User.objects.get(username=LOGINS[who]))
    return client


def ask(client: Client, who: Caller, headers: dict[str, str], method: str, address: str) -> Any:
    """What somebody gets: a status, or "login" where they are sent there."""
    api = address.startswith("/api/")
    more: dict[str, Any] = {"headers": headers if api or isinstance(who, tuple) else {}}
    if method == "POST":
        more |= {"data": {"hides_matches": "on"}}
    if method == "POST" and api:
        more |= {"data": {"matches": [result(id="b")]} if "bulk" in address else result(), "content_type": JSON}
    response = getattr(client, method.lower())(address, **more)
    if who in LOGINS and method != "GET":  # which may have ended the session
        client.force_login(User.objects.get(username=LOGINS[who]))
    return "login" if "login/?next=" in response.headers.get("Location", "") else response.status_code


def wanted_of(row: Row) -> dict[Caller, Any]:
    return {**dict(zip(PEOPLE, row[3], strict=False)), **keys_of(row)}


def check(rows: Iterable[Row], names: dict[str, Any], callers: Iterable[str]) -> None:
    """`callers`: of PEOPLE, and "keys" for those that stand for all."""
    wanted = {
        (row[0], f"{row[1]} {row[2].format(**names)}", who): status
        for row in rows
        for who, status in wanted_of(row).items()
        if ("keys" if isinstance(who, tuple) else who) in callers
    }
    headers = {who: headers_of(who) for _, _, who in wanted}
    clients = {who: client_of(who) for who in headers}
    given = {at: ask(clients[at[2]], at[2], headers[at[2]], *at[1].split(" ")) for at in wanted}
    assert {at: found for at, found in given.items() if found != wanted[at]} == {}


# One item a person, and one for all keys.
@pytest.mark.parametrize("who", [*PEOPLE, "keys"])
def test_who_is_let_in(site, who):
    check(ROUTES, site, [who])


def test_who_is_let_into_the_admin_of_each_model(site):
    """A key without a session stands for strangers, too; the player has all that another player has there."""
    check(of_models(), site, ["player", "moderator", "keys"])


# Where a banned player gets something else than another player does.
BANNED = {"POST /play/duel/join/": 409}


def test_a_banned_player_is_let_in_like_another_player(site):
    """A ban keeps from queueing and from boards, and from no page."""
    banned = Player.objects.get(key="other")
    ban_player(banned, scope=models.Ban.BOTH, by=None, reason="Cheating.", now=timezone.now())
    client, headers = client_of("other player"), headers_of("other player")
    wanted, given = {}, {}
    for row in ROUTES:
        _, method, address, _ = row
        asked = f"{method} {address}"
        wanted[asked] = BANNED.get(asked, wanted_of(row)["other player"])
        given[asked] = ask(client, "other player", headers, method, address.format(**site))
    assert {asked: status for asked, status in given.items() if status != wanted[asked]} == {}
