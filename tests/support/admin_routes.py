"""The admin's part of the table of routes (tests/support/routes.py), and what its rows are made of."""

from collections.abc import Iterator
from typing import Any

from ranking.models.access import SCOPES

PEOPLE = ("anonymous", "player", "other player", "moderator")
EVERYBODY = (*PEOPLE, *SCOPES)


def row(*people: Any, keys: Any) -> tuple[Any, ...]:
    """What each gets: a status, or "login" for being sent there."""
    given = people if len(people) == len(PEOPLE) else people * len(PEOPLE)
    return (*given, *(keys if isinstance(keys, tuple) else (keys,) * len(SCOPES)))


def with_scope(scope: str, status: int) -> tuple[int, ...]:
    """What keys get: one of this scope the status, others 403."""
    return tuple(status if each == scope else 403 for each in SCOPES)


OPEN, NOWHERE, STAFF = row(200, keys=200), row(404, keys=404), row("login", "login", "login", 200, keys="login")
CLOSED, MISSING = (row("login", "login", "login", status, keys="login") for status in (403, 404))

# route → method, an address of it, and who gets what; several where methods differ
Row = tuple[str, str, str, tuple[Any, ...]]
EVALUATE = "/admin/ranking/mode/{ranking/mode}/evaluate/"
FIT = "/admin/ranking/mode/{ranking/mode}/fit/"
ADMIN_ROUTES: list[Row] = [
    ("admin/", "GET", "/admin/", STAFF),
    ("admin/login/", "GET", "/admin/login/", row("login", 403, 403, 302, keys="login")),
    ("admin/logout/", "POST", "/admin/logout/", row(302, keys=302)),
    ("admin/password_change/", "GET", "/admin/password_change/", row("login", "login", "login", 302, keys="login")),
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
    *(
        (f"admin/ranking/mode/<int:mode_id>/fit/{route}", method, f"{FIT}{page}", CLOSED)
        for route, method, page in (
            ("", "GET", ""),
            ("<int:run_id>/", "GET", "1/"),
            ("<int:run_id>/stop/", "POST", "1/stop/"),
            ("<int:run_id>/use/<str:name>/", "GET", "1/use/0/"),
        )
    ),
    (
        "admin/ranking/mode/<int:mode_id>/evaluate/<int:run_id>/go-over/<int:index>/",
        "GET",
        f"{EVALUATE}1/go-over/0/",
        CLOSED,
    ),
    ("admin/ranking/mode/<int:mode_id>/end-season/", "GET", "/admin/ranking/mode/{ranking/mode}/end-season/", CLOSED),
    (
        "admin/ranking/mode/<int:mode_id>/import-ratings/",
        "GET",
        "/admin/ranking/mode/{ranking/mode}/import-ratings/",
        CLOSED,
    ),
    ("admin/ranking/match/import/", "GET", "/admin/ranking/match/import/", CLOSED),
    ("admin/ranking/auditentry/export.csv", "GET", "/admin/ranking/auditentry/export.csv", CLOSED),
    (
        "admin/ranking/season/<int:season_id>/standings.csv",
        "GET",
        "/admin/ranking/season/{ranking/season}/standings.csv",
        CLOSED,
    ),
    (
        "admin/ranking/mode/<int:mode_id>/take-back-end/",
        "GET",
        "/admin/ranking/mode/{ranking/mode}/take-back-end/",
        CLOSED,
    ),
    ("admin/ranking/mode/<int:mode_id>/rate-anew/", "GET", "/admin/ranking/mode/{ranking/mode}/rate-anew/", CLOSED),
    (
        "admin/ranking/leaver/<int:player_id>/void-since/",
        "GET",
        "/admin/ranking/leaver/{player}/void-since/",
        CLOSED,
    ),
    ("admin/ranking/match/<int:match_id>/correct/", "GET", "/admin/ranking/match/{ranking/match}/correct/", CLOSED),
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
    "ranking/finding": NOTHING, "ranking/complaint": NOTHING, "ranking/complaintcase": NOTHING,
    "ranking/doubledmatch": NOTHING,
    "ranking/cannedanswer": NOTHING, "ranking/playernote": NOTHING, "ranking/playerwarning": NOTHING,
    "ranking/banproposal": NOTHING,
    "ranking/merge": NOTHING, "ranking/strike": NOTHING, "ranking/rerating": NOTHING,
    "ranking/player": CHANGE, "ranking/rating": LOOK, "ranking/snapshot": NOTHING, "ranking/source": NOTHING,
    "auth/group": NOTHING, "auth/user": NOTHING, "account/emailaddress": NOTHING, "mfa/authenticator": NOTHING,
    **{f"matchmaking/{name}": NOTHING for name in ("queue", "ticket", "lobby", "server", "party", "formed")},
    "socialaccount/socialaccount": NOTHING, "leaderboards/webhook": NOTHING, "leaderboards/delivery": NOTHING,
    "leaderboards/avatar": NOTHING,
    "matchmaking/queue": NOTHING, "matchmaking/ticket": NOTHING, "matchmaking/lobby": NOTHING,
    "matchmaking/server": NOTHING, "matchmaking/party": NOTHING, "matchmaking/formed": NOTHING,
    "matchmaking/unreportedloss": NOTHING,
}  # fmt: skip


def of_models() -> Iterator[Row]:
    """The rows of MODELS, as those of ROUTES."""
    for model, statuses in MODELS.items():
        for page, status in zip(PAGES, statuses, strict=True):
            address = page.replace("<path:object_id>", f"{{{model}}}")
            wanted = row("login", "login", "login", status, keys="login")
            yield f"admin/{model}/{page}", "GET", f"/admin/{model}/{address}", wanted
