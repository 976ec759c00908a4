"""GET /api/v1/players/{id}/history/: every step of a rating, newest first."""

import datetime as dt

import pytest

from ranking.matches.forfeits import record_forfeit
from ranking.models import Ban, Match, Player
from ranking.moderation.sanctions import lift_bans
from ranking.moderation.voids import void
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.api import get, make_key, walk
from tests.support.factories import NOW, ban_player, make_mode, record
from tests.support.seasons import end

pytestmark = pytest.mark.django_db


def play(number: int, **more) -> int:
    """The number of the site's match."""
    moment = NOW + dt.timedelta(hours=number)
    return record(["a"], ["b"], ended_at=moment, now=moment, **more).record.match.pk


def test_a_step_tells_what_changed():
    mode = make_mode()
    play(0)
    publish(mode, now=NOW)
    number = play(1)
    assert get("players/a/history/?mode=duel&limit=1").body["items"] == [
        {
            "kind": "match", "at": "2026-05-20T13:00:00Z", "match": number, "void": False, "outcome": "win",
            "place": 1, "places": 2,
            "rating": {"before": "25.26", "after": "25.50"}, "rank": {"before": 1, "after": 1},
            "percentile": {"before": 100, "after": 100}, "listed": {"before": 2, "after": 2},
            "standing_rating": {"before": "25.26", "after": "25.50"},
        }
    ]  # fmt: skip


@pytest.mark.parametrize("rated_anew", [False, True])
def test_a_void_match_is_marked_and_changes_nothing(rated_anew):
    mode = make_mode()
    numbers = [play(number) for number in range(3)]
    void([Match.objects.get(pk=numbers[1])], by=None, reason="Cheated.", now=NOW)
    if rated_anew:
        rerate(mode)
    steps = walk("players/a/history/?mode=duel&limit=1")
    assert [(step["match"], step["void"]) for step in steps] == [
        (numbers[2], False), (numbers[1], True), (numbers[0], False)]  # fmt: skip
    nothing = {"before": None, "after": None}
    assert steps[1] == {
        "kind": "match", "at": "2026-05-20T13:00:00Z", "match": numbers[1], "void": True, "outcome": None,
        "place": 1, "places": 2, "rating": nothing, "rank": nothing, "percentile": nothing, "listed": nothing,
        "standing_rating": nothing,
    }  # fmt: skip


def test_a_forfeit_has_ranks_before_and_after():
    mode = make_mode()
    play(0)
    publish(mode, now=NOW)
    a, b = (Player.objects.get(key=key) for key in "ab")
    record_forfeit(mode, lobby="L", teams=[[a], [b]], player=a, reason="x", now=NOW)
    (step,) = get("players/a/history/?mode=duel&limit=1").body["items"]
    del step["at"]
    assert step == {
        "kind": "forfeit", "match": None, "void": False, "outcome": None,
        "rating": {"before": "25.26", "after": "24.98"}, "rank": {"before": 1, "after": 1},
        "percentile": {"before": 100, "after": 100}, "listed": {"before": 2, "after": 2},
        "standing_rating": {"before": "25.26", "after": "24.98"}, "place": None, "places": None,
    }  # fmt: skip


def test_a_re_rating_leaves_ranks_and_the_ratings_that_they_belong_to():
    mode = make_mode()
    numbers = [play(number) for number in range(2)]
    publish(mode, now=NOW)
    play(2)
    void([Match.objects.get(pk=numbers[0])], by=None, reason="Cheated.", now=NOW)
    rerate(mode)
    step = get("players/a/history/?mode=duel&limit=1").body["items"][0]
    assert (step["rating"], step["standing_rating"], step["rank"]) == (
        {"before": "25.26", "after": "25.50"}, {"before": "25.50", "after": "25.72"}, {"before": 1, "after": 1},
    )  # fmt: skip


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_pages_newest_first(limit):
    make_mode()
    make_mode("other")
    numbers = [play(number) for number in range(5)]
    play(6, mode="other")
    steps = walk(f"players/a/history/?mode=duel&limit={limit}")
    assert [step["match"] for step in steps] == numbers[::-1]


def test_a_season_that_is_over():
    mode = make_mode(now=NOW - dt.timedelta(days=1))
    numbers = [play(number) for number in (-3, -2)]
    publish(mode, now=NOW - dt.timedelta(hours=1))
    end(mode)
    first = "players/a/history/?mode=duel&season=1"
    assert get("players/a/history/?mode=duel").status == 404
    assert [step["match"] for step in walk(first)] == numbers[::-1]
    later = play(4)
    assert [step["match"] for step in walk(first)] == numbers[::-1]
    assert get("players/a/history/?mode=duel&season=2&limit=1").body["items"][0]["match"] == later
    assert walk("players/a/history/?mode=duel&season=2") == walk("players/a/history/?mode=duel")
    Player.objects.filter(key="a").update(hidden_at=NOW)
    assert get(first).status == 404


def test_a_ban_at_the_end_of_a_season_keeps_its_ratings_secret(django_assert_num_queries):
    began, ended = NOW - dt.timedelta(days=40), NOW - dt.timedelta(days=10)
    mode = make_mode(now=began, activity_days=7)
    # By player: how many days before the end they played, and a ban from boards in days after it: begin, end, lifting.
    cases = {
        "active": (1, None, True), "active-banned": (1, (-3, 3, None), False),
        "inactive": (20, None, True), "inactive-banned": (20, (-3, 3, None), False),
        "inactive-banned-for-good": (20, (-3, None, None), False), "inactive-lifted-later": (20, (-3, None, 1), False),
        "inactive-lifted-before": (20, (-3, None, -1), True), "inactive-ran-out": (20, (-3, -1, None), True),
        "inactive-banned-later": (20, (1, None, None), True),
    }  # fmt: skip
    for key, (played, ban, _) in cases.items():
        at = ended - dt.timedelta(days=played)
        record([key], ["foil"], ended_at=at, now=at)
        if ban is not None:
            start, until, lifted = (None if days is None else ended + dt.timedelta(days=days) for days in ban)
            player = Player.objects.get(key=key)
            row = ban_player(player, scope=Ban.BOARDS, by=None, reason="x", now=start, ends_at=until)
            if lifted is not None:
                lift_bans([row.pk], by=None, reason="x", now=lifted)
    end(mode, at=ended, archived_at=ended)
    for key, (_, _, shown) in cases.items():
        (step,) = get(f"players/{key}/history/?mode=duel&season=1").body["items"]
        assert (step["rating"]["after"] is not None) == shown, key
    with django_assert_num_queries(8):  # one of them asks for a ban of who was inactive
        get("players/inactive/history/?mode=duel&season=1")


@pytest.mark.parametrize("number", [1, 3])
def test_a_page_takes_as_many_queries_however_long(django_assert_num_queries, number):
    make_mode()
    for index in range(number):
        play(index)
    with django_assert_num_queries(6):  # of which one asks whether a ban keeps the player off the board
        assert len(get("players/a/history/?mode=duel").body["items"]) == number


@pytest.mark.parametrize(
    ("shows", "scopes", "shown"),
    [
        ({}, (), ("25.26", 1, 100)),
        ({"shows_rating": False}, (), (None, 1, 100)),
        ({"shows_percentile": False}, ("read",), ("25.26", 1, None)),
        ({"ranked": False}, (), (None, None, None)),
        ({"ranked": False}, ("ratings:hidden",), ("25.26", 1, 100)),
    ],
)
def test_what_a_mode_hides_is_left_out(shows, scopes, shown):
    mode = make_mode(**shows)
    play(0)
    publish(mode, now=NOW)
    play(1)
    key = make_key(*scopes) if scopes else ""
    step = get("players/a/history/?mode=duel", key=key).body["items"][0]
    assert tuple(step[name]["before"] for name in ("rating", "rank", "percentile")) == shown


MISSING = (
    ("a/history/", 400, "mode: This field is required."),
    ("a/history/?mode=duel&after=x", 400, "after: That page doesn't exist; follow `next` of the page before it."),
    (
        "a/history/?mode=duel&page=1",
        400,
        "page: There is no such parameter here; known are after, limit, mode, season.",
    ),
    ("a/history/?mode=duel&season=2", 404, "'a' hasn't played a mode 'duel' in season 2."),
    ("a/history/?mode=other", 404, "'a' hasn't played a mode 'other' this season."),
    ("nobody/history/?mode=duel", 404, "There is no player 'nobody'."),
)


def test_what_there_is_not():
    make_mode()
    play(0)
    answers = [(path, get(f"players/{path}")) for path, _, _ in MISSING]
    assert tuple((path, answer.status, answer.body["detail"]) for path, answer in answers) == MISSING


def test_a_key_with_slashes_has_a_history():
    make_mode()
    record([PlayerReport(id="x/y")], ["b"])
    [step] = get("players/x%2Fy/history/?mode=duel").body["items"]
    assert step["match"] == Match.objects.get().pk
