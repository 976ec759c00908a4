"""One rule, `Player.shows_matches_to`, wherever matches and history could be seen: each route that could show them.

Who hides them is in every list and on every board; their form, curve, matches and company are for their own eyes and
for those who see everything.
"""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from leaderboards.people.following import follow_player
from leaderboards.profiles.cards import load_card
from leaderboards.summaries.sharing import load_season_card
from leaderboards.urls import urlpatterns
from ranking.matches.forfeits import record_forfeit
from ranking.models import Forfeit, Player
from ranking.operations.outbox import sweep
from ranking.standings.publishing import publish
from tests.support.api import get, make_key, make_token
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def latest_with_me(client: Client, address: str) -> bool:
    home = client.get(address).context["home"]
    sides = [side for result in home.latest for side in result.sides]
    assert all(len(side.players) == 1 and not side.name for side in sides)
    return any(player is not None and player.key == "hider" for side in sides for player in side.players)


def history_of_me(client: Client, address: str) -> bool:
    page = client.get(address).context["page"]
    rows = [row for row in [*page.shown, page.own and page.own.row] if row is not None and row.player.key == "hider"]
    return any(row.spark is not None or row.form for row in rows)


def past_of_me(client: Client, address: str) -> bool:
    return client.get(address).context["profile"].past is not None


def matches_of_me(client: Client, address: str) -> bool:
    listed = client.get(address).context["listed"]
    return listed.recent is not None and bool(listed.recent.lines)


def career_of_me(client: Client, address: str) -> bool:
    career = client.get(address).context["career"]
    assert career.hidden == (career.insights is None)
    return not career.hidden


def achievements_of_me(client: Client, address: str) -> bool:
    found = client.get(address).context["achievements"]
    assert "first-win" in {each.kind.key for each in found.earned}
    assert found.shows_matches == any(each.done for each in found.locked)
    return bool(found.shows_matches)


def curves_with_me(client: Client, address: str) -> bool:
    compared = client.get(address).context["compared"]
    assert not compared.hiding or compared.curves is None
    return not compared.hiding


def listed_by_the_api(client: Client, address: str) -> bool:
    """Players come with their token here, and in place of moderators a key that sees everything."""
    player = Player.objects.filter(user__isnull=False, user=client.session.get("_auth_user_id")).first()
    key = None if player is None else make_token(player)
    if key is None and "_auth_user_id" in client.session:
        key = make_key("ratings:hidden")
    return get(address, key=key).status == 200


def forfeit_of_me(client: Client, address: str) -> bool:
    return client.get(f"{address}{Forfeit.objects.get().pk}/").status_code == 200


def curve_on_a_picture(client: Client, address: str) -> bool:
    assert client.get(address).status_code == 200
    return load_card("hider", "duel", NOW).curve != ()


def achievements_with_matches(client: Client, address: str) -> bool:
    page = client.get(address).text
    assert "First win" in page
    return 'aria-label="First win: the match of' in page


def achievements_of_the_api(client: Client, address: str) -> bool:
    player = Player.objects.filter(user__isnull=False, user=client.session.get("_auth_user_id")).first()
    key = None if player is None else make_token(player)
    if key is None and "_auth_user_id" in client.session:
        key = make_key("ratings:hidden")
    earned = get(address, key=key or "").body["achievements"]
    assert "first-win" in {each["key"] for each in earned}
    return any(each["match"] is not None for each in earned)


def season_with_matches(client: Client, address: str) -> bool:
    return client.get(address).context["summary"].story is not None


def season_on_a_picture(client: Client, address: str) -> bool:
    assert client.get(address).status_code == 200
    shown = load_season_card("hider", "duel", 1, NOW)
    assert shown is not None
    return shown.curve != ()


def last_match_of_me(client: Client, address: str) -> bool:
    page = client.get(address)
    people = (page.context["found"] if "found" in page.context else page.context["people"]).people
    return any(person.standing.last_match_at is not None for person in people if person.player.key == "hider")


SEASON = "/players/hider/seasons/duel/1/"
Sees = Callable[[Client, str], bool]
NOBODYS, OWN_ONLY, OWN_AND_MODERATORS = (), ("hider",), ("hider", "moderator")
# route → an address of it, whether what comes shows the history of `hider`, and to whom it does
SHOWING: dict[str, tuple[str, Sees, tuple[str, ...]]] = {
    "": ("/", latest_with_me, OWN_ONLY),
    "boards/<slug:slug>/": ("/boards/duel/", history_of_me, OWN_ONLY),
    "boards/<slug:slug>/friends/": ("/boards/duel/friends/", history_of_me, OWN_ONLY),
    "players/<path:key>/": ("/players/hider/", past_of_me, OWN_AND_MODERATORS),
    "players/<path:key>/career/": ("/players/hider/career/", career_of_me, OWN_AND_MODERATORS),
    "players/<path:key>/achievements/": ("/players/hider/achievements/", achievements_of_me, OWN_AND_MODERATORS),
    "players/<path:key>/matches/": ("/players/hider/matches/", matches_of_me, OWN_AND_MODERATORS),
    "players/<path:key>/matches/, with": ("/players/other/matches/?with=hider", matches_of_me, OWN_AND_MODERATORS),
    "players/<path:key>/seasons/<slug:slug>/<int:number>/": (SEASON, season_with_matches, OWN_AND_MODERATORS),
    "players/<path:key>/seasons/<slug:slug>/<int:number>/card.png": (f"{SEASON}card.png", season_on_a_picture, NOBODYS),
    "forfeits/<int:pk>/": ("/forfeits/", forfeit_of_me, OWN_AND_MODERATORS),
    "players/<path:key>/card.png": ("/players/hider/card.png", curve_on_a_picture, NOBODYS),
    "search/": ("/search/?q=hider", last_match_of_me, OWN_AND_MODERATORS),
    "compare/<key:first>/<key:second>/": ("/compare/other/hider/", curves_with_me, OWN_AND_MODERATORS),
    "api/v1/matches/": ("matches/?player=hider", listed_by_the_api, OWN_AND_MODERATORS),
    "players/<path:key>/, achievements": ("/players/hider/", achievements_with_matches, OWN_AND_MODERATORS),
    "api/v1/players/…/": ("players/hider/", achievements_of_the_api, OWN_AND_MODERATORS),
    "api/v1/players/…/history/": ("players/hider/history/?mode=duel", listed_by_the_api, OWN_AND_MODERATORS),
}
# All else that says something of players: nothing of anybody's history, or one's own alone.
ELSEWHERE = {
    "embed/boards/<slug:slug>/", "embed/boards/<slug:slug>/table/",  # of matches they show how many, as boards do
    "boards/<slug:slug>/distribution/", "boards/<slug:slug>/tiers/", "account/picture/", "language/",
    "players/<path:key>/avatar.webp", "theme/",
    "boards/<slug:slug>/region/", "boards/<slug:slug>/seasons/",
    "boards/<slug:slug>/seasons/calendar.ics", "calculator/", "help/",
    "matches/<int:pk>/", "matches/<int:pk>/card.png", "matches/<int:pk>/report/", "people/",
    "people/blocked/", "people/recent/", "people/join/<str:token>/",
    "players/<path:key>/badge.svg", "notifications/", "notifications/read/",
    "notifications/topics/",
    *(f"people/{verb}/" for verb in ("follow", "unfollow", "block", "unblock", "avoid", "unavoid")),
    "seasons/", "account/", "account/claim/", "account/left/", "conduct/",
    r"^conduct/appeal/(?P<kind>ban|incident)/(?P<number>\d{1,18})/$",
    "account/privacy/", "account/privacy/export/", "account/privacy/leave/",
}  # fmt: skip


@pytest.fixture
def _people() -> None:
    """Four who have played each other and follow one another; `hider` hides it."""
    mode = make_mode()
    for _ in range(2):
        record(["hider"], ["other"])
        record(["third"], ["fourth"])
    publish(mode, now=NOW)
    sweep(NOW)
    found = {player.key: player for player in Player.objects.all()}
    proposed = [[found["hider"]], [found["other"]]]
    record_forfeit(mode, lobby="L", teams=proposed, player=found["hider"], reason="Left the lobby.", now=NOW)
    for follower in ("other", "third"):
        follow_player(found[follower], found["hider"], now=NOW)
    Player.objects.filter(key="hider").update(hides_matches=True)


def enter(who: str) -> Client:
    """A browser of this one, who is logged in unless `nobody`."""
    client = Client()
    if who != "nobody":
        user = User.objects.create_user(who, is_staff=who == "moderator")
        if who == "moderator":
            user.user_permissions.add(Permission.objects.get(codename="change_player"))
        Player.objects.filter(key=who).update(user=user)
        client.force_login(user)
    return client


@pytest.mark.usefixtures("_people")
def test_who_sees_it() -> None:
    viewers = {who: enter(who) for who in ("hider", "moderator", "other", "nobody")}
    shown = {}
    for route, (address, sees, _) in SHOWING.items():
        asked = ("hider", "other") if "friends" in route else viewers  # who has no player has no board of friends
        shown[route] = tuple(who for who in asked if sees(viewers[who], address))
    assert shown == {route: whom for route, (_, _, whom) in SHOWING.items()}


@pytest.mark.usefixtures("_people")
def test_strangers_see_it_of_who_hides_nothing(client: Client) -> None:
    Player.objects.update(hides_matches=False)
    shown = {route: sees(client, address) for route, (address, sees, whom) in SHOWING.items() if whom != OWN_ONLY}
    assert shown == dict.fromkeys(shown, True)
    assert len(shown) == 15


def test_every_page_is_accounted_for() -> None:
    pages = {route.partition(",")[0] for route in SHOWING if not route.startswith("api/")}
    assert {str(pattern.pattern) for pattern in urlpatterns} == pages | ELSEWHERE
