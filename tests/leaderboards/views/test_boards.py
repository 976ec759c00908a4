import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.boards.pages import BoardPage, query_of
from ranking.models import Mode, Player, Rating
from ranking.rules.rank_table import RankTable
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.page_tree import read_page

pytestmark = pytest.mark.django_db
URL = "/boards/crowd/"


def page_of(client: Client, url: str = URL, **headers: Any) -> BoardPage:
    response = client.get(url, **headers)
    assert response.status_code == 200
    page: BoardPage = response.context["page"]
    return page


@pytest.mark.parametrize("players", [2, 60])
def test_queries_of_a_stranger(
    client: Client, crowd: Callable[..., Mode], django_assert_num_queries: DjangoAssertNumQueries, players: int
) -> None:
    crowd()
    Rating.objects.exclude(pk__in=Rating.objects.order_by("pk")[:players]).delete()
    client.get(URL)  # the rank tables are read once a snapshot
    with django_assert_num_queries(3):
        client.get(URL)


@pytest.mark.parametrize("key", ["p0-10", "p0-59"])
def test_queries_of_a_player(
    client: Client,
    crowd: Callable[..., Mode],
    log_in: Callable[[str], Player],
    django_assert_num_queries: DjangoAssertNumQueries,
    key: str,
) -> None:
    crowd()
    log_in(key)
    client.get(URL)
    with django_assert_num_queries(7):
        client.get(URL)


def test_equal_ranks_stand_on_equal_steps_and_rest_says_so(client: Client) -> None:
    mode = make_mode("duel", placement_matches=0)
    for winner, loser in ("ab", "cd"):
        record([winner], [loser])
    publish(mode, now=NOW - dt.timedelta(days=1))
    publish(mode, now=NOW)
    body = client.get("/boards/duel/").text
    assert re.findall(r'class="step (step-\d rung-\d)', body) == ["step-1 rung-1", "step-2 rung-1", "step-3 rung-3"]
    assert ('<span class="delta same">±0</span>' in body, "no board yesterday" in body) == (True, False)


def test_the_first_page_has_a_podium_and_later_ones_none(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    page = page_of(client)
    assert [row.player.key for row in page.podium] == ["p0-00", "p0-01", "p0-02"]
    assert [row.standing.rank for row in page.rows] == list(range(4, 51))
    second = page_of(client, f"{URL}?{page.next}")
    assert (second.podium, [row.standing.rank for row in second.rows]) == ([], list(range(51, 61)))


def test_pages_are_addressed_by_their_first_place(
    client: Client, crowd: Callable[..., Mode], subtests: pytest.Subtests
) -> None:
    crowd(matches=2)  # 120 players, tied in pairs
    steps = {
        "": (None, "from=51"), "from=51": ("", "from=101"), "from=101": ("from=51", None),
        "from=52": ("from=2", "from=102"), "rank=72": ("from=21", None),
        "around=p0-40": ("from=27", None), "around=p0-01": (None, "from=51"),
    }  # fmt: skip
    for query, addresses in steps.items():
        with subtests.test(query=query):
            page = page_of(client, f"{URL}?{query}")
            assert (page.previous, page.next) == addresses


def test_a_place_deep_among_equals_is_addressed_by_a_cursor(subtests: pytest.Subtests) -> None:
    ranks = RankTable([(100, 5_000), (200, 30)])
    queries = {None: "x", -20: "", 1: "", 31: "from=31", 1_031: "from=1031", 1_032: "x", 6_000: "x"}
    for place, query in queries.items():
        with subtests.test(place=place):
            assert query_of(place, ranks, "x") == query


VIEWS = {
    "": "Crowd · Rungs", "?from=51": "Ranks 51–60 · Crowd · Rungs", "?around=p0-30": "Around p0-30 · Crowd · Rungs",
    "?q=p0-3": "Players with “p0-3” · Crowd · Rungs", "?region=eu-west": "Crowd, Europe West · Rungs",
    "friends/": "Friends · Crowd · Rungs", "distribution/": "Distribution · Crowd · Rungs",
    "tiers/": "Tiers · Crowd · Rungs",
}  # fmt: skip


def test_every_view_has_a_title_and_a_description_of_its_own(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    told: dict[str, list[str]] = {}
    for view in VIEWS:
        page, part = client.get(URL + view).text, client.get(URL + view, HTTP_HX_REQUEST="true").text
        title, described = re.findall(r'property="og:(?:title|description)" content="([^"]*)"', page)
        told[view] = [re.findall("<title>([^<]*) · Rungs</title>", text)[0] for text in (page, part)]
        told[view] += [title.removesuffix(" · Rungs"), described]
        assert f'<meta name="description" content="{described}">' in page
    assert {view: titles[:3] for view, titles in told.items()} == {
        view: [title.removesuffix(" · Rungs")] * 3 for view, title in VIEWS.items()
    }
    assert len({described for *_, described in told.values()}) == len(VIEWS)


def test_ties_share_a_rank(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd(matches=2)
    assert [row.standing.rank for row in page_of(client).shown][:6] == [1, 1, 3, 3, 5, 5]


def test_ranks_never_disagree_with_ratings_while_matches_go_on(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    record(*[[f"p0-{place:02}"] for place in reversed(range(60))], mode="crowd")  # rated, not yet published
    page = page_of(client)
    assert [row.player.key for row in page.podium] == ["p0-00", "p0-01", "p0-02"]
    assert [row.standing.rank for row in page.shown] == list(range(1, 51))


PROBLEMS = {
    "rank=61": "There is no rank 61: 60 players are listed.",
    "rank=0": "A rank is a whole number from 1 on.",
    "rank=999999999999999999": "There is no rank 999,999,999,999,999,999: 60 players are listed.",
    "rank=99999999999999999999999": "A rank is a whole number from 1 on.",
    "rank=%00": "A rank is a whole number from 1 on.",
    "rank=%FF%FE": "A rank is a whole number from 1 on.",
    "around=nobody": "That player isn't on this board.",
    "around=a%00": "There is no such player.",
    "after=nonsense": "That page doesn't exist (any more).",
    "before=%F0%9F%92%A9": "That page doesn't exist (any more).",
    "after=f_______________________________": "That page doesn't exist (any more).",
    "after=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA": "That page doesn't exist (any more).",
}


def test_nonsense_gets_the_first_page_and_a_sentence(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    pages = {query: page_of(client, f"{URL}?{query}") for query in PROBLEMS}
    assert {query: page.problem for query, page in pages.items()} == PROBLEMS
    assert {query: page.shown[0].standing.rank for query, page in pages.items()} == dict.fromkeys(PROBLEMS, 1)


@pytest.mark.parametrize("url", ["/boards/nothing/", "/boards/casual/"])
def test_no_board(client: Client, url: str) -> None:
    make_mode("casual", ranked=False)
    record(["a"], ["b"], mode="casual")
    assert client.get(url).status_code == 404


def test_an_empty_board_says_what_to_do(client: Client) -> None:
    make_mode("crowd", placement_matches=10)
    [empty] = read_page(client.get(URL).text).all("div.empty")
    assert re.findall(r"\d+ \w+", empty.text) == ["10 placement"]


@pytest.mark.parametrize("hidden", ["shows_rating", "shows_percentile", "shows_tier"])
def test_what_the_mode_does_not_show_is_nowhere(client: Client, crowd: Callable[..., Mode], hidden: str) -> None:
    crowd(**{hidden: False})
    body = client.get(URL).content.decode()
    row = page_of(client).podium[0]
    assert {
        "shows_rating": row.rating != "" or "Last 10" in body or row.spark is not None,
        "shows_percentile": row.standing.percentile is not None,
        "shows_tier": row.standing.tier is not None or "tier-" in body,
    } == {name: name != hidden for name in ("shows_rating", "shows_percentile", "shows_tier")}
    assert bool(re.search(r"Top \d", body)) == (
        hidden == "shows_tier"
    )  # where there is no tier, the share stands in its place


def test_movement_since_yesterday(client: Client) -> None:
    mode = make_mode("crowd", team_count=3, team_size_max=1)
    yesterday = NOW - dt.timedelta(days=1)
    record(["a"], ["b"], ["c"], mode="crowd", ended_at=yesterday, now=yesterday)
    publish(mode, now=yesterday)
    for _ in range(3):
        record(["c"], ["new"], ["b"], mode="crowd")
    publish(mode, now=NOW)
    rows = page_of(client).shown
    assert {
        row.player.key: "new" if row.new else row.movement and (row.movement.direction, row.movement.size)
        for row in rows
    } == {"c": ("up", "2"), "a": ("down", "1"), "new": "new", "b": ("down", "2")}


def test_without_a_board_yesterday_nothing_is_new(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    assert {(row.new, row.movement) for row in page_of(client).shown} == {(False, None)}


def test_sparklines_show_the_last_ten_changes(client: Client) -> None:
    mode = make_mode("crowd")
    for number in range(12):
        record(["a"], ["b"], mode="crowd", ended_at=NOW + dt.timedelta(seconds=number))
    publish(mode, now=NOW)
    spark = page_of(client).podium[0].spark
    assert spark is not None
    assert spark.words.startswith("Last 10: ")
    assert len(spark.path.split(" ")) == 11


def test_the_page_for_htmx_is_a_part_with_a_status(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    body = client.get(URL, HTTP_HX_REQUEST="true").content.decode()
    assert "<html" not in body
    assert re.findall(r'hx-swap-oob="innerHTML">\D+(\d+)\D+(\d+), (\d+ \w+)</p>', body) == [("1", "50", "60 players")]
    restored = client.get(URL, HTTP_HX_REQUEST="true", HTTP_HX_HISTORY_RESTORE_REQUEST="true")
    assert "<html" in restored.content.decode()
    assert "HX-Request" in restored["Vary"]


def test_a_row_has_its_win_rate_and_form(client: Client) -> None:
    mode = make_mode("duel")
    for number, (first, second) in enumerate([("a", "b")] * 4 + [("b", "a")] * 2):
        record([first], [second], ended_at=NOW + dt.timedelta(seconds=number))
    publish(mode, now=NOW + dt.timedelta(seconds=30))
    rows = {row.player.key: row for row in page_of(client, "/boards/duel/").shown}
    assert (rows["a"].share, rows["b"].share) == (67, 33)
    assert rows["a"].form == ["win", "win", "win", "loss", "loss"]
    assert rows["b"].form == ["loss", "loss", "loss", "win", "win"]


def test_more_than_two_teams_are_not_won_and_lost(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    rows = page_of(client).shown
    assert ({tuple(row.form) for row in rows}, rows[0].share, rows[-1].share) == ({()}, 100, 0)
    assert ("Top half" in client.get(URL).content.decode(), "Win rate" in client.get(URL).content.decode()) == (
        True,
        False,
    )
