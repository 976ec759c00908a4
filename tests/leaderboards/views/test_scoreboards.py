from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from leaderboards.postgame.scoreboard import Scoreboard, text_of
from ranking.models import Match, Mode
from ranking.rules.report import PlayerReport
from ranking.rules.scoreboard import Column
from tests.support.factories import NOW, make_mode, make_report, make_source, record, record_result

pytestmark = pytest.mark.django_db

KILLS, DEATHS = {"stat": "kills", "name": "Frags"}, {"stat": "deaths", "name": "Deaths", "least": True}


def player(key: str, **more: Any) -> PlayerReport:
    stats = {name: float(more.pop(name)) for name in ("kills", "deaths", "score", "alive") if name in more}
    return PlayerReport(id=key, name=key, stats=stats, **more)


def board_of(client: Client, query: str = "") -> Scoreboard:
    response = client.get(f"/matches/{Match.objects.latest('pk').pk}/{query}")
    board: Scoreboard = response.context["game"].scoreboard
    assert ("Scoreboard" in response.content.decode()) is bool(board.headings)
    return board


def names(board: Scoreboard) -> list[list[str]]:
    return [[line.seat.player.key for line in lineup.lines] for lineup in board.lineups]


def texts(board: Scoreboard) -> list[list[str]]:
    return [[cell.text for cell in line.cells] for lineup in board.lineups for line in lineup.lines]


def bests(board: Scoreboard) -> list[list[bool]]:
    return [[cell.best for cell in line.cells] for lineup in board.lineups for line in lineup.lines]


def valued(board: Scoreboard) -> list[str]:
    return [line.seat.player.key for lineup in board.lineups for line in lineup.lines if line.most_valuable]


def test_every_statistic_and_the_best_of_each(client: Client) -> None:
    make_mode()
    record([player("a", kills=5, deaths=2), player("b", kills=9, deaths=0)], [player("c", kills=9), player("d")])
    board = board_of(client)
    assert [heading.name for heading in board.headings] == ["Player", "Kills", "Deaths", "K/D"]
    assert [lineup.head and lineup.head.name for lineup in board.lineups] == ["Team 1", "Team 2"]
    assert texts(board) == [["5", "2", "2.50"], ["9", "0", "9.00"], ["9", "", ""], ["", "", ""]]
    assert bests(board) == [[False] * 3, [True] * 3, [True, False, False], [False] * 3]


def test_columns_that_the_mode_chose(client: Client) -> None:
    make_mode(scoreboard=[DEATHS, KILLS])
    record([player("a", kills=1_200, deaths=2, score=3)], [player("b", kills=0.25, deaths=1)])
    board = board_of(client)
    assert [heading.name for heading in board.headings] == ["Player", "Deaths", "Frags"]
    assert texts(board) == [["2", "1,200"], ["1", "0.25"]]


def test_without_statistics_everybody_stands_in_the_table_all_the_same(client: Client) -> None:
    make_mode()
    record(["a", "b"], ["c", "d"])
    board = board_of(client)
    assert (board.headings, texts(board), names(board)) == ([], [[]] * 4, [["a", "b"], ["c", "d"]])


@pytest.mark.parametrize("size", [1, 3])
def test_nobody_stands_there_twice(client: Client, size: int) -> None:
    for slug, ranked in (("duel", True), ("fun", False)):
        make_mode(slug, ranked=ranked)
        rosters = [[player(f"{team}{number}", kills=number) for number in range(size)] for team in "ab"]
        record(*rosters, mode=slug)
        text = client.get(f"/matches/{Match.objects.latest('pk').pk}/").text.split("<main")[1]
        assert [text.count(f"/players/{one.id}/?mode={slug}") for roster in rosters for one in roster] == [1] * 2 * size


SORTED = {
    "": ([["b", "a", "c"], ["d", "e"]], ["", "", "", ""]),  # by the statistic score
    "?sort=nonsense&dir=up": ([["b", "a", "c"], ["d", "e"]], ["", "", "", ""]),
    "?sort=kills": ([["c", "a", "b"], ["e", "d"]], ["", "", "descending", ""]),
    "?sort=kills&dir=asc": ([["a", "c", "b"], ["d", "e"]], ["", "", "ascending", ""]),
    "?sort=deaths": ([["a", "b", "c"], ["d", "e"]], ["", "", "", "ascending"]),
    "?sort=player&dir=desc": ([["c", "b", "a"], ["e", "d"]], ["descending", "", "", ""]),
}


def test_sorting(client: Client) -> None:
    make_mode(scoreboard=[{"stat": "score", "name": "Score"}, KILLS, DEATHS])
    record(
        [player("a", score=5, kills=3, deaths=1), player("b", score=9, deaths=2), player("c", score=1, kills=7)],
        [player("d", score=4, kills=1), player("e", score=4, kills=2)],
    )
    boards = {query: board_of(client, query) for query in SORTED}
    shown = {query: (names(board), [each.sorted_as for each in board.headings]) for query, board in boards.items()}
    assert shown == SORTED


def test_headings_turn_the_direction_around(client: Client) -> None:
    make_mode(scoreboard=[KILLS, DEATHS])
    record([player("a", kills=3, deaths=1)], [player("b", kills=1, deaths=2)])
    queries = [heading.query for heading in board_of(client, "?sort=kills&dir=desc").headings]
    assert queries == ["sort=player&dir=asc", "sort=kills&dir=asc", "sort=deaths&dir=asc"]
    page = client.get(f"/matches/{Match.objects.get().pk}/?sort=kills").content.decode()
    assert 'aria-sort="descending"><a href="?sort=kills&amp;dir=asc#scoreboard" rel="nofollow" ' in page


def test_everybody_for_themselves_in_one_list(client: Client) -> None:
    make_mode("brawl", system="trueskill", team_count=3, team_size_max=1)
    rosters = [[player(key, kills=kills)] for key, kills in (("a", 1), ("b", 5), ("c", 3))]
    record(*rosters, mode="brawl", places=[2, 1, 3])
    assert names(board_of(client)) == [["b", "a", "c"]]
    assert names(board_of(client, "?sort=kills&dir=asc")) == [["a", "c", "b"]]


def test_the_most_valuable_player_by_the_statistic_that_the_mode_chose(client: Client) -> None:
    make_mode(best_by="kills")
    record([player("a", kills=3), player("b", kills=2)], [player("c", kills=3), player("d", kills=9, left_early=True)])
    assert valued(board_of(client)) == ["a"]  # c lost, d left
    assert "Most valuable player" in client.get(f"/matches/{Match.objects.get().pk}/").content.decode()
    Mode.objects.update(best_by="")
    assert valued(board_of(client)) == []


def test_nobody_is_most_valuable_among_equals(client: Client) -> None:
    make_mode(best_by="kills")
    record([player("a", kills=3)], [player("b", kills=3)])
    assert valued(board_of(client)) == []


def test_two_layer_names_the_most_valuable_player_by_its_impact(client: Client) -> None:
    make_mode(system="two-layer", params={"impact_weights": {"kills": 1.0, "deaths": -2.0}}, best_by="kills")
    record(
        [player("a", kills=9, deaths=9), player("b", kills=5, deaths=0)],
        [player("c", kills=3, deaths=0), player("d", kills=1, deaths=5)],
    )
    assert valued(board_of(client)) == ["b"]


@pytest.mark.parametrize(("params", "best"), [({"impact_stat": "kills"}, ["a"]), ({}, ["d"])])
def test_margin_names_the_most_valuable_player_by_its_statistic(
    client: Client, params: dict[str, str], best: list[str]
) -> None:
    make_mode(system="margin", params=params, best_by="deaths")
    record(
        [player("a", kills=9, deaths=1), player("b", kills=5, deaths=0)],
        [player("c", kills=3, deaths=0), player("d", kills=1, deaths=5)],
    )
    assert valued(board_of(client)) == best


def test_texts(subtests: pytest.Subtests) -> None:
    for form, value, text in [
        ("number", 1_234.0, "1,234"),
        ("number", 0.126, "0.13"),
        ("1 decimal", 80.25, "80.2"),
        ("percent", 0.254, "25 %"),
        ("time", 247.0, "4:07"),
        ("number", None, ""),
    ]:
        with subtests.test(form=form, value=value, text=text):
            assert text_of(Column("x", "X", form=form), value) == text


def test_a_free_for_all_begins_with_places_and_the_scores_that_decided_them(client: Client) -> None:
    """The statistic `score` is another number, and comes later."""
    make_mode(team_count=3, team_size_max=1)
    report = make_report([player("a", score=43)], [player("b", score=76)], [player("c", score=49)])
    teams = tuple(
        replace(team, place=None, score=score) for team, score in zip(report.teams, (14.0, 20.0, 9.0), strict=True)
    )
    record_result(replace(report, teams=teams), source=make_source(), now=NOW)
    page = client.get(f"/matches/{Match.objects.latest('pk').pk}/")
    assert [(seat.player.key, seat.place, seat.decided) for seat in page.context["game"].seats] == [
        ("b", 1, "20"), ("a", 2, "14"), ("c", 3, "9")]  # fmt: skip
    text = page.content.decode()
    columns = [text.index(mark) for mark in (">Player</a>", ">Result</th>", ">Change</th>", ">Score</a>")]
    assert columns == sorted(columns)
    assert text.index('class="seat-place">1st<') < text.index(">20</td>")
