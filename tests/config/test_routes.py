"""Every address of the site × everybody who may ask: who is let in, as this table says. A new address needs a row.

On pages people come with a session, to the API players come with their token; keys send their header everywhere.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils import timezone

from config.observability import endpoints
from ranking import models
from ranking.models import Player
from ranking.models.access import SCOPES
from ranking.moderation.sanctions import ban_player
from tests.support.api import make_key, make_token, result
from tests.support.whole_site import make_whole_site

pytestmark = pytest.mark.django_db

PEOPLE = ("anonymous", "player", "other player", "moderator")
EVERYBODY = (*PEOPLE, *SCOPES)  # keys: results, servers, players, read, ratings:hidden


def row(*people: Any, keys: Any) -> tuple[Any, ...]:
    """What each gets: a status, or "login" for being sent there."""
    given = people if len(people) == len(PEOPLE) else people * len(PEOPLE)
    return (*given, *(keys if isinstance(keys, tuple) else (keys,) * len(SCOPES)))


OPEN, NOWHERE, STAFF = row(200, keys=200), row(404, keys=404), row("login", "login", "login", 200, keys="login")
CLOSED, MISSING = (row("login", "login", "login", status, keys="login") for status in (403, 404))
# A player who hides their matches: they see their history, and so does who may see everything.
HIDDEN = row(403, 200, 403, 403, keys=(403, 403, 403, 403, 200))
# A session without a player is known, and not allowed; a player's calls need a player.
SENDERS = row(401, 403, 403, 403, keys=(201, 403, 403, 403, 403))
GAMES = row(401, 403, 403, 403, keys=(403, 403, 201, 403, 403))
SERVERS = row(401, 403, 403, 403, keys=(403, 400, 403, 403, 403))  # who sends what they don't take
PLAYERS, NO_PLAYER = (row(401, status, status, 401, keys=403) for status in (200, 404))
# Of one's own account; what leads away, what asks for the password again, what an account doesn't have yet, and
# an act that names nobody.
OWN, AWAY = row("login", 200, 200, 200, keys="login"), row(302, keys=302)
AGAIN, NONE_YET, NOBODY = (row("login", status, status, status, keys="login") for status in (403, 404, 404))

# route → method, an address of it, and who gets what; several where methods differ
Row = tuple[str, str, str, tuple[Any, ...]]
EVALUATE = "/admin/ranking/mode/{ranking/mode}/evaluate/"
ROUTES: list[Row] = [
    ("", "GET", "/", OPEN),
    ("boards/<slug:slug>/", "GET", "/boards/duel/", OPEN),
    ("players/<path:key>/card.png", "GET", "/players/me/card.png", OPEN),
    ("players/<path:key>/badge.svg", "GET", "/players/me/badge.svg", OPEN),
    ("players/<path:key>/", "GET", "/players/me/", OPEN),
    ("players/<path:key>/", "POST", "/players/me/", row(405, keys=405)),
    ("matches/<int:pk>/", "GET", "/matches/{match}/", OPEN),
    ("forfeits/<int:pk>/", "GET", "/forfeits/0/", NOWHERE),
    ("boards/<slug:slug>/friends/", "GET", "/boards/duel/friends/", OPEN),
    ("boards/<slug:slug>/distribution/", "GET", "/boards/duel/distribution/", OPEN),
    ("boards/<slug:slug>/region/", "POST", "/boards/duel/region/", row(404, 409, 409, 404, keys=404)),
    ("play/", "GET", "/play/", OPEN),
    ("play/<slug:slug>/", "GET", "/play/duel/", row(200, 302, 200, 200, keys=200)),
    ("play/<slug:slug>/join/", "POST", "/play/duel/join/", row("login", 409, 302, 404, keys="login")),
    ("play/<slug:slug>/cancel/", "POST", "/play/duel/cancel/", row("login", 302, 302, 404, keys="login")),
    ("lobbies/now/", "GET", "/lobbies/now/", OPEN),
    ("lobbies/<slug:key>/", "GET", "/lobbies/{lobby}/", row("login", 200, 404, 404, keys="login")),
    ("lobbies/<slug:key>/leave/", "POST", "/lobbies/{lobby}/leave/", row("login", 409, 404, 404, keys="login")),
    ("lobbies/<slug:key>/accept/", "POST", "/lobbies/{lobby}/accept/", row("login", 302, 404, 404, keys="login")),
    ("lobbies/<slug:key>/decline/", "POST", "/lobbies/{lobby}/decline/", row("login", 302, 404, 404, keys="login")),
    ("party/", "GET", "/party/", OWN),
    *(
        (f"party/{verb}/", "POST", f"/party/{verb}/", NOBODY)
        for verb in ("invite", "remove", "lead", "withdraw", "leave")
    ),
    *(
        (f"party/{verb}/", "POST", f"/party/{verb}/", row("login", 409, 409, 404, keys="login"))
        for verb in ("accept", "decline")
    ),
    ("queues/", "GET", "/queues/", STAFF),
    ("calculator/", "GET", "/calculator/", OPEN),
    ("compare/<key:first>/<key:second>/", "GET", "/compare/me/other/", OPEN),
    ("notifications/", "GET", "/notifications/", OWN),
    ("notifications/read/", "POST", "/notifications/read/", row("login", 302, 302, 302, keys="login")),
    ("people/", "GET", "/people/", OWN),
    ("people/blocked/", "GET", "/people/blocked/", OWN),
    ("people/follow/", "POST", "/people/follow/", NOBODY),
    ("people/unfollow/", "POST", "/people/unfollow/", NOBODY),
    ("people/block/", "POST", "/people/block/", NOBODY),
    ("people/unblock/", "POST", "/people/unblock/", NOBODY),
    ("conduct/", "GET", "/conduct/", OWN),
    (
        r"^conduct/appeal/(?P<kind>ban|incident)/(?P<number>\d{1,18})/$",
        "POST",
        "/conduct/appeal/ban/1/",
        row("login", 302, 302, 404, keys="login"),
    ),
    ("account/privacy/", "GET", "/account/privacy/", row("login", 200, 200, 200, keys="login")),
    ("account/privacy/", "POST", "/account/privacy/", row("login", 302, 302, 200, keys="login")),
    ("account/privacy/export/", "GET", "/account/privacy/export/", row("login", 200, 200, 302, keys="login")),
    ("account/privacy/export/", "POST", "/account/privacy/export/", row("login", 405, 405, 405, keys="login")),
    ("account/privacy/leave/", "GET", "/account/privacy/leave/", row("login", 200, 200, 302, keys="login")),
    ("account/privacy/leave/", "POST", "/account/privacy/leave/", row("login", 200, 200, 302, keys="login")),
    ("account/left/", "GET", "/account/left/", OPEN),
    ("account/login/", "GET", "/account/login/", row(200, 302, 302, 302, keys=200)),
    ("account/", "GET", "/account/", OWN),
    ("account/claim/", "GET", "/account/claim/", OWN),
    ("account/claim/", "POST", "/account/claim/", OWN),
    ("account/signup/", "GET", "/account/signup/", row(200, 302, 302, 302, keys=200)),
    ("account/inactive/", "GET", "/account/inactive/", OPEN),
    ("account/email/", "GET", "/account/email/", OWN),
    ("account/confirm-email/", "GET", "/account/confirm-email/", OPEN),
    (r"account/^confirm-email/(?P<key>[-:\w]+)/$", "GET", "/account/confirm-email/nothing/", OPEN),
    ("account/login/code/confirm/", "GET", "/account/login/code/confirm/", AWAY),
    ("account/reauthenticate/", "GET", "/account/reauthenticate/", AGAIN),
    ("account/password/change/", "GET", "/account/password/change/", row("login", 302, 302, 302, keys="login")),
    ("account/password/set/", "GET", "/account/password/set/", OWN),
    ("account/password/reset/", "GET", "/account/password/reset/", OPEN),
    ("account/password/reset/done/", "GET", "/account/password/reset/done/", OPEN),
    ("account/password/reset/key/done/", "GET", "/account/password/reset/key/done/", OPEN),
    (
        "account/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        "GET",
        "/account/password/reset/key/1-nothing/",
        OPEN,
    ),
    ("account/2fa/", "GET", "/account/2fa/", OWN),
    ("account/2fa/authenticate/", "GET", "/account/2fa/authenticate/", AWAY),
    ("account/2fa/reauthenticate/", "GET", "/account/2fa/reauthenticate/", AGAIN),
    ("account/2fa/totp/activate/", "GET", "/account/2fa/totp/activate/", OWN),
    ("account/2fa/totp/deactivate/", "GET", "/account/2fa/totp/deactivate/", NONE_YET),
    ("account/2fa/recovery-codes/", "GET", "/account/2fa/recovery-codes/", NONE_YET),
    ("account/2fa/recovery-codes/download/", "GET", "/account/2fa/recovery-codes/download/", NONE_YET),
    ("account/2fa/recovery-codes/generate/", "GET", "/account/2fa/recovery-codes/generate/", OWN),
    ("account/connections/", "GET", "/account/connections/", OWN),
    ("account/connections/login/cancelled/", "GET", "/account/connections/login/cancelled/", OPEN),
    ("account/connections/login/error/", "GET", "/account/connections/login/error/", row(401, keys=401)),
    ("account/connections/signup/", "GET", "/account/connections/signup/", AWAY),
    ("account/logout/", "GET", "/account/logout/", row(302, 200, 200, 200, keys=302)),
    ("account/logout/", "POST", "/account/logout/", row(302, keys=302)),
    ("api/v1/modes/", "GET", "/api/v1/modes/", OPEN),
    ("api/v1/boards/<slug:mode>/", "GET", "/api/v1/boards/duel/", OPEN),
    ("api/v1/players/<player_key:id>/history/", "GET", "/api/v1/players/me/history/?mode=duel", HIDDEN),
    ("api/v1/players/<player_key:id>/", "GET", "/api/v1/players/me/", OPEN),
    ("api/v1/matches/<int:number>/post-game/", "GET", "/api/v1/matches/{match}/post-game/", OPEN),
    ("api/v1/matches/", "GET", "/api/v1/matches/", OPEN),
    ("api/v1/matches/", "GET", "/api/v1/matches/?player=me", HIDDEN),
    ("api/v1/matches/", "POST", "/api/v1/matches/", SENDERS),
    ("api/v1/matches/bulk/", "GET", "/api/v1/matches/bulk/", row(401, 403, 403, 403, keys=(405, 403, 403, 403, 403))),
    ("api/v1/matches/bulk/", "POST", "/api/v1/matches/bulk/", row(401, 403, 403, 403, keys=(200, 403, 403, 403, 403))),
    ("api/v1/matches/<int:number>/", "GET", "/api/v1/matches/{match}/", OPEN),
    ("api/v1/players/", "GET", "/api/v1/players/", OPEN),
    ("api/v1/players/<player_key:id>/token/", "POST", "/api/v1/players/me/token/", GAMES),
    ("api/v1/players/<player_key:id>/claim-code/", "POST", "/api/v1/players/me/claim-code/", GAMES),
    (
        "api/v1/players/<player_key:id>/conduct/",
        "GET",
        "/api/v1/players/me/conduct/",
        row(401, 200, 403, 401, keys=(403, 403, 403, 200, 403)),
    ),
    ("api/v1/players/me/following/", "GET", "/api/v1/players/me/following/", PLAYERS),
    (
        "api/v1/players/me/following/<path:id>/",
        "PUT",
        "/api/v1/players/me/following/nobody/",
        row(401, 404, 404, 401, keys=403),
    ),
    ("api/v1/players/me/blocked/", "GET", "/api/v1/players/me/blocked/", PLAYERS),
    (
        "api/v1/players/me/blocked/<path:id>/",
        "PUT",
        "/api/v1/players/me/blocked/nobody/",
        row(401, 404, 404, 401, keys=403),
    ),
    ("api/v1/tickets/", "POST", "/api/v1/tickets/", row(401, 400, 400, 401, keys=(403, 400, 403, 403, 403))),
    *(
        (
            "api/v1/tickets/<int:number>/",
            method,
            "/api/v1/tickets/{ticket}/",
            row(401, status, 404, 401, keys=(403, status, 403, 403, 403)),
        )
        for method, status in (("GET", 200), ("DELETE", 409))
    ),
    ("api/v1/lobbies/<slug:key>/", "GET", "/api/v1/lobbies/{lobby}/", row(401, 200, 404, 401, keys=403)),
    *(
        (
            f"api/v1/lobbies/<slug:key>/{verb}/",
            "POST",
            f"/api/v1/lobbies/{{lobby}}/{verb}/",
            row(401, 409, 404, 401, keys=403),
        )
        for verb in ("seen", "accept", "decline", "leave")
    ),
    ("api/v1/lobbies/<slug:key>/start/", "POST", "/api/v1/lobbies/{lobby}/start/", SERVERS),
    ("api/v1/servers/me/", "POST", "/api/v1/servers/me/", row(401, 403, 403, 403, keys=(403, 405, 403, 403, 403))),
    ("api/v1/servers/me/", "DELETE", "/api/v1/servers/me/", row(401, 403, 403, 403, keys=(403, 404, 403, 403, 403))),
    ("api/v1/parties/me/", "GET", "/api/v1/parties/me/", PLAYERS),
    ("api/v1/parties/me/leave/", "POST", "/api/v1/parties/me/leave/", PLAYERS),
    ("api/v1/parties/me/pings/", "PUT", "/api/v1/parties/me/pings/", row(401, 400, 400, 401, keys=403)),
    *(
        (f"api/v1/parties/me/{verb}/", "POST", f"/api/v1/parties/me/{verb}/", row(401, 400, 400, 401, keys=403))
        for verb in ("invite", "withdraw", "remove", "lead")
    ),
    *(
        (
            f"api/v1/parties/<int:number>/{verb}/",
            "POST",
            f"/api/v1/parties/1/{verb}/",
            row(401, 409, 409, 401, keys=403),
        )
        for verb in ("accept", "decline")
    ),
    ("api/v1/rate/", "POST", "/api/v1/rate/", row(400, keys=400)),
    ("api/v1/<path:path>", "GET", "/api/v1/nothing/", NOWHERE),
    ("api/v1/<path:path>", "POST", "/api/v1/nothing/", NOWHERE),
    ("api/schema/", "GET", "/api/schema/", OPEN),
    ("api/docs/", "GET", "/api/docs/", OPEN),
    ("^(?:api/v1/)?health/live/?$", "GET", "/health/live", OPEN),
    ("^(?:api/v1/)?health/ready/?$", "GET", "/health/ready?only=database", OPEN),
    ("^metrics/?$", "GET", "/metrics", row(403, keys=403)),
    ("admin/", "GET", "/admin/", STAFF),
    ("admin/login/", "GET", "/admin/login/", row("login", 403, 403, 302, keys="login")),
    ("admin/logout/", "POST", "/admin/logout/", row(302, keys=302)),
    ("admin/password_change/", "GET", "/admin/password_change/", STAFF),
    ("admin/password_change/done/", "GET", "/admin/password_change/done/", STAFF),
    ("admin/autocomplete/", "GET", "/admin/autocomplete/", CLOSED),
    ("admin/jsi18n/", "GET", "/admin/jsi18n/", STAFF),
    ("admin/r/<path:content_type_id>/<path:object_id>/", "GET", "/admin/r/{kind}/{player}/", MISSING),
    (
        "admin/^(?P<app_label>ranking|mfa|account|auth|socialaccount|leaderboards|matchmaking)/$",
        "GET",
        "/admin/ranking/",
        STAFF,
    ),
    *(
        (f"admin/ranking/mode/<int:mode_id>/evaluate/{route}", method, f"{EVALUATE}{page}", CLOSED)
        for route, method, page in (
            ("", "GET", ""),
            ("<int:run_id>/", "GET", "1/"),
            ("<int:run_id>/<str:name>.csv", "GET", "1/board.csv"),
            ("<int:run_id>/stop/", "POST", "1/stop/"),
        )
    ),
    (
        "admin/ranking/mode/<int:mode_id>/evaluate/<int:run_id>/go-over/<int:index>/",
        "GET",
        f"{EVALUATE}1/go-over/0/",
        CLOSED,
    ),
    ("admin/ranking/mode/<int:mode_id>/rate-anew/", "GET", "/admin/ranking/mode/{ranking/mode}/rate-anew/", CLOSED),
    (
        "admin/ranking/leaver/<int:player_id>/void-since/",
        "GET",
        "/admin/ranking/leaver/{player}/void-since/",
        CLOSED,
    ),
    ("admin/ranking/incident/after-a-crash/", "GET", "/admin/ranking/incident/after-a-crash/", CLOSED),
    ("admin/ranking/player/<int:player_id>/merge/", "GET", "/admin/ranking/player/{player}/merge/", STAFF),
    ("admin/ranking/player/<int:player_id>/split/", "GET", "/admin/ranking/player/{player}/split/", MISSING),
    ("admin/matchmaking/planning/", "GET", "/admin/matchmaking/planning/", STAFF),
    ("admin/matchmaking/planning/simulation/", "GET", "/admin/matchmaking/planning/simulation/", STAFF),
    ("admin/auth/user/<id>/password/", "GET", "/admin/auth/user/{user}/password/", CLOSED),
    ("admin/(?P<url>.*)$", "GET", "/admin/nothing/", MISSING),
]

# What a moderator gets of the pages of each model in the admin: they may change players and look at matches, ratings
# and changes. Everybody else is sent to the login.
PAGES = ("", "add/", *(f"<path:object_id>/{page}" for page in ("history/", "delete/", "change/", "")))
LOOK, CHANGE, NOTHING = (200, 403, 200, 403, 200, 302), (200, 403, 200, 403, 200, 302), (403, 403, 403, 403, 403, 302)
MODELS = {
    "ranking/change": LOOK, "ranking/event": NOTHING, "ranking/parameterversion": NOTHING, "ranking/season": NOTHING,
    "ranking/key": NOTHING, "ranking/match": LOOK, "ranking/mode": NOTHING, "ranking/outboxentry": NOTHING,
    "ranking/appeal": NOTHING,
    "ranking/auditentry": NOTHING, "ranking/ban": NOTHING, "ranking/incident": NOTHING, "ranking/leaver": NOTHING,
    "ranking/finding": NOTHING,
    "ranking/merge": NOTHING, "ranking/rerating": NOTHING,
    "ranking/player": CHANGE, "ranking/rating": LOOK, "ranking/snapshot": NOTHING, "ranking/source": NOTHING,
    "auth/group": NOTHING, "auth/user": NOTHING, "account/emailaddress": NOTHING, "mfa/authenticator": NOTHING,
    **{f"matchmaking/{name}": NOTHING for name in ("queue", "ticket", "lobby", "server", "party", "formed")},
    "socialaccount/socialaccount": NOTHING, "leaderboards/webhook": NOTHING, "leaderboards/delivery": NOTHING,
    "matchmaking/queue": NOTHING, "matchmaking/ticket": NOTHING, "matchmaking/lobby": NOTHING,
    "matchmaking/server": NOTHING, "matchmaking/party": NOTHING, "matchmaking/formed": NOTHING,
    "matchmaking/unreportedloss": NOTHING,
}  # fmt: skip
KEYS = {"player": "me", "other player": "other"}
LOGINS = {**KEYS, "moderator": "moderator"}
JSON = "application/json"


def routes() -> set[str]:
    """Every route of the site, operators' among them."""

    def walk(patterns: list[Any], before: str) -> Iterator[str]:
        for pattern in patterns:
            here = before + str(pattern.pattern)
            if isinstance(pattern, URLPattern):
                yield here
            else:
                yield from walk(pattern.url_patterns, here)

    return {*walk(get_resolver().url_patterns, ""), *(str(pattern.pattern) for pattern in endpoints.urlpatterns)}


def of_models() -> Iterator[Row]:
    """The rows of MODELS, as those of ROUTES."""
    for model, statuses in MODELS.items():
        for page, status in zip(PAGES, statuses, strict=True):
            address = page.replace("<path:object_id>", f"{{{model}}}")
            wanted = row("login", "login", "login", status, keys="login")
            yield f"admin/{model}/{page}", "GET", f"/admin/{model}/{address}", wanted


def all_rows() -> list[Row]:
    return [*ROUTES, *of_models()]


def test_every_route_has_a_row():
    assert {route for route, *_ in all_rows()} == routes()


@pytest.fixture
def site(db) -> dict[str, Any]:
    return make_whole_site()


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


def check(rows: Iterable[Row], names: dict[str, Any]) -> None:
    headers = {who: headers_of(who) for who in EVERYBODY}
    clients = {who: Client() for who in EVERYBODY}
    for who, name in LOGINS.items():
        clients[who].force_login(User.objects.get(username=name))
    given, wanted = {}, {}
    for route, method, address, statuses in rows:
        asked = f"{method} {address.format(**names)}"
        wanted[route, asked] = dict(zip(EVERYBODY, statuses, strict=True))
        given[route, asked] = {who: ask(clients[who], who, headers[who], *asked.split(" ")) for who in EVERYBODY}
    assert {at: found for at, found in given.items() if found != wanted[at]} == {}


def test_who_is_let_in(site):
    check(ROUTES, site)


def test_who_is_let_into_the_admin_of_each_model(site):
    check(of_models(), site)


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
