"""Every address of the site × everybody who may ask: who is let in, as this table says. A new address needs a row.

On pages people come with a session, to the API players come with their token; keys send their header everywhere.
"""

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, get_resolver

from config.observability import endpoints
from ranking.models.access import SCOPES
from tests.support.admin_routes import (
    ADMIN_ROUTES,
    EVERYBODY,
    NOWHERE,
    OPEN,
    PEOPLE,
    STAFF,
    Row,
    of_models,
    row,
    with_scope,
)

# A player who hides their matches: they see their history, and so does who may see everything.
HIDDEN = row(403, 200, 403, 403, keys=with_scope("ratings:hidden", 200))
# A session without a player is known, and not allowed; a player's calls need a player.
SENDERS = row(401, 403, 403, 403, keys=with_scope("results", 201))
GAMES = row(401, 403, 403, 403, keys=with_scope("players", 201))
SERVERS = row(401, 403, 403, 403, keys=with_scope("servers", 400))  # who sends what they don't take
CONFIGURING = row(401, 403, 403, 403, keys=with_scope("configure", 400))  # likewise
MODERATING = row(401, 403, 403, 403, keys=with_scope("moderate", 400))  # no author is named
PLAYERS, NO_PLAYER = (row(401, status, status, 401, keys=403) for status in (200, 404))
# Of one's own account; what leads away, what asks for the password again, what an account doesn't have yet, and
# an act that names nobody.
OWN, AWAY = row("login", 200, 200, 200, keys="login"), row(302, keys=302)
AGAIN, NONE_YET, NOBODY = (row("login", status, status, status, keys="login") for status in (403, 404, 404))

ROUTES: list[Row] = [
    ("", "GET", "/", OPEN),
    ("boards/<slug:slug>/", "GET", "/boards/duel/", OPEN),
    (
        "players/<path:key>/seasons/<slug:slug>/<int:number>/card.png",
        "GET",
        "/players/me/seasons/duel/1/card.png",
        OPEN,
    ),
    ("players/<path:key>/seasons/<slug:slug>/<int:number>/", "GET", "/players/me/seasons/duel/1/", OPEN),
    ("players/<path:key>/card.png", "GET", "/players/me/card.png", OPEN),
    ("players/<path:key>/avatar.webp", "GET", "/players/me/avatar.webp", NOWHERE),
    ("players/<path:key>/badge.svg", "GET", "/players/me/badge.svg", OPEN),
    ("players/<path:key>/career/", "GET", "/players/me/career/", OPEN),
    ("players/<path:key>/achievements/", "GET", "/players/me/achievements/", OPEN),
    ("players/<path:key>/matches/", "GET", "/players/me/matches/", OPEN),
    ("players/<path:key>/", "GET", "/players/me/", OPEN),
    ("players/<path:key>/", "POST", "/players/me/", row(405, keys=405)),
    ("matches/<int:pk>/", "GET", "/matches/{match}/", OPEN),
    ("matches/<int:pk>/card.png", "GET", "/matches/{match}/card.png", OPEN),
    ("forfeits/<int:pk>/", "GET", "/forfeits/0/", NOWHERE),
    ("boards/<slug:slug>/friends/", "GET", "/boards/duel/friends/", OPEN),
    ("boards/<slug:slug>/distribution/", "GET", "/boards/duel/distribution/", OPEN),
    ("boards/<slug:slug>/tiers/", "GET", "/boards/duel/tiers/", OPEN),
    ("boards/<slug:slug>/seasons/", "GET", "/boards/duel/seasons/", OPEN),
    ("boards/<slug:slug>/seasons/calendar.ics", "GET", "/boards/duel/seasons/calendar.ics", OPEN),
    ("boards/<slug:slug>/region/", "POST", "/boards/duel/region/", row(404, 409, 409, 404, keys=404)),
    ("embed/boards/<slug:slug>/", "GET", "/embed/boards/duel/", OPEN),
    ("embed/boards/<slug:slug>/table/", "GET", "/embed/boards/duel/table/", OPEN),
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
    ("search/", "GET", "/search/?q=me", OPEN),
    ("help/", "GET", "/help/", OPEN),
    ("seasons/", "GET", "/seasons/", OPEN),
    ("compare/<key:first>/<key:second>/", "GET", "/compare/me/other/", OPEN),
    ("notifications/", "GET", "/notifications/", OWN),
    ("notifications/read/", "POST", "/notifications/read/", row("login", 302, 302, 302, keys="login")),
    ("notifications/topics/", "POST", "/notifications/topics/", row("login", 302, 302, 302, keys="login")),
    ("people/", "GET", "/people/", OWN),
    ("people/blocked/", "GET", "/people/blocked/", OWN),
    ("people/recent/", "GET", "/people/recent/", OWN),
    (
        "api/v1/matches/<int:number>/links/",
        "PUT",
        "/api/v1/matches/{match}/links/",
        row(401, 403, 403, 403, keys=with_scope("results", 400)),
    ),
    ("people/join/<str:token>/", "GET", "/people/join/x/", NOWHERE),
    ("people/join/<str:token>/", "POST", "/people/join/x/", NOWHERE),
    ("people/avoid/", "POST", "/people/avoid/", NOBODY),
    ("people/unavoid/", "POST", "/people/unavoid/", NOBODY),
    ("people/follow/", "POST", "/people/follow/", NOBODY),
    ("people/unfollow/", "POST", "/people/unfollow/", NOBODY),
    ("people/block/", "POST", "/people/block/", NOBODY),
    ("people/unblock/", "POST", "/people/unblock/", NOBODY),
    ("conduct/", "GET", "/conduct/", OWN),
    ("matches/<int:pk>/report/", "GET", "/matches/{match}/report/", row("login", 200, 200, 404, keys="login")),
    (
        r"^conduct/appeal/(?P<kind>ban|incident)/(?P<number>\d{1,18})/$",
        "POST",
        "/conduct/appeal/ban/1/",
        row("login", 302, 302, 404, keys="login"),
    ),
    ("account/picture/", "POST", "/account/picture/", row("login", 302, 302, 302, keys="login")),
    ("account/privacy/", "GET", "/account/privacy/", row("login", 200, 200, 200, keys="login")),
    ("account/privacy/", "POST", "/account/privacy/", row("login", 302, 302, 200, keys="login")),
    ("account/privacy/export/", "GET", "/account/privacy/export/", row("login", 200, 200, 302, keys="login")),
    ("account/privacy/export/", "POST", "/account/privacy/export/", row("login", 405, 405, 405, keys="login")),
    ("account/privacy/leave/", "GET", "/account/privacy/leave/", row("login", 200, 200, 302, keys="login")),
    ("account/privacy/leave/", "POST", "/account/privacy/leave/", row("login", 200, 200, 302, keys="login")),
    ("account/left/", "GET", "/account/left/", OPEN),
    ("theme/", "POST", "/theme/", row(302, keys=302)),
    ("language/", "POST", "/language/", row(302, keys=302)),
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
    ("api/v1/modes/<slug:mode>/seasons/", "GET", "/api/v1/modes/duel/seasons/", OPEN),
    ("api/v1/boards/<slug:mode>/", "GET", "/api/v1/boards/duel/", OPEN),
    ("api/v1/boards/<slug:mode>/players/", "GET", "/api/v1/boards/duel/players/?id=me", OPEN),
    ("api/v1/boards/<slug:mode>/distribution/", "GET", "/api/v1/boards/duel/distribution/", OPEN),
    ("api/v1/players/<player_key:id>/history/", "GET", "/api/v1/players/me/history/?mode=duel", HIDDEN),
    ("api/v1/players/<player_key:id>/seasons/", "GET", "/api/v1/players/me/seasons/?mode=duel", OPEN),
    ("api/v1/players/<last_player_key:id>/", "GET", "/api/v1/players/other/", OPEN),
    ("api/v1/players/me/", "GET", "/api/v1/players/me/", PLAYERS),
    ("api/v1/matches/<int:number>/post-game/", "GET", "/api/v1/matches/{match}/post-game/", OPEN),
    ("api/v1/matches/", "GET", "/api/v1/matches/", OPEN),
    ("api/v1/matches/", "GET", "/api/v1/matches/?player=me", HIDDEN),
    ("api/v1/matches/", "POST", "/api/v1/matches/", SENDERS),
    ("api/v1/matches/bulk/", "GET", "/api/v1/matches/bulk/", row(401, 403, 403, 403, keys=with_scope("results", 405))),
    ("api/v1/matches/bulk/", "POST", "/api/v1/matches/bulk/", row(401, 403, 403, 403, keys=with_scope("results", 200))),
    (
        "api/v1/matches/withdraw/",
        "POST",
        "/api/v1/matches/withdraw/",
        row(401, 403, 403, 403, keys=with_scope("results", 400)),
    ),
    ("api/v1/matches/<int:number>/", "GET", "/api/v1/matches/{match}/", OPEN),
    ("api/v1/players/", "GET", "/api/v1/players/", OPEN),
    ("api/v1/players/<player_key:id>/token/", "POST", "/api/v1/players/me/token/", GAMES),
    ("api/v1/players/<player_key:id>/claim-code/", "POST", "/api/v1/players/me/claim-code/", GAMES),
    (
        "api/v1/players/<player_key:id>/conduct/",
        "GET",
        "/api/v1/players/me/conduct/",
        row(401, 200, 403, 401, keys=with_scope("read", 200)),
    ),
    (
        "api/v1/matches/<int:number>/reports/",
        "POST",
        "/api/v1/matches/{match}/reports/",
        row(401, 400, 400, 401, keys=403),
    ),
    ("api/v1/players/<player_key:id>/bans/", "GET", "/api/v1/players/me/bans/", MODERATING),
    ("api/v1/players/<player_key:id>/bans/", "POST", "/api/v1/players/me/bans/", MODERATING),
    ("api/v1/bans/<int:number>/", "GET", "/api/v1/bans/{ranking/ban}/", MODERATING),
    *(
        (f"api/v1/bans/<int:number>/{verb}/", "POST", f"/api/v1/bans/{{ranking/ban}}/{verb}/", MODERATING)
        for verb in ("lift", "resume", "extend", "shorten")
    ),
    *(
        (f"api/v1/players/<player_key:id>/{word}/", method, f"/api/v1/players/me/{word}/", MODERATING)
        for method, words in (
            ("GET", ("incidents", "notes", "warnings", "export")),
            ("POST", ("notes", "warnings", "ban-proposals", "hide", "show", "erase")),
            ("POST", ("rename", "reset-name", "undo-rename", "unlock-name")),
        )
        for word in words
    ),
    ("api/v1/ban-proposals/", "GET", "/api/v1/ban-proposals/", MODERATING),
    ("api/v1/ban-proposals/<int:number>/", "GET", "/api/v1/ban-proposals/1/", MODERATING),
    ("api/v1/incidents/<int:number>/", "GET", "/api/v1/incidents/{ranking/incident}/", MODERATING),
    *(
        (f"api/v1/{things}/<int:number>/{verb}/", "POST", f"/api/v1/{things}/1/{verb}/", MODERATING)
        for things, verb in (
            ("incidents", "pardon"),
            ("incidents", "revoke-pardon"),
            ("matches", "void"),
            ("matches", "restore"),
            ("matches", "correct"),
            ("notes", "withdraw"),
            ("warnings", "withdraw"),
            *(("ban-proposals", verb) for verb in ("confirm", "refuse", "withdraw", "reopen")),
            ("appeals", "grant"),
            ("appeals", "confirm"),
            ("appeals", "reopen"),
        )
    ),
    *(
        (route, method, route.replace("<slug:mode>", "duel").replace("api", "/api"), CONFIGURING)
        for route in ("api/v1/modes/<slug:mode>/settings/", "api/v1/queues/<slug:mode>/")
        for method in ("GET", "PATCH")
    ),
    *(
        ("api/v1/modes/<slug:mode>/parameters/", method, "/api/v1/modes/duel/parameters/", CONFIGURING)
        for method in ("GET", "POST")
    ),
    ("api/v1/audit/", "GET", "/api/v1/audit/", MODERATING),
    ("api/v1/appeals/", "GET", "/api/v1/appeals/", MODERATING),
    ("api/v1/appeals/<int:number>/", "GET", "/api/v1/appeals/{ranking/appeal}/", MODERATING),
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
    ("api/v1/players/me/avoided/", "GET", "/api/v1/players/me/avoided/", PLAYERS),
    (
        "api/v1/players/me/avoided/<path:id>/",
        "PUT",
        "/api/v1/players/me/avoided/nobody/",
        row(401, 404, 404, 401, keys=403),
    ),
    ("api/v1/tickets/", "GET", "/api/v1/tickets/", row(401, 200, 200, 401, keys=with_scope("servers", 400))),
    ("api/v1/tickets/", "POST", "/api/v1/tickets/", row(401, 400, 400, 401, keys=with_scope("servers", 400))),
    *(
        (
            "api/v1/tickets/<int:number>/",
            method,
            "/api/v1/tickets/{ticket}/",
            row(401, status, 404, 401, keys=with_scope("servers", status)),
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
    ("api/v1/lobbies/<slug:key>/abort/", "POST", "/api/v1/lobbies/{lobby}/abort/", SERVERS),
    ("api/v1/lobbies/<slug:key>/close/", "POST", "/api/v1/lobbies/{lobby}/close/", MODERATING),
    ("api/v1/servers/me/", "POST", "/api/v1/servers/me/", row(401, 403, 403, 403, keys=with_scope("servers", 405))),
    ("api/v1/servers/me/", "DELETE", "/api/v1/servers/me/", row(401, 403, 403, 403, keys=with_scope("servers", 404))),
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
    ("api/problems/", "GET", "/api/problems/", OPEN),
    ("api/problems/<slug:code>/", "GET", "/api/problems/not-found/", OPEN),
    ("^(?:api/v1/)?health/live/?$", "GET", "/health/live", OPEN),
    ("^(?:api/v1/)?health/ready/?$", "GET", "/health/ready?only=database", OPEN),
    ("^metrics/?$", "GET", "/metrics", row(403, keys=403)),
    *ADMIN_ROUTES,
]


def keys_of(row: Row) -> dict[tuple[str, ...], Any]:
    """Keys that stand for all, by their scopes, and what they get: one of all scopes that get the same.

    If every key is let in, also one of a single scope.
    """
    scopes: dict[Any, tuple[str, ...]] = {}
    for scope, status in zip(SCOPES, row[3][len(PEOPLE) :], strict=True):
        scopes[status] = (*scopes.get(status, ()), scope)
    keys = {alike: status for status, alike in scopes.items()}
    return {SCOPES[:1]: 200, **keys} if keys.get(SCOPES) == 200 else keys


def all_rows() -> list[Row]:
    return [*ROUTES, *of_models()]


def site_routes() -> set[str]:
    """Every route of the site, operators' among them."""

    def walk(patterns: list[Any], before: str) -> Iterator[str]:
        for pattern in patterns:
            here = before + str(pattern.pattern)
            if isinstance(pattern, URLPattern):
                yield here
            else:
                yield from walk(pattern.url_patterns, here)

    return {*walk(get_resolver().url_patterns, ""), *(str(pattern.pattern) for pattern in endpoints.urlpatterns)}


__all__ = ["EVERYBODY", "PEOPLE", "ROUTES", "Row", "all_rows", "keys_of", "of_models", "site_routes"]
