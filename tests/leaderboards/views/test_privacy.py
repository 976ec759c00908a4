"""A player's own page of switches, a copy of their data, and leaving for good."""

import base64
import datetime as dt
import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.accounts.language import keep_preferences
from leaderboards.models import Avatar
from leaderboards.people.following import avoid_player
from ranking.matches.forfeits import record_forfeit
from ranking.models import AuditEntry, Change, Match, Mode, Participation, Player
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.api import get
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
PAGE, EXPORT, LEAVE = "/account/privacy/", "/account/privacy/export/", "/account/privacy/leave/"
KEY, NAME = "steam-76561", "Kestrel"


@pytest.fixture
def me(log_in: Callable[[str], Player]) -> Player:
    mode = make_mode("duel")
    record([PlayerReport(id=KEY, name=NAME, stats={"kills": 3})], ["x"], id="m-1")
    publish(mode, now=NOW)
    return log_in(KEY)


@pytest.mark.parametrize("url", [PAGE, EXPORT, LEAVE])
def test_for_those_who_are_logged_in(client: Client, url: str) -> None:
    assert client.get(url)["Location"] == f"/account/login/?next={url}"


def test_an_account_without_a_player(client: Client) -> None:
    client.force_login(User.objects.create_user("fox"))
    page = client.get(PAGE).content.decode()
    assert ("No player yet" in page, 'href="/account/claim/"' in page) == (True, True)
    assert client.post(PAGE, {"hides_matches": "on"}).status_code == 200
    assert [client.get(url)["Location"] for url in (EXPORT, LEAVE)] == [PAGE, PAGE]
    assert client.post(LEAVE, {"name": "fox"})["Location"] == PAGE


def test_downloads_have_a_limit(client: Client, me: Player) -> None:
    assert [client.get(EXPORT).status_code for _ in range(11)] == [200] * 10 + [429]


@pytest.mark.parametrize(("sent", "hides"), [({"hides_matches": "on"}, True), ({}, False)])
def test_switches(client: Client, me: Player, sent: dict[str, str], hides: bool) -> None:
    Player.objects.update(hides_matches=not hides)
    saved = client.post(PAGE, sent)
    assert saved["Location"] == f"{PAGE}?saved"
    assert Player.objects.get(pk=me.pk).hides_matches is hides
    assert not Player.objects.exclude(pk=me.pk).filter(hides_matches=hides).exists()


def test_switches_change_nothing_else(client: Client, me: Player) -> None:
    client.post(PAGE, {"hides_matches": "on", "name": "X", "key": "x", "hidden_at": "2026-01-01"})
    player = Player.objects.get(pk=me.pk)
    assert (player.name, player.key, player.hidden_at) == (NAME, KEY, None)


def export_of(client: Client) -> dict:
    response = client.get(EXPORT)
    assert response.streaming
    assert response["Content-Disposition"] == 'attachment; filename="rungs-my-data.json"'
    return json.loads(response.getvalue())


def test_an_export_has_everything(client: Client, me: Player) -> None:
    data = export_of(client)
    match = Match.objects.get()
    assert (data["player"]["key"], data["player"]["name"]) == (KEY, NAME)
    assert data["player"]["account"]["username"] == f"user-{me.pk}"
    [rating] = data["ratings"]
    assert (rating["mode"], rating["season"], rating["display"], rating["wins"]) == ("duel", 1, "25.26", 1)
    [change] = data["changes"]
    assert (change["match"], change["outcome"], change["after"]["display"]) == (match.pk, "win", 25.26)
    assert change["before"].keys() == {"display", "mu", "sigma", "volatility", "skill_matches"}
    [played] = data["matches"]
    assert (played["number"], played["id"], played["source"], played["mode"]) == (match.pk, "m-1", "test", "duel")
    assert (played["own"]["team"], played["own"]["stats"]) == (0, {"kills": 3.0})


def drop_out(me: Player, lobby: str = "L1") -> None:
    other = Player.objects.get(key="x")
    record_forfeit(Mode.objects.get(), lobby=lobby, teams=[[me], [other]], player=me, reason="Left.", now=NOW)


def test_the_audit_log_notes_an_export_without_the_login(client: Client, me: Player) -> None:
    export_of(client)
    [line] = AuditEntry.objects.filter(act="export")
    assert (line.author, line.who, line.player, line.subject) == ("The player", "", me, f"player {me.pk}")


def test_an_export_has_forfeits_with_the_standings_of_the_api(client: Client, me: Player) -> None:
    drop_out(me)
    step = get(f"players/{KEY}/history/?mode=duel&limit=1").body["items"][0]
    data = export_of(client)
    [forfeit] = data["forfeits"]
    assert (forfeit.pop("sequence"), forfeit.pop("happened_at")) == (data["changes"][-1]["sequence"], step["at"])
    assert forfeit == {
        "lobby": "L1", "mode": "duel", "season": 1, "reason": "Left.", "void": False,
        "rank_before": 1, "rank_after": 1, "percentile_before": 100, "percentile_after": 100,
        "listed_before": 2, "listed_after": 2, "display_before": 25.26, "display_after": 24.98,
    }  # fmt: skip
    for name in ("rank", "percentile", "listed"):
        assert step[name] == {when: forfeit[f"{name}_{when}"] for when in ("before", "after")}
    shown = {when: f"{forfeit[f'display_{when}']:.2f}" for when in ("before", "after")}
    assert step["rating"] == step["standing_rating"] == shown


def test_an_export_has_what_the_player_chose(client: Client, me: Player) -> None:
    assert [export_of(client)[name] for name in ("preferences", "pictures")] == [[], []]
    keep_preferences(me.user, language="de", zone="Europe/Berlin")
    image = b"RIFF\x00\xff"
    Avatar.objects.create(player=me, image=image, due_at=NOW)
    data = export_of(client)
    assert data["preferences"] == [{"language": "de", "zone": "Europe/Berlin"}]
    [shown] = data["pictures"]
    assert (shown["due_at"], shown["removed_at"]) == ("2026-05-20T12:00:00Z", None)
    assert base64.b64decode(shown["image"]) == image
    Avatar.objects.filter(player=me).update(image=None, due_at=None, removed_at=NOW)
    assert export_of(client)["pictures"] == [{"image": None, "due_at": None, "removed_at": "2026-05-20T12:00:00Z"}]


def test_an_export_has_whom_the_player_avoids_and_avoided(client: Client, me: Player) -> None:
    other = Player.objects.get(key="x")
    for avoider, avoided in ((me, other), (other, me)):
        avoid_player(avoider, avoided, now=NOW - dt.timedelta(days=40))
    [row] = export_of(client)["avoids"]
    assert (row["key"], row["until"]) == ("x", "2026-05-10T12:00:00Z")


def test_an_export_tells_which_forfeits_are_void(client: Client, me: Player) -> None:
    drop_out(me)
    void([me.forfeits.get()], by=None, reason="The server crashed.", now=NOW)
    assert [forfeit["void"] for forfeit in export_of(client)["forfeits"]] == [True]


def test_what_a_mode_does_not_show_is_not_exported(client: Client, me: Player) -> None:
    drop_out(me)
    Mode.objects.update(ranked=False)
    data = export_of(client)
    hidden = {"display", "mu", "sigma", "volatility", "before", "after", "win_probability"}
    ranks = {f"{name}_{when}" for name in ("rank", "percentile", "listed") for when in ("before", "after")}
    assert not hidden & (data["ratings"][0].keys() | data["changes"][0].keys())
    assert not ranks & data["matches"][0]["own"].keys()
    assert data["forfeits"][0].keys() == {"sequence", "lobby", "mode", "season", "happened_at", "reason", "void"}


@pytest.mark.parametrize("matches", [1, 3])
def test_an_export_takes_as_many_queries_however_long(
    client: Client, me: Player, django_assert_num_queries: DjangoAssertNumQueries, matches: int
) -> None:
    for number in range(matches):
        if number:
            record([PlayerReport(id=KEY, name=NAME)], ["x"])
        drop_out(me, f"L{number}")
    # session, account, player, audit log; one a section, two of notices, of achievements and modes three
    with django_assert_num_queries(31):
        data = export_of(client)
    assert (len(data["matches"]), len(data["forfeits"])) == (matches, matches)


def test_leaving_asks_for_the_name(client: Client, me: Player) -> None:
    assert f"Type your name, {NAME}, to confirm" in client.get(LEAVE).content.decode()
    for name in ("", "kestrel", "Kestrel2"):
        refused = client.post(LEAVE, {"name": name})
        assert refused.status_code == 200
    assert "That isn’t your name" in refused.content.decode()
    assert Player.objects.get(pk=me.pk).anonymised_at is None


def test_having_left_nothing_shows_who_it_was(client: Client, me: Player) -> None:
    old = {"matches": f"matches/{Match.objects.get().pk}/", "opponent": "players/x/"}
    assert all(NAME in client.get(f"/{path}").content.decode() for path in old.values())
    assert client.post(LEAVE, {"name": NAME})["Location"] == "/account/left/"
    assert "You have left" in client.get("/account/left/").content.decode()
    assert (User.objects.count(), "_auth_user_id" in client.session) == (0, False)
    assert not any(str(me.pk) == session.get_decoded().get("_auth_user_id") for session in Session.objects.all())
    publish(Mode.objects.get(), now=NOW)
    key = Player.objects.get(pk=me.pk).key
    pages = [*old.values(), "", "boards/duel/", f"players/{key}/", "boards/duel/?q=Former"]
    for path in pages:
        page = client.get(f"/{path}").content.decode()
        assert (path, NAME in page, KEY in page) == (path, False, False)
    assert "Nobody’s name has" in client.get("/boards/duel/", {"q": NAME}).content.decode()
    for path in (f"players/{KEY}/", f"players/{KEY}/card.png", f"players/{KEY}/badge.svg", f"players/{key}/card.png"):
        assert (path, client.get(f"/{path}").status_code) == (path, 404)


def test_having_left_the_api_knows_no_name(client: Client, me: Player) -> None:
    client.post(LEAVE, {"name": NAME})
    key, number = Player.objects.get(pk=me.pk).key, Match.objects.get().pk
    assert [get(path).status for path in (f"players/{KEY}/", f"players/{KEY}/history/?mode=duel")] == [404, 404]
    assert get(f"players/{key}/history/?mode=duel").status == 403
    for path in ("players/", "matches/", f"matches/{number}/", f"matches/{number}/post-game/", f"players/{key}/"):
        said = json.dumps(get(path).body)
        assert (path, NAME in said, KEY in said, "Former player" in said) == (path, False, False, True)
    assert (Participation.objects.filter(player=me.pk).count(), Change.objects.filter(player=me.pk).count()) == (1, 1)


def test_their_page_says_that_they_left(client: Client, me: Player) -> None:
    client.post(LEAVE, {"name": NAME})
    publish(Mode.objects.get(), now=NOW)
    player = Player.objects.get(pk=me.pk)
    page = client.get(f"/players/{player.key}/").content.decode()
    assert "They have left for good" in page
    assert player.name in page
