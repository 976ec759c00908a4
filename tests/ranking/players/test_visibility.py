"""A player who hides their matches: who sees the list and the history, and what stays open."""

import pytest

from ranking.models import STRANGER, Match, Player, ReadAccess
from tests.support.api import get, make_key, make_token
from tests.support.factories import make_mode, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def me() -> Player:
    make_mode()
    record(["me"], ["other"])
    Player.objects.filter(key="me").update(hides_matches=True)
    return Player.objects.get(key="me")


@pytest.mark.parametrize(
    ("hides", "own", "everything", "seen"),
    [
        (False, False, False, True),
        (True, False, False, False),
        (True, True, False, True),
        (True, False, True, True),
    ],
)
def test_who_sees_them(hides, own, everything, seen):
    player = Player(pk=1, hides_matches=hides)
    assert player.shows_matches_to(ReadAccess(1 if own else 2, everything)) is seen
    assert player.shows_matches_to(STRANGER) is not hides


LISTS = ("matches/?player=me", "players/me/history/?mode=duel")


def test_lists_are_refused_with_a_sentence(me, subtests):
    tokens = {player.key: make_token(player) for player in Player.objects.all()}
    for path in LISTS:
        for who, status in [
            ("", 403),
            ("me", 200),
            ("other", 403),
            ("read", 403),
            ("results", 403),
            ("players", 403),
            ("ratings:hidden", 200),
        ]:
            with subtests.test(path=path, who=who), rolled_back():
                answer = get(path, key=tokens.get(who) or (who and make_key(who)))
                assert answer.status == status
                if status == 403:
                    assert answer.body["detail"] == "me hides their matches."
                else:
                    assert len(answer.body["items"]) == 1


@pytest.mark.parametrize("path", ["matches/?player=other", "players/other/history/?mode=duel"])
def test_others_are_open(me, path):
    assert get(path).status == 200


def test_the_match_is_the_other_players_too(me):
    number = Match.objects.get().pk
    assert [item["number"] for item in get("matches/?player=other").body["items"]] == [number]
    assert get(f"matches/{number}/").body["teams"][0]["players"][0]["id"] == "me"
    assert get(f"matches/{number}/post-game/").body["teams"][0]["players"][0]["player"]["id"] == "me"


def test_standing_is_not_hidden(me):
    assert get("players/me/", key=make_token(me)).body["modes"][0]["wins"] == 1
    Player.objects.filter(pk=me.pk).update(key="somebody")
    assert get("players/somebody/").body["modes"][0]["wins"] == 1
