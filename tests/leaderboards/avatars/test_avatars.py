"""A player chooses to show the picture of another site; a job fetches it; moderators remove it."""

import datetime as dt
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from leaderboards.avatars import fetching
from leaderboards.avatars.choosing import allow_avatars, drop_avatar, remove_avatars, show_avatar
from leaderboards.avatars.fetching import fetch_avatars
from leaderboards.models import Avatar
from ranking.models import AuditEntry, Match, Player
from ranking.players.anonymising import anonymise_player
from ranking.players.claims import release_player
from tests.leaderboards.avatars.test_image import picture
from tests.support.factories import NOW, make_mode, record
from tests.support.page_tree import read_page

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


class Site(BaseHTTPRequestHandler):
    """What it gives: `answers`, by path."""

    answers: dict[str, tuple[int, bytes]] = {}
    asked: list[str] = []

    def do_GET(self):
        self.asked.append(self.path)
        status, body = self.answers.get(self.path, (404, b""))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if status == 302:
            self.send_header("Location", "/fox.png")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def site(settings):
    settings.WEBHOOK_ALLOW_PRIVATE = True
    Site.answers, Site.asked = {"/fox.png": (200, picture())}, []
    server = HTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def fox(site, settings, monkeypatch):
    """A player whose account is connected to a site with a picture."""
    settings.SOCIALACCOUNT_PROVIDERS = {"discord": {}}
    settings.SCALED = False
    monkeypatch.setattr(fetching, "_picture_at", lambda source: source.extra_data["avatarfull"])
    make_mode()
    record(["fox"], ["hound"])
    user = User.objects.create_user("fox", password="a long secret")
    Player.objects.filter(key="fox").update(user=user)
    SocialAccount.objects.create(user=user, provider="discord", uid="1", extra_data={"avatarfull": f"{site}/fox.png"})
    return Player.objects.get(key="fox")


def chosen(fox, now=NOW):
    show_avatar(fox, now=now)
    return fetch_avatars(now)


def test_nothing_is_fetched_until_the_player_chooses(fox):
    assert fetch_avatars(NOW) == 0
    assert (Site.asked, Avatar.objects.count()) == ([], 0)


def test_a_chosen_picture_is_fetched_once_and_then_each_week(fox, client):
    assert chosen(fox) == 1
    fox.refresh_from_db()
    response = client.get(f"/players/fox/avatar.webp?v={fox.avatar}")
    assert (response.status_code, response["Content-Type"]) == (200, "image/webp")
    assert response["Cache-Control"] == "public, max-age=604800"
    assert response["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert response.content[8:12] == b"WEBP"
    assert len(response.content) <= 8_192
    show_avatar(fox, now=NOW)
    assert fetch_avatars(NOW + 6 * DAY) == 0
    assert Site.asked == ["/fox.png"]
    Site.answers["/fox.png"] = (200, picture(colour="blue"))
    assert fetch_avatars(NOW + 7 * DAY) == 1
    assert Player.objects.get(key="fox").avatar != fox.avatar


def test_pages_show_it_beside_the_name(fox, client):
    page = client.get("/players/fox/").content.decode()
    assert '<i class="crest' in page
    assert "avatar.webp" not in page
    chosen(fox)
    name = Player.objects.get(key="fox").avatar
    shown = f'<img class="crest avatar" src="/players/fox/avatar.webp?v={name}" width="96" height="96" alt="">'
    assert shown in client.get(f"/matches/{Match.objects.get().pk}/").content.decode()
    assert shown in client.get("/players/fox/").content.decode()


@pytest.mark.parametrize(
    ("status", "body"), [(404, b""), (302, b""), (200, b"no picture"), (200, b"x" * 1_000_001)],
    ids=["missing", "redirect", "no picture", "too large"],
)  # fmt: skip
def test_what_cannot_be_used_leaves_the_picture_as_it_was(fox, status, body):
    chosen(fox)
    before = Player.objects.get(key="fox").avatar
    Site.answers["/fox.png"] = (status, body)
    assert fetch_avatars(NOW + 7 * DAY) == 0
    assert (Player.objects.get(key="fox").avatar, bool(Avatar.objects.get().image)) == (before, True)
    assert Avatar.objects.get().due_at == NOW + 8 * DAY
    assert Site.asked == ["/fox.png"] * 2


def test_addresses_of_the_own_network_are_not_asked(fox, settings):
    settings.WEBHOOK_ALLOW_PRIVATE = False
    assert chosen(fox) == 0
    assert Site.asked == []


def test_the_player_takes_it_away(fox, client):
    chosen(fox)
    drop_avatar(fox)
    assert (Player.objects.get(key="fox").avatar, Avatar.objects.count()) == ("", 0)
    assert client.get("/players/fox/avatar.webp").status_code == 404


def test_a_moderator_removes_it_and_it_does_not_come_back_until_allowed(fox):
    chosen(fox)
    assert [avatar.pk for avatar in remove_avatars([fox.pk], by=None, reason="not for pages", now=NOW)] == [fox.pk]
    assert remove_avatars([fox.pk], by=None, reason="again", now=NOW) == []
    drop_avatar(fox)
    assert chosen(fox, NOW + 30 * DAY) == 0
    assert Player.objects.get(key="fox").avatar == ""
    assert [avatar.pk for avatar in allow_avatars([fox.pk], by=None, reason="talked", now=NOW)] == [fox.pk]
    assert chosen(fox, NOW + 31 * DAY) == 1
    assert list(AuditEntry.objects.order_by("pk").values_list("act", "subject", "reason")) == [
        ("remove picture", f"player {fox.pk}", "not for pages"), ("allow picture", f"player {fox.pk}", "talked"),
    ]  # fmt: skip


@pytest.mark.parametrize("act", [remove_avatars, allow_avatars])
def test_a_moderator_gives_a_reason(fox, act):
    chosen(fox)
    with pytest.raises(ValueError, match="Say why"):
        act([fox.pk], by=None, reason=" ", now=NOW)
    assert Player.objects.get(key="fox").avatar


@pytest.mark.parametrize(
    "goes",
    [
        lambda fox: anonymise_player(fox, now=NOW),
        lambda fox: release_player(fox),
        lambda fox: SocialAccount.objects.all().delete(),
        lambda fox: User.objects.all().delete(),
    ],
    ids=["leaves for good", "released", "disconnected", "account deleted"],
)
def test_it_goes_with_what_it_belonged_to(fox, client, goes):
    chosen(fox)
    goes(fox)
    gone = Player.objects.get(pk=fox.pk)
    assert gone.avatar == ""
    assert client.get(f"/players/{gone.key}/avatar.webp").status_code == 404
    fetch_avatars(NOW + 7 * DAY)
    assert not Avatar.objects.exclude(image=None).exists()


def test_a_hidden_players_is_not_shown(fox, client):
    chosen(fox)
    Player.objects.filter(pk=fox.pk).update(hidden_at=NOW)
    assert client.get("/players/fox/avatar.webp").status_code == 404


def test_the_database_keeps_large_ones_out(fox):
    with pytest.raises(IntegrityError, match="avatar_small"), transaction.atomic():
        Avatar.objects.create(player=fox, due_at=NOW, image=b"x" * 8_193)


def buttons_of(client):
    """Of the form for the picture: the name of each button, and how its words end."""
    forms = read_page(client.get("/account/").text).all("form")
    [form] = [form for form in forms if form.attributes["action"] == "/account/picture/"]
    return [(each.attributes.get("name", ""), " ".join(each.text.split()[-2:])) for each in form.all("button")]


def test_the_account_page_offers_it_and_takes_it_back(fox, client):
    client.force_login(fox.user)
    assert buttons_of(client) == [("show", "from Discord")]
    assert client.post("/account/picture/", {"show": "yes"}).status_code == 302
    assert "We fetch your picture" in client.get("/account/").text
    fetch_avatars(dt.datetime.now(dt.UTC))
    assert buttons_of(client) == [("", "crest instead")]
    client.post("/account/picture/")
    assert Avatar.objects.count() == 0
    chosen(fox)
    remove_avatars([fox.pk], by=None, reason="not for pages", now=NOW)
    assert "A moderator removed your picture" in client.get("/account/").content.decode()


def test_strangers_change_nothing(fox, client):
    assert client.post("/account/picture/", {"show": "yes"})["Location"].startswith("/account/login/")
    assert client.get("/account/picture/").status_code == 405
    assert Avatar.objects.count() == 0
