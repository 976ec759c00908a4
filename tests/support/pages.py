"""The pages that a person may see, for what is asked of every page: an empty site's and a full one's.

Not the API's docs, which unfold: test_looks.py walks through their states.
"""

from collections.abc import Iterator

from django.contrib.admin import site as admin_site
from django.contrib.auth.models import User

from ranking.models import Mode, Player

ENTRANCE = ("login", "signup", "password/reset", "password/reset/done", "password/reset/key/1-x", "confirm-email/x:y:z")
ACCOUNT = ("/account/", *(f"/account/{name}/" for name in ("claim", "email", "password/change", "2fa", "connections")))
LOGINS = ("account", "auth", "mfa", "socialaccount")  # apps of which every site has rows
OWN = (
    "/players/p0-55/",
    "/party/",
    "/conduct/",
    "/account/privacy/",
    "/account/privacy/leave/",
    "/account/left/",
    *ACCOUNT,
)
# Of a mode whose first season is over: tests.browser.conftest.past_season.
PAST = (
    "/",
    "/seasons/",
    "/boards/cup/",
    "/boards/cup/?season=1",
    "/boards/cup/seasons/",
    "/players/p0-55/?mode=cup",
    "/players/b/?mode=cup",
    "/players/p0-55/seasons/cup/1/",
    "/players/p0-55/seasons/cup/2/",
    "/players/secret/seasons/cup/1/",
)


def empty() -> Iterator[str]:
    """Of a site with nobody in it, or nothing of what a page is for."""
    yield from (
        "/",
        "/boards/crowd/",
        "/boards/crowd/friends/",
        "/boards/crowd/distribution/",
        "/boards/crowd/tiers/",
        "/boards/crowd/?q=nobody",
    )
    yield from (
        "/people/",
        "/people/recent/",
        "/people/blocked/",
        "/notifications/",
        "/account/privacy/",
        "/account/privacy/leave/",
    )
    yield from ("/players/newcomer/", "/players/nobody/", "/compare/newcomer/other/", "/play/", "/party/", "/conduct/")


def full(team_match: int) -> Iterator[str]:
    yield from ("/", "/boards/crowd/", "/boards/crowd/?rank=60", "/boards/crowd/?q=p1", "/boards/crowd/?q=nobody")
    yield from (
        "/boards/crowd/?rank=x",
        "/boards/crowd/friends/",
        "/boards/team/friends/",
        "/boards/crowd/distribution/",
        "/boards/crowd/tiers/",
    )
    yield from ("/boards/team/?region=eu", "/players/p0-55/?mode=team", "/players/p0-55/?mode=crowd")
    yield from ("/players/p0-55/?mode=fun", "/players/p1-09/", "/players/secret/", "/players/nobody/")
    yield from (
        "/players/p0-55/matches/?mode=team",
        "/players/mate/matches/?with=p0-55&result=won",
        "/players/secret/matches/",
        "/players/p0-55/career/?mode=team",
        "/players/secret/career/",
        "/players/p0-55/achievements/?mode=team",
    )
    yield from (
        "/compare/p0-55/mate/?by=day",
        "/players/p0-55/?mode=team&stretch=7",
        "/search/",
        "/search/?q=0-5",
        "/search/?q=nobody",
    )
    yield from (
        "/people/",
        "/people/?q=p",
        "/people/recent/",
        "/people/blocked/",
        "/compare/p0-55/mate/",
        "/compare/p0-55/b/?mode=team",
    )
    yield from (f"/matches/{team_match}/", f"/matches/{team_match + 1}/", "/notifications/")
    yield from ("/help/", "/calculator/", "/calculator/?preset=free-for-all", "/calculator/?preset=upset&system=x")
    yield "/play/"
    yield "/calculator/?system=two-layer&of=two-layer&sizes=1,1&0.place=x&1.place=2&1.0.sigma=-1&mmr=x"
    yield "/calculator/?system=glicko-2&of=glicko-2&sizes=2,1&0.place=1&1.place=2"


def moderating() -> Iterator[str]:
    """The admin's lists and forms, one row of each, pages of our own there, and all pages of logins and roles."""
    yield from ("/admin/", "/queues/", "/admin/matchmaking/planning/", "/admin/matchmaking/planning/simulation/")
    for model in sorted(admin_site._registry, key=lambda model: model._meta.label):
        there = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        yield there
        row = model._default_manager.order_by("-pk").first()
        if row is not None:
            yield f"{there}{row.pk}/change/"
        if model._meta.model_name in ("mode", "key", "source", "webhook", "group", "user", "emailaddress"):
            yield f"{there}add/"
        if model._meta.app_label in LOGINS:
            yield from (f"{there}?q=nobody", *(f"{there}{row.pk}/{page}/" for page in ("delete", "history")))
    yield from (f"/admin/{app}/" for app in sorted({model._meta.app_label for model in admin_site._registry}))
    mode, player = Mode.objects.order_by("pk")[0].pk, Player.objects.get(key="p0-55").pk
    yield from (
        f"/admin/ranking/mode/{mode}/{page}/"
        for page in ("evaluate", "fit", "rate-anew", "end-season", "take-back-end")
    )
    yield f"/admin/ranking/player/{player}/merge/"
    yield from (f"/admin/auth/user/{user.pk}/password/" for user in User.objects.all())
