"""A player whom the board doesn't show yet: who learns their live rating, of every address of the site."""

from collections.abc import Iterable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from ranking.models import Change, Mode, Player, Rating
from tests.config.test_routes import KEYS, LOGINS, headers_of
from tests.support.routes import EVERYBODY, ROUTES
from tests.support.whole_site import make_whole_site

LIVE, AFTER = ("4321.98", "4,321.98"), ("7654.31", "7,654.31")  # the rating, and the one after each match
PLAYER, HISTORY = "players/<path:key>/", "api/v1/players/<player_key:id>/history/"
MATCHES = "players/<path:key>/matches/"
SEASON = "players/<path:key>/seasons/<slug:slug>/<int:number>/"
NOBODYS = ("admin/", "account/", "calculator/", "api/schema/", "api/docs/")  # staff's, or of no player but oneself
# What each match did stands with the match, whoever played it.
OF_MATCHES = {"matches/<int:pk>/", "api/v1/matches/<int:number>/", "api/v1/matches/<int:number>/post-game/"}


@pytest.fixture(scope="module")
def whole_site(module_db) -> dict[str, Any]:
    site = make_whole_site()
    Player.objects.update(hides_matches=False)
    Rating.objects.update(display_hundredths=432_198)
    Change.objects.update(display_after=765_431)
    return site


@pytest.fixture
def site(db, whole_site) -> dict[str, Any]:
    return whole_site


def seen(site: dict[str, Any], callers: Iterable[str], *texts: tuple[str, str]) -> list[set[tuple[str, str]]]:
    """For each text, in either form, the routes on which each of the callers reads it."""
    found: list[set[tuple[str, str]]] = [set() for _ in texts]
    for who in callers:
        client, headers = Client(), headers_of(who)
        if who in LOGINS:
            client.force_login(User.objects.get(username=LOGINS[who]))
        for route, method, address, _ in ROUTES:
            if method != "GET" or (route.startswith(NOBODYS) and route not in {route for route, _ in EXPORT}):
                continue
            # A token is for the API, a session for pages.
            more = {"headers": headers} if who not in KEYS or address.startswith("/api/") else {}
            answer = client.get(address.format(**site), **more)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            page = body.decode(errors="replace")
            for routes, forms in zip(found, texts, strict=True):
                if any(form in page for form in forms):
                    routes.add((route, who))
    return found


EXPORT = {("account/privacy/export/", who) for who in KEYS}  # each of their own
OWN = EXPORT | {
    (PLAYER, "player"), (PLAYER, "moderator"),
    ("api/v1/players/me/", "player"), ("api/v1/players/me/", "other player"),
    ("api/v1/players/<last_player_key:id>/", "other player"),
    ("api/v1/players/<last_player_key:id>/", "ratings:hidden"),
}  # fmt: skip


@pytest.mark.parametrize("why", ["unplaced", "hidden"])
def test_only_they_and_who_may_see_everything_learn_it(site, why):
    hide(why)
    live, after = seen(site, EVERYBODY, LIVE, AFTER)
    assert live == OWN
    of_matches = {(route, who) for route in OF_MATCHES for who in EVERYBODY}
    pages = {(page, who) for page in (PLAYER, MATCHES, SEASON) for who in ("player", "moderator")}
    history = EXPORT | {(HISTORY, "player"), (HISTORY, "ratings:hidden")} | pages
    assert after == of_matches | history


def test_everybody_learns_it_of_a_player_whom_the_board_shows(site):
    [routes] = seen(site, ["anonymous"], LIVE)
    assert routes == {(PLAYER, "anonymous"), ("api/v1/players/<last_player_key:id>/", "anonymous")}


def hide(why: str) -> None:
    Rating.objects.update(listed=False)
    if why == "unplaced":
        Mode.objects.update(placement_matches=5)
    else:
        Player.objects.filter(key__in=("me", "other")).update(hidden_at=timezone.now())
