"""A player whom the board doesn't show yet: who learns their live rating, of every address of the site."""

from collections.abc import Iterable
from typing import Any

import pytest
from django.utils import timezone

from ranking.models import Change, Mode, Player, Rating
from ranking.models.access import SCOPES
from tests.config.test_routes import KEYS, Caller, client_of, headers_of
from tests.support.routes import PEOPLE, ROUTES
from tests.support.whole_site import make_whole_site

# Two keys stand for all: one reads what is hidden, the other has every other scope.
HIDDEN, OTHERS = ("ratings:hidden",), tuple(scope for scope in SCOPES if scope != "ratings:hidden")
CALLERS: tuple[Caller, ...] = (*PEOPLE, HIDDEN, OTHERS)
LIVE, AFTER = ("4321.98", "4,321.98"), ("7654.31", "7,654.31")  # the rating, and the one after each match
PLAYER, HISTORY = "players/<path:key>/", "api/v1/players/<player_key:id>/history/"
MATCHES = "players/<path:key>/matches/"
CAREER = "players/<path:key>/career/"
SEASON = "players/<path:key>/seasons/<slug:slug>/<int:number>/"
NOBODYS = ("admin/", "account/", "calculator/", "api/schema/", "api/docs/")  # staff's, or of no player but oneself
EXPORTED = "account/privacy/export/"
ASKED = [
    (route, address)
    for route, method, address, _ in ROUTES
    if method == "GET" and (route == EXPORTED or not route.startswith(NOBODYS))
]
# What each match did stands with the match, whoever played it; of players in placement for themselves (each of the two
# sees a line of their own), for moderators, for the key that reported it, and for keys that see everything.
OF_MATCH, OF_API = "matches/<int:pk>/", ("api/v1/matches/<int:number>/", "api/v1/matches/<int:number>/post-game/")
OF_PLACED = {(route, who) for route in (OF_MATCH, *OF_API) for who in CALLERS}
OF_UNPLACED = {(OF_MATCH, who) for who in ("player", "other player", "moderator")} | {
    (route, who) for route in OF_API for who in ("player", "other player", HIDDEN, OTHERS)
}


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


def seen(site: dict[str, Any], callers: Iterable[Caller], *texts: tuple[str, str]) -> list[set[tuple[str, Caller]]]:
    """For each text, in either form, the routes on which each of the callers reads it."""
    found: list[set[tuple[str, Caller]]] = [set() for _ in texts]
    for who in callers:
        client, headers = client_of(who), headers_of(who)
        for route, address in ASKED:
            # A token is for the API, a session for pages.
            more = {"headers": headers} if who not in KEYS or address.startswith("/api/") else {}
            answer = client.get(address.format(**site), **more)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            page = body.decode(errors="replace")
            for routes, forms in zip(found, texts, strict=True):
                if any(form in page for form in forms):
                    routes.add((route, who))
    return found


EXPORT = {(EXPORTED, who) for who in KEYS}  # each of their own
OWN = EXPORT | {
    (PLAYER, "player"), (PLAYER, "moderator"),
    ("api/v1/players/me/", "player"), ("api/v1/players/me/", "other player"),
    ("api/v1/players/<last_player_key:id>/", "other player"),
    ("api/v1/players/<last_player_key:id>/", HIDDEN),
}  # fmt: skip


@pytest.mark.parametrize("why", ["unplaced", "hidden"])
def test_only_they_and_who_may_see_everything_learn_it(site, why):
    hide(why)
    live, after = seen(site, CALLERS, LIVE, AFTER)
    assert live == OWN
    of_matches, shown = (
        (OF_UNPLACED, (PLAYER, MATCHES)) if why == "unplaced" else (OF_PLACED, (PLAYER, MATCHES, SEASON, CAREER))
    )
    pages = {(page, who) for page in shown for who in ("player", "moderator")}  # peaks are of placed players
    history = EXPORT | {(HISTORY, "player"), (HISTORY, HIDDEN)} | pages
    assert after == of_matches | history


def test_everybody_learns_it_of_a_player_whom_the_board_shows(site):
    [routes] = seen(site, ["anonymous"], LIVE)
    shown = (PLAYER, "api/v1/players/<last_player_key:id>/", "boards/<slug:slug>/")  # the board by its curves
    assert routes == {(route, "anonymous") for route in shown}


def hide(why: str) -> None:
    Rating.objects.update(listed=False)
    if why == "unplaced":
        Mode.objects.update(placement_matches=5)
    else:
        Player.objects.filter(key__in=("me", "other")).update(hidden_at=timezone.now())
