"""GET /api/v1/players/{id}/: how somebody stands, as published and live."""

import datetime as dt
from urllib.parse import quote

import pytest
from django.utils import timezone

from ranking.models import Player
from ranking.operations.outbox import sweep
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.api import get, make_key
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db

NOTHING = {"rank": None, "rating": None, "percentile": None, "top_percent": None, "tier": None}


def play(*, hours_ago: float = 1, mode: str = "duel", winner: str = "a", loser: str = "b") -> dt.datetime:
    moment = timezone.now() - dt.timedelta(hours=hours_ago)
    record([winner], [loser], mode=mode, ended_at=moment, now=moment)
    return moment


def modes_of(player: str, **more) -> list[dict]:
    return get(f"players/{player}/", **more).body["modes"]


def test_published_and_live():
    mode = make_mode()
    publish(mode, now=play(hours_ago=2))
    last = play()
    assert get("players/a/").body == {
        "id": "a", "name": "a", "names": [], "modes": [
            {
                "mode": "duel", "season": 1, "rank": 1, "rating": "25.26", "percentile": 100, "top_percent": 50,
                "tier": {"name": "Master", "division": None, "label": "Master"}, "live_rating": "25.50", "listed": 2,
                "unlisted": None, "wins": 2, "draws": 0, "losses": 0, "leaves": 0,
                "podiums": 0, "top_halves": 2, "place_sum": 2,
                "last_match_at": last.isoformat().replace("+00:00", "Z"),
            }
        ],
        "achievements": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("settings_", "reason", "done", "needed"),
    [
        ({"placement_matches": 3}, "unplaced", 1, 3),
        ({"activity_matches": 2}, "inactive", 0, 0),
        ({}, "waiting", 0, 0),
    ],
)
def test_why_somebody_is_not_on_the_board(settings_, reason, done, needed):
    make_mode(**settings_)
    play()
    [told] = modes_of("a")
    unlisted = told["unlisted"]
    assert (unlisted["reason"], unlisted["done"], unlisted["needed"]) == (reason, done, needed)
    assert {name: told[name] for name in NOTHING} == NOTHING


def test_the_hidden_are_told_so():
    make_mode()
    play()
    Player.objects.filter(key="a").update(hidden_at=timezone.now())
    assert modes_of("a")[0]["unlisted"]["reason"] == "hidden"


@pytest.mark.parametrize(
    ("shows", "scopes", "shown"),
    [
        ({"shows_rating": False}, (), (1, None, 100, "Master", None, 2)),
        ({"shows_percentile": False}, (), (1, "25.26", None, "Master", "25.26", 2)),
        ({"shows_tier": False}, ("read",), (1, "25.26", 100, None, "25.26", 2)),
        ({"ranked": False}, (), (None, None, None, None, None, None)),
        ({"ranked": False, "shows_rating": False}, ("ratings:hidden",), (1, "25.26", 100, "Master", "25.26", 2)),
    ],
)
def test_what_a_mode_hides_is_left_out(shows, scopes, shown):
    mode = make_mode(**shows)
    publish(mode, now=play())
    [told] = modes_of("a", key=make_key(*scopes) if scopes else "")
    tier = told["tier"] and told["tier"]["name"]
    assert (told["rank"], told["rating"], told["percentile"], tier, told["live_rating"], told["listed"]) == shown
    assert (told["wins"], told["unlisted"]) == (1, None)


def test_any_key_can_be_asked_for():
    keys = ["a/b", "a/b/", "/a", "a b", "a?b#c", "100%", "%2F", "é東", "history", "a/history/b"]  # "me" is whoever asks
    make_mode()
    for key in keys:
        record([PlayerReport(id=key)], ["other"])
    assert [get(f"players/{quote(key, safe='')}/").body["id"] for key in keys] == keys


@pytest.mark.parametrize("key", ["nobody", "%00", "%FF", "x" * 300, "%F0%9F%92%99"])
def test_nobody(key):
    assert get(f"players/{key}/").status == 404


def test_parameters_are_refused():
    assert get("players/nobody/?mode=duel").fields == ["mode"]


@pytest.mark.parametrize("number", [1, 3])
def test_a_player_takes_as_many_queries_however_many_modes(django_assert_num_queries, number):
    for index in range(number):
        publish(make_mode(f"m{index}"), now=play(mode=f"m{index}"))
    get("players/a/")  # the rank tables, which never change, stay in memory
    with django_assert_num_queries(6):
        assert len(modes_of("a")) == number


def test_achievements_are_told_with_their_match():
    make_mode()
    number = record(["a"], ["b"]).record.match.pk
    sweep(NOW)
    first, placed = get("players/a/").body["achievements"]
    assert first == {
        "mode": "duel", "key": "first-win", "name": "First win", "words": "Won a match",
        "earned_at": "2026-05-20T12:00:00Z", "match": number,
    }  # fmt: skip
    assert placed["key"] == "placed"
