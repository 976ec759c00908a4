"""A player is found by a name that they gave up, marked as former; by one that was taken away, by moderators alone."""

import datetime as dt

import pytest
from django.contrib.auth.models import User

from leaderboards.people.search import find_by_name
from ranking.models import Player, PlayerName
from ranking.moderation.merges import merge_players
from ranking.moderation.sanctions import hide_players
from ranking.players import former_names
from ranking.players.anonymising import anonymise_player
from ranking.players.former_names import find_by_former_name
from ranking.players.players import names_of
from ranking.rules.report import PlayerReport
from tests.support.api import get, walk
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
ACT = {"by": None, "reason": "x", "now": NOW}


def call_them(key: str, *names: str) -> Player:
    """The player with this key, who has had these names, the last one now."""
    for name in names:
        minutes = Player.objects.count() + PlayerName.objects.count()
        record([PlayerReport(id=key, name=name)], ["rival"], ended_at=NOW - dt.timedelta(days=1, minutes=-minutes))
    return Player.objects.get(key=key)


@pytest.fixture
def walker(db) -> Player:
    make_mode()
    return call_them("w", "Barwalker", "Night Owl", "Stormcrow")


def found(query: str) -> list[tuple[str, str]]:
    return [(row["id"], row["former"]) for row in walk(f"players/?q={query}")]


def test_by_their_beginning_whatever_the_case(walker, subtests):
    for text, name in [
        ("Barwalker", "Barwalker"), ("BARW", "Barwalker"), ("bar", "Barwalker"), ("ba", None), ("walker", None),
        ("night o", "Night Owl"), ("Stormcrow", None), ("%ar", None), ("bar\0", "Barwalker"), ("", None),
    ]:  # fmt: skip
        with subtests.test(text=text):
            assert find_by_former_name(text) == ({} if name is None else {walker.pk: name})


def test_the_api_marks_them(walker):
    assert found("barw") == [("w", "Barwalker")]
    assert found("storm") == [("w", "")]
    assert get("players/?q=night").body["items"] == [{"id": "w", "name": "Stormcrow", "former": "Night Owl"}]


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_the_api_lists_both_kinds_in_one_order(limit):
    make_mode()
    call_them("1", "Zorro", "Barb")
    call_them("2", "Bart", "Aida")
    call_them("3", "Barnaby", "Zoe")
    call_them("4", "Zita", "Bars")
    call_them("5", "Bari", "Barcode")
    assert found(f"bar&limit={limit}") == [("2", "Bart"), ("1", ""), ("5", ""), ("4", ""), ("3", "Barnaby")]


@pytest.mark.parametrize("number", [1, 3])
def test_as_many_queries_for_many(django_assert_num_queries, number):
    make_mode()
    for index in range(number):
        call_them(str(index), "Barwalker", f"Owl{index}")
    with django_assert_num_queries(1):
        assert len(find_by_former_name("barw")) == number
    with django_assert_num_queries(3):
        assert len(get("players/?q=barw").body["items"]) == number


def test_who_is_hidden_merged_gone_or_a_bot_is_not_found(walker, subtests):
    hidden, merged, gone, bot = (call_them(key, f"Barfly {key}", key * 4) for key in "hmgb")
    assert find_by_former_name("barfly").keys() == {hidden.pk, merged.pk, gone.pk, bot.pk}
    hide_players([hidden.pk], **ACT)
    merge_players(walker, merged, **ACT)
    anonymise_player(gone, now=NOW)
    Player.objects.filter(pk=bot.pk).update(is_bot=True)
    assert find_by_former_name("barfly") == {walker.pk: "Barfly m"}
    assert find_by_former_name("barfly", everything=True) == {
        hidden.pk: "Barfly h", bot.pk: "Barfly b", walker.pk: "Barfly m",
    }  # fmt: skip
    anonymise_player(walker, now=NOW)
    assert find_by_former_name("barfly") == find_by_former_name("barw", everything=True) == {}


def test_a_name_taken_away_is_for_moderators_alone(walker, client):
    PlayerName.objects.filter(name="Barwalker").update(taken_away=True)
    assert (find_by_former_name("barw"), found("barw"), list(find_by_name("barw").players)) == ({}, [], [])
    assert (names_of(walker), names_of(walker, everything=True)) == (["Night Owl"], ["Night Owl", "Barwalker"])
    assert get("players/w/").body["names"] == ["Night Owl"]
    client.force_login(User.objects.create_superuser("boss"))
    rows = client.get("/admin/ranking/player/", {"q": "barw"}).context["cl"].result_list
    assert [row.key for row in rows] == ["w"]
    assert "Barwalker" in client.get(f"/admin/ranking/player/{walker.pk}/change/").text
    other = call_them("o", "Other")
    merge_players(other, walker, **ACT)
    assert (names_of(other), find_by_former_name("barw")) == (["Stormcrow", "Night Owl"], {})


def test_the_site_says_formerly(walker, client):
    page = client.get("/search/", {"q": "barw"}).text
    assert 'formerly <span translate="no">Barwalker</span>' in page
    assert "formerly" not in client.get("/search/", {"q": "stormc"}).text
    board = client.get("/boards/duel/", {"q": "barw"}).text
    assert 'formerly <span translate="no">Barwalker</span>' in board


def test_a_name_that_is_theirs_again_is_no_former_one(walker):
    call_them("w", "Barwalker")
    assert (find_by_former_name("barw"), found("barw")) == ({}, [("w", "")])


def test_no_more_than_the_first_are_found(monkeypatch):
    monkeypatch.setattr(former_names, "MOST_FOUND", 2)
    make_mode()
    for key in "abc":
        call_them(key, f"Barwalker {key}", key * 4)
    assert list(find_by_former_name("bar").values()) == ["Barwalker a", "Barwalker b"]
