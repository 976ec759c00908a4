"""All matches of a player: filtered by map, result and company, page by page; own statistics by column and by map."""

import datetime as dt
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from leaderboards.profiles.match_list import MatchList
from leaderboards.profiles.matches.season_statistics import SeasonStatistics
from ranking.models import Match, Mode
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.seasons import end

pytestmark = pytest.mark.django_db


def listed(client: Client, key: str = "me", **query: str) -> MatchList:
    found: MatchList = client.get(f"/players/{key}/matches/", query).context["listed"]
    return found


def words(client: Client, **query: str) -> list[str]:
    recent = listed(client, **query).recent
    assert recent is not None
    return [line.word for line in recent.lines]


def statistics_of(client: Client) -> SeasonStatistics:
    found: SeasonStatistics = client.get("/players/me/").context["profile"].past.statistics
    return found


def player(key: str, **stats: float) -> PlayerReport:
    return PlayerReport(id=key, stats=stats)


@pytest.fixture
def mode() -> Mode:
    """`me` won on Harbour with `mate`, drew there, lost on Canyon, and left on Canyon."""
    mode = make_mode("team", params={})
    at = NOW - dt.timedelta(hours=1)
    record([player("me", score=10, kills=4, deaths=2), "mate"], ["x", "y"], mode="team", variant="Harbour", ended_at=at)
    record(
        [player("me", score=20, kills=2, deaths=2)], ["x"], mode="team", variant="Harbour", places=[1, 1], ended_at=at
    )
    record(["x"], [player("me", score=3, kills=0, deaths=5)], mode="team", variant="Canyon", ended_at=at)
    record([PlayerReport(id="me", left_early=True, stats={})], ["z"], mode="team", variant="Canyon", ended_at=at)
    publish(mode, now=NOW)
    return mode


FILTERED = [
    ({}, ["Left", "Lost", "Drew", "Won"]),
    ({"map": "Harbour"}, ["Drew", "Won"]),
    ({"map": "Nowhere"}, []),
    ({"result": "won"}, ["Won"]),
    ({"result": "lost", "map": "Canyon"}, ["Lost"]),
    ({"result": "left"}, ["Left"]),
    ({"result": "podium"}, ["Left", "Lost", "Drew", "Won"]),  # which a mode of two teams doesn't know
    ({"with": "mate"}, ["Won"]),
    ({"with": "x", "map": "Harbour"}, ["Drew", "Won"]),
    ({"with": "nobody"}, ["Left", "Lost", "Drew", "Won"]),
    ({"with": "me"}, ["Left", "Lost", "Drew", "Won"]),
]


def test_filters(client: Client, mode: Mode) -> None:
    assert [(query, words(client, **query)) for query, _ in FILTERED] == FILTERED


def test_a_line_says_with_and_against_whom_and_what_one_did(client: Client, mode: Mode) -> None:
    recent = listed(client, result="won").recent
    assert recent is not None
    [line] = recent.lines
    assert [one.key for one in line.company.mates] == ["mate"]
    assert [one.key for one in line.company.opponents] == ["x", "y"]
    assert line.statistics == [("Score", "10"), ("Kills", "4"), ("Deaths", "2"), ("K/D", "2.00")]


def test_places_can_be_chosen_among_many_teams(client: Client) -> None:
    make_mode("ffa", "weng-lin", team_count=6, team_size_max=1)
    for order in ("me,a,b,c,d,e", "a,b,me,c,d,e", "a,b,c,d,e,me"):
        record(*([key] for key in order.split(",")), mode="ffa", places=range(1, 7))
    found = {key: words(client, result=key) for key in listed(client).results}
    assert found == {
        "first": ["1st"], "podium": ["3rd", "1st"], "upper": ["3rd", "1st"], "lower": ["6th"], "left": []}  # fmt: skip


def test_void_matches_have_no_result(client: Client, mode: Mode) -> None:
    void(Match.objects.filter(variant="Canyon"), by=None, reason="Cheated.", now=NOW)
    assert words(client) == ["Void", "Void", "Drew", "Won"]
    assert words(client, map="Canyon") == ["Void", "Void"]
    assert words(client, result="lost") == []


def test_pages_keep_their_filters(client: Client) -> None:
    make_mode("duel", team_size_max=1)
    for number in range(45):
        record(["me"] if number % 2 else ["x"], ["x"] if number % 2 else ["me"], mode="duel", variant="Canyon")
    sizes, query = [], {"result": "won", "map": "Canyon"}
    while True:
        found = listed(client, **query)
        assert found.recent is not None
        sizes.append(len(found.recent.lines))
        if found.recent.more is None:
            break
        page = client.get("/players/me/matches/", query).text
        assert f"?{escape(found.address)}&amp;before={found.recent.more}" in page
        query["before"] = str(found.recent.more)
    assert sizes == [20, 2]


@pytest.mark.parametrize("matches", [1, 30])
@pytest.mark.parametrize(("query", "queries"), [({}, 9), ({"result": "won", "map": "Canyon", "with": "x"}, 9)])
def test_queries(
    client: Client,
    django_assert_num_queries: DjangoAssertNumQueries,
    matches: int,
    query: dict[str, Any],
    queries: int,
) -> None:
    mode = make_mode("duel", team_size_max=1)
    for _ in range(matches):
        record(["me"], ["x"], mode="duel", variant="Canyon")
    publish(mode, now=NOW)
    listed(client)
    with django_assert_num_queries(queries):
        listed(client, **query)


def test_matches_of_every_season_are_listed(client: Client) -> None:
    mode = make_mode("duel", now=NOW - dt.timedelta(days=1))
    for hours in (3, 2):
        record(["me"], ["x"], ended_at=NOW - dt.timedelta(hours=hours))
    publish(mode, now=NOW)
    end(mode)
    record(["x"], ["me"], ended_at=NOW + dt.timedelta(hours=1), now=NOW + dt.timedelta(hours=2))
    publish(mode, now=NOW + dt.timedelta(hours=2))
    assert [season.number for season in listed(client).seasons] == [2, 1]
    asked = [({}, ["Lost", "Reset"]), ({"season": "1"}, ["Won", "Won"]), ({"season": "2"}, ["Lost", "Reset"])]
    asked += [({"season": season}, ["Lost", "Reset"]) for season in ("3", "x", "9" * 30)]
    assert {str(query): words(client, **query) for query, _ in asked} == {str(query): kept for query, kept in asked}
    assert "season=1" in listed(client, season="1").address
    page = client.get("/players/me/seasons/duel/1/").text
    assert "/players/me/matches/?mode=duel&amp;season=1" in page


def test_statistics_by_column_and_map(client: Client, mode: Mode) -> None:
    found = statistics_of(client)
    assert [(each.name, each.average, each.total) for each in found.statistics] == [
        ("Score", "11.0", "33"), ("Kills", "2.0", "6"), ("Deaths", "3.0", "9"), ("K/D", "0.67", "")]  # fmt: skip
    assert [(each.name, each.matches, each.won, each.drawn, each.lost, each.left, each.won_percent, each.score)
            for each in found.maps] == [
        ("Canyon", 2, 0, 0, 1, 1, 0, "3.0"), ("Harbour", 2, 1, 1, 0, 0, 50, "15.0")]  # fmt: skip


def test_the_modes_columns_are_those_of_its_scoreboard(client: Client, mode: Mode) -> None:
    columns = [
        {"stat": "kills", "name": "Frags", "per": "rounds", "form": "2 decimals"},
        {"stat": "kills", "name": "Per minute", "per": "minutes", "form": "1 decimal"},
    ]
    Mode.objects.update(scoreboard=columns)
    record([player("me", kills=30)], ["x"], mode="team", rounds=12, duration=600.0)
    record([player("me", kills=6)], ["x"], mode="team", rounds=12, duration=600.0)
    found = statistics_of(client).statistics
    assert [(each.name, each.average, each.total) for each in found] == [
        ("Frags", "1.50", ""), ("Per minute", "1.8", "")]  # fmt: skip


def test_void_matches_count_nowhere(client: Client, mode: Mode) -> None:
    void(Match.objects.filter(variant="Canyon"), by=None, reason="Cheated.", now=NOW)
    found = statistics_of(client)
    assert [each.name for each in found.maps] == ["Harbour"]
    assert found.statistics[1].total == "6"
