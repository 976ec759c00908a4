"""Bots: on no board and in no search, whoever marked them; and moderators may say who is one."""

import pytest

from leaderboards.boards.absence import absence_of
from leaderboards.models import Following
from leaderboards.models.friends import on_friends_board_of
from leaderboards.people.following import NotPossible, follow_player, followings_of
from leaderboards.people.search import find_by_name
from ranking.models import AuditEntry, Participation, Player, Rating
from ranking.moderation.bots import mark_as_bots, mark_as_people
from ranking.moderation.merges import MergeRefused, find_objection, merge_players
from ranking.players.search import find_named
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from ranking.standings.snapshots import newest_table
from tests.support.api import get, make_key, post_match, result, with_player
from tests.support.factories import NOW, make_mode, record
from tests.support.reratings import rate_anew

pytestmark = pytest.mark.django_db


def bot(key="robot"):
    return PlayerReport(key, bot=True)


def player(key):
    return Player.objects.get(key=key)


def listed():
    return sorted(Rating.objects.filter(listed=True).values_list("player__key", flat=True))


def searched(text):
    """Whom the search of people finds: in names that hold the text, that begin so, by API; and moderators."""
    people = [[row.key for row in find_by_name(part).players] for part in (text, text[:2])]
    api = [row["id"] for row in get(f"players/?q={text}").body["items"]]
    return [*people, api, list(dict.fromkeys(find_named(text)))]


def test_a_bot_is_rated_and_on_no_board():
    mode = make_mode()
    record(["a", bot()], ["b", "c"])
    publish(mode, now=NOW)
    assert (listed(), len(newest_table(mode.pk, mode.seasons.get().pk))) == (["a", "b", "c"], 3)
    record(["a", bot()], ["b", "c"])
    rating = Rating.objects.get(player__key="robot")
    assert (rating.wins, rating.display_hundredths > 2500) == (2, True)
    parts = Participation.objects.order_by("pk").values_list("player__key", "rank_before", "listed_before")
    assert list(parts)[4:] == [("a", 1, 3), ("robot", None, None), ("b", 2, 3), ("c", 2, 3)]
    absence = absence_of(rating, player("robot"), mode, NOW)
    assert absence is not None
    assert (absence.reason, absence.words) == ("hidden", "A bot")
    before = list(Rating.objects.order_by("pk").values_list("display_hundredths", flat=True))
    rate_anew(mode)
    assert list(Rating.objects.order_by("pk").values_list("display_hundredths", flat=True)) == before
    assert Participation.objects.filter(player__key="robot", rank_after__isnull=False).count() == 0


def test_nobody_finds_a_bot_but_moderators():
    make_mode()
    record(["a"], [bot()])
    assert searched("robot") == [[], [], [], [player("robot").pk]]
    assert "robot" not in [row["id"] for row in get("players/").body["items"]]


def test_nobody_follows_a_bot():
    make_mode()
    record(["a", "robot"], ["b", "c"])
    follow_player(player("a"), player("robot"), now=NOW)
    follow_player(player("a"), player("b"), now=NOW)
    mark_as_bots([player("robot").pk], by=None, reason="A script.", now=NOW)
    assert sorted(on_friends_board_of(player("a").pk).values_list("key", flat=True)) == ["a", "b"]
    assert [row.followed.key for row in followings_of(player("a"))] == ["b"]
    Following.objects.all().delete()
    with pytest.raises(NotPossible, match="robot is a bot; follow people"):
        follow_player(player("a"), player("robot"), now=NOW)


def test_moderators_say_who_is_a_bot():
    mode = make_mode()
    record(["a"], ["b"])
    publish(mode, now=NOW)
    a = player("a")
    assert mark_as_bots([a.pk], by=None, reason="A script.", now=NOW) == [a]
    assert mark_as_bots([a.pk], by=None, reason="A script.", now=NOW) == []
    publish(mode, now=NOW)
    assert listed() == ["b"]
    assert record(["a"], ["b"]).record.match.uncounted == "bots"
    assert mark_as_people([a.pk], by=None, reason="No script.", now=NOW) == [a]
    publish(mode, now=NOW)
    assert listed() == ["a", "b"]
    assert record(["a"], ["b"]).state == "rated"
    acts = AuditEntry.objects.exclude(act="void").order_by("pk").values_list("act", "player__key", "reason")
    assert list(acts) == [("mark as bot", "a", "A script."), ("mark as person", "a", "No script.")]
    with pytest.raises(ValueError, match="Say why"):
        mark_as_bots([a.pk], by=None, reason=" ", now=NOW)


def test_a_bot_and_a_person_arent_one_player():
    make_mode()
    record(["a"], [bot()])
    record(["b"], [bot("other")])
    sentence = "robot is a bot and a is a person, so they aren't one player."
    assert [find_objection(player(one), player(two)) for one, two in (("a", "robot"), ("robot", "a"))] == [sentence] * 2
    with pytest.raises(MergeRefused, match="is a bot"):
        merge_players(player("b"), player("robot"), by=None, reason="Same.", now=NOW)
    merge_players(player("robot"), player("other"), by=None, reason="Same.", now=NOW)
    assert record(["a"], ["other"]).record.match.uncounted == "bots"


def test_the_answer_says_that_a_person_stays_one():
    make_mode()
    key = make_key()
    post_match(result(), key=key)
    sent = {**with_player(bot=True), "id": "m-2"}
    first, again = post_match(sent, key=key), post_match(sent, key=key)
    assert (first.status, first.body["state"], again.status) == (201, "rated", 200)
    assert first.body["notes"] == again.body["notes"] == ["'b' is known as a person: `bot` is ignored."]
    assert not player("b").is_bot
