"""Two players side by side: who came ahead how often, and what an address with slashes means."""

import datetime as dt
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.profiles.comparison import Comparison, find_pair, splits
from ranking.models import Match, Player
from ranking.moderation.voids import void
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.page_tree import read_page
from tests.support.savepoints import rolled_back
from tests.support.seasons import end

pytestmark = pytest.mark.django_db


def compared(client: Client, url: str = "/compare/a/b/") -> Comparison:
    found: Comparison = client.get(url).context["compared"]
    return found


def play(*teams: Any, minutes_ago: int = 0, **more: Any) -> None:
    record(*teams, ended_at=NOW - dt.timedelta(minutes=minutes_ago), **more)


def test_who_came_ahead_how_often(client: Client) -> None:
    mode = make_mode()
    play(["a"], ["b"], minutes_ago=5)
    play(["a", "x"], ["b", "y"], minutes_ago=4)
    play(["b"], ["a"], minutes_ago=3)
    play(["a"], ["b"], places=[1, 1], minutes_ago=2)
    play(["a", "b"], ["x", "y"], minutes_ago=1)  # on one team they don't meet
    publish(mode, now=NOW)
    found = compared(client)
    assert ([side.wins for side in found.sides], found.even, found.met) == ([2, 1], 1, 4)
    assert [meeting.ahead for meeting in found.meetings] == [None, 1, 0, 0]
    assert [side.wins for side in compared(client, "/compare/b/a/").sides] == [1, 2]


def test_the_maps_on_which_they_met_most(client: Client) -> None:
    make_mode()
    for minutes, (winner, loser) in enumerate(("ab", "ab", "ba")):
        play([winner], [loser], minutes_ago=minutes)
    Match.objects.update(variant="Harbour")
    play(["b"], ["a"], minutes_ago=9)
    Match.objects.filter(variant="").update(variant="Aerie")
    assert [(common.variant, common.met, common.wins) for common in compared(client).maps] == [
        ("Harbour", 3, (2, 1)), ("Aerie", 1, (0, 1)),
    ]  # fmt: skip
    page = client.get("/compare/a/b/").text
    assert [words in page for words in ("2 wins in 3", "1 win in 3")] == [True, True]


def test_a_meeting_that_one_side_left_is_the_other_s_own_result(client: Client) -> None:
    """A player who lost to a leaver's team hasn't won; the row says who left."""
    make_mode()
    gone = PlayerReport(id="a", left_early=True)
    play([gone, "x"], ["b", "y"], places=[2, 1], minutes_ago=4)
    play([gone, "x"], ["b", "y"], places=[1, 2], minutes_ago=3)
    play([gone, "x"], ["b", "y"], places=[1, 1], minutes_ago=2)
    play([gone, "x"], [PlayerReport(id="b", left_early=True), "y"], places=[1, 2], minutes_ago=1)
    found = compared(client)
    left = [[player.key for player in meeting.left] for meeting in found.meetings]
    assert [meeting.ahead for meeting in found.meetings] == [None, None, None, 1]
    assert left == [["a", "b"], ["a"], ["a"], []]
    assert ([side.wins for side in found.sides], found.even) == ([0, 1], 0)
    page = client.get("/compare/a/b/").text
    assert [words in page for words in ("Both left", "a left", "b won", "A draw")] == [True, True, True, False]


def test_among_many_the_place_decides(client: Client) -> None:
    make_mode(team_count=4, team_size_max=1)
    play(["x"], ["a"], ["y"], ["b"])
    [meeting] = compared(client).meetings
    assert (meeting.ahead, meeting.scores) == (0, ("2nd", "4th"))


def test_of_two_who_left_among_many_nobody_came_ahead(client: Client) -> None:
    """They share the last place, whatever places were sent."""
    make_mode(team_count=4, team_size_max=1)
    play(["x"], [PlayerReport(id="a", left_early=True)], ["y"], [PlayerReport(id="b", left_early=True)])
    [meeting] = compared(client).meetings
    assert (meeting.ahead, meeting.scores) == (None, ("3rd", "3rd"))
    assert "Both left" in client.get("/compare/a/b/").text


def test_among_many_two_may_share_a_place(client: Client) -> None:
    make_mode(team_count=4, team_size_max=1)
    play(["x"], ["a"], ["y"], ["b"], places=[1, 2, 4, 2])
    assert compared(client).even == 1
    page = client.get("/compare/a/b/").text
    assert [words in page for words in ("They shared a place", "draw")] == [True, False]


def test_among_many_the_record_is_by_place(client: Client) -> None:
    make_mode(team_count=6, team_size_max=1)
    play(["a"], ["b"], ["c"], ["d"], ["e"], ["f"])
    page = client.get("/compare/a/b/").content.decode()
    rows = ("Won · drawn · lost", "First", "Podiums", "Top half", "Average place")
    assert [f'<th scope="row">{row}</th>' in page for row in rows] == [False, True, True, True, True]
    assert "1.0 of 6" in page


def test_all_are_counted_and_the_last_ten_shown(client: Client) -> None:
    make_mode()
    for number in range(13):
        play(["a"], ["b"], minutes_ago=number)
    found = compared(client)
    assert (found.met, len(found.meetings), found.capped) == (13, 10, False)
    assert "They met in 13 matches. The last 10 are listed here." in client.get("/compare/a/b/").text.replace(
        "</span> <span>", " "
    )


def test_standing_and_curves_side_by_side(client: Client) -> None:
    mode = make_mode()
    for number in range(3):
        play(["a"], ["b"], minutes_ago=9 - number)
    publish(mode, now=NOW)
    found = compared(client)
    assert [side.standing and side.standing.rank for side in found.sides] == [1, 2]
    assert found.curves is not None
    assert [len(points) for points in found.curves.chart.curves] == [3, 3]
    assert [(row.name, len(row.ratings)) for row in found.curves.rows] == [(f"Match {n}", 2) for n in (1, 2, 3)]


def test_curves_by_day_have_the_last_rating_of_each(client: Client) -> None:
    make_mode()
    for days_ago, pair in ((3, "ab"), (3, "ab"), (2, "ac"), (0, "ab")):
        play([pair[0]], [pair[1]], minutes_ago=days_ago * 24 * 60)
    curves = compared(client, "/compare/a/b/?by=day").curves
    assert curves is not None
    assert [[bool(text) for text in row.ratings] for row in curves.rows] == [[True, True], [True, False], [True, True]]
    assert [x for x, _ in curves.chart.curves[1]] == [0, 1000]
    by_match = compared(client, "/compare/a/b/").curves
    assert by_match is not None
    assert curves.rows[-1].ratings[0] == by_match.rows[-1].ratings[0]
    assert curves.rows[0].ratings[1] == by_match.rows[1].ratings[1]


def test_curves_of_one_day_go_by_match(client: Client) -> None:
    make_mode()
    for number in range(2):
        play(["a"], ["b"], minutes_ago=number)
    curves = compared(client, "/compare/a/b/?by=day").curves
    assert curves is not None
    assert curves.by == "match"


def test_no_curve_of_one_match(client: Client) -> None:
    make_mode()
    play(["a"], ["b"])
    assert compared(client).curves is None


def test_what_the_mode_does_not_show_is_nowhere(client: Client) -> None:
    mode = make_mode(shows_rating=False, shows_percentile=False, shows_tier=False)
    for number in range(3):
        play(["a"], ["b"], minutes_ago=9 - number)
    publish(mode, now=NOW)
    body = client.get("/compare/a/b/").content.decode().split("<main")[1]
    assert [word in body for word in ("Ratings", "25.", "Top ", "tier-", "chart")] == [False] * 5


def test_modes_that_both_play(client: Client) -> None:
    for slug in ("duel", "first", "second"):
        make_mode(slug)
    make_mode("fun", ranked=False)
    play(["a"], ["b"], mode="first", minutes_ago=5)
    play(["a"], ["b"], mode="second", minutes_ago=1)
    play(["a"], ["b"], mode="fun")
    play(["a"], ["c"], mode="duel")
    found = compared(client)
    assert ([mode.slug for mode in found.modes], found.board and found.board.mode.slug) == (
        ["second", "first"], "second",
    )  # fmt: skip
    asked = compared(client, "/compare/a/b/?mode=first")
    assert asked.board is not None
    assert asked.board.mode.slug == "first"


def test_nothing_in_common(client: Client) -> None:
    for slug in ("duel", "other"):
        make_mode(slug)
    play(["a"], ["x"])
    play(["b"], ["x"], mode="other")
    page = client.get("/compare/a/b/")
    assert (page.context["compared"].modes, len(read_page(page.text).all("div.empty"))) == ([], 1)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [("a/b", [("a", "b")]), ("a/b/c", [("a", "b/c"), ("a/b", "c")]), ("a", []), ("a//b", [("a", "/b"), ("a/", "b")])],
)
def test_what_an_address_may_mean(text: str, pairs: list[tuple[str, str]]) -> None:
    assert splits(text) == pairs


@pytest.mark.parametrize(("slashes", "pairs"), [(64, 64), (120, 9), (128, 1), (129, 0), (16_000, 0)])
def test_only_pairs_of_possible_keys_are_tried(slashes: int, pairs: int) -> None:
    assert len(splits("b/" * slashes)) == pairs
    assert all(len(key) <= 128 for pair in splits("b/" * slashes) for key in pair)


@pytest.mark.parametrize("slashes", [129, 16_000])
def test_an_address_too_long_for_two_keys_asks_for_nobody(
    django_assert_num_queries: DjangoAssertNumQueries, slashes: int
) -> None:
    with django_assert_num_queries(0):
        assert find_pair("b/" * slashes) is None


@pytest.mark.parametrize(("first", "second"), [("x/y", "b"), ("b", "x/y"), ("x/y", "é 東"), ("100%", "x/y")])
def test_keys_may_hold_anything(client: Client, first: str, second: str) -> None:
    make_mode()
    play([first], [second])
    found = compared(client, f"/compare/{quote(first)}/{quote(second)}/")
    assert [player.key for player in found.players] == [first, second]


def test_no_two_such_players(client: Client) -> None:
    make_mode()
    play(["a"], ["b"])
    paths = ("a/nobody", "nobody/a", "a/a", "a/%00", "%00/%00")
    assert {path: client.get(f"/compare/{path}/").status_code for path in paths} == dict.fromkeys(paths, 404)


@pytest.mark.parametrize("matches", [2, 6])
def test_queries(
    client: Client,
    log_in: Callable[[str], Player],
    django_assert_num_queries: DjangoAssertNumQueries,
    matches: int,
) -> None:
    """Session, user, player, modes; the pair, their ratings, two for meetings, form, two for curves."""
    mode = make_mode()
    for number in range(matches):
        play(["a"], ["b"], minutes_ago=number)
    publish(mode, now=NOW)
    log_in("a")
    client.get("/compare/a/b/")
    with django_assert_num_queries(4 + 7):
        client.get("/compare/a/b/")


def test_htmx_gets_the_part(client: Client) -> None:
    make_mode()
    play(["a"], ["b"])
    body = client.get("/compare/a/b/?mode=duel", headers={"HX-Request": "true"}).content.decode()
    assert ("<html" in body, "one match" in body) == (False, True)


# Who hides and who looks → who is said to hide, how many meetings there are, and whether there are curves.
HIDING = {
    ("", ""): ([], 2, True),
    ("a", ""): (["a"], 0, False),
    ("b", ""): (["b"], 0, False),
    ("a", "c"): (["a"], 0, False),
    ("ab", ""): (["a", "b"], 0, False),
    ("a", "b"): (["a"], 2, False),
    ("ab", "a"): (["b"], 2, False),
    ("a", "a"): ([], 2, True),
}


def test_what_hides_matches_hides_here() -> None:
    make_mode()
    play(["a"], ["b"], minutes_ago=2)
    play(["b"], ["a"], minutes_ago=1)
    play(["c"], ["d"])
    viewers = {key: Client() for key in ("", "a", "b", "c")}
    for key in "abc":
        user = User.objects.create_user(key)
        Player.objects.filter(key=key).update(user=user)
        viewers[key].force_login(user)
    shown = {}
    for hide, who in HIDING:
        with rolled_back():
            Player.objects.filter(key__in=list(hide)).update(hides_matches=True)
            page = viewers[who].get("/compare/a/b/")
            found = page.context["compared"]
            assert ("versus-wins" in page.text) is found.shows_meetings
            hidden = {player.key for player in found.hiding}
            forms = {"a": [] if "a" in hidden else ["win", "loss"], "b": [] if "b" in hidden else ["loss", "win"]}
            assert {side.player.key: [*side.form] for side in found.sides} == forms
            shown[hide, who] = [player.key for player in found.hiding], found.met, found.curves is not None
    assert shown == HIDING


def test_the_reset_is_no_match_of_the_curves(client: Client) -> None:
    mode = make_mode(now=NOW - dt.timedelta(days=1))
    play(["a"], ["b"], minutes_ago=90)
    publish(mode, now=NOW)
    end(mode, at=NOW - dt.timedelta(minutes=60))
    for minutes in (30, 20, 10):
        play(["a"], ["b"], minutes_ago=minutes)
    publish(mode, now=NOW)
    curves = compared(client).curves
    assert curves is not None
    assert [row.name for row in curves.rows] == ["Match 1", "Match 2", "Match 3"]


def test_void_matches_are_no_meetings(client: Client) -> None:
    mode = make_mode()
    play(["a"], ["b"], minutes_ago=2)
    play(["b"], ["a"], minutes_ago=1)
    void([Match.objects.latest("pk")], by=None, reason="Cheated.", now=NOW)
    rerate(mode)
    assert [meeting.ahead for meeting in compared(client).meetings] == [0]
