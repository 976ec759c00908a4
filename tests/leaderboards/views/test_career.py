"""A player's career in a mode: best rank and rating over all seasons, insights, and what others may see of it."""

import datetime as dt
from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.profiles.career import Career
from ranking.models import Match, Mode, Player, Rating, Season
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport
from ranking.seasons.strikes import strike_ratings
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


@pytest.fixture
def mode() -> Mode:
    """`me` won twice in season 1, which ended ten days ago, and lost once in season 2."""
    mode = make_mode(time_zone="UTC", now=NOW - 30 * DAY)
    at = NOW - 20 * DAY
    record([PlayerReport(id="me", party="us")], ["x"], ended_at=at.replace(hour=20), now=at + DAY)
    publish(mode, now=at + DAY)
    record(["me"], ["y"], ended_at=at.replace(hour=21), now=at + DAY)
    publish(mode, now=at + DAY)
    end(mode, at=NOW - 10 * DAY)
    record(["x"], ["me"], ended_at=NOW.replace(hour=8), now=NOW)
    publish(mode, now=NOW)
    return mode


def career(client: Client, key: str = "me") -> Career:
    found: Career = client.get(f"/players/{key}/career/").context["career"]
    return found


def test_the_best_is_of_all_seasons(client: Client, mode: Mode) -> None:
    found = career(client)
    second = Match.objects.order_by("pk")[1]
    assert found.rank
    assert found.rating
    assert (found.rank.text, found.rank.season.number) == ("#1", 1)
    assert (found.rating.match_id, found.rating.season.number, found.matches) == (second.pk, 1, 3)
    page = client.get("/players/me/career/").text
    assert f"/matches/{second.pk}/" in page
    void([second], by=None, reason="a test", now=NOW)
    assert career(client).matches == 2


def test_a_line_tells_each_season_of_each_mode(client: Client, mode: Mode) -> None:
    """The season that runs stands first; seasons of other modes have a list of their own."""
    other = make_mode("teams", now=NOW - 30 * DAY)
    record(["me"], ["x"], mode="teams", ended_at=NOW - 20 * DAY, now=NOW - 20 * DAY)
    publish(other, now=NOW - 20 * DAY)
    end(other, at=NOW - 9 * DAY)
    record(["x"], ["me"], mode="teams", ended_at=NOW, now=NOW)
    found: Career = client.get("/players/me/career/?mode=duel").context["career"]
    lines = [
        [(line.board.mode.slug, line.board.season.number, line.standing and line.standing.rank) for line in lines]
        for lines in (found.lines, found.elsewhere)
    ]
    assert lines == [[("duel", 2, 2), ("duel", 1, 1)], [("teams", 2, None), ("teams", 1, 1)]]
    assert (found.best and found.best.board.season.number, found.won_percent) == (1, 67)
    Player.objects.filter(key="me").update(hidden_at=NOW)
    found = client.get("/players/me/career/?mode=duel").context["career"]
    assert (found.lines, found.elsewhere) == ([], [])


def test_the_curve_goes_over_all_seasons(client: Client, mode: Mode) -> None:
    found = career(client)
    assert found.curve
    assert found.rating
    rows = [(row.words, row.rating) for row in found.curve.rows]
    assert [season for season, _ in rows] == ["Season 1", "Season 1", "Season 2"]
    assert [label.text for label in found.curve.chart.labels] == ["Season 1", "Season 2"]
    assert rows[1][1] == found.rating.text
    Season.objects.filter(number=1).update(shown=(Season.objects.get(number=1).shown or {}) | {"system": "trueskill"})
    assert career(client).curve is None


def test_an_archived_season_is_judged_as_it_was(client: Client, mode: Mode) -> None:
    """By its placement, by whether it showed ratings, and by its system."""
    archived = Season.objects.filter(number=1)
    shown = archived.get().shown or {}
    before = career(client)
    assert before.rating
    Mode.objects.update(placement_matches=3, shows_rating=False)
    assert career(client).rating == before.rating
    archived.update(shown=shown | {"shows_rating": False})
    Mode.objects.update(placement_matches=1, shows_rating=True)
    found = career(client)
    assert found.rating
    assert found.insights
    assert (found.rating.season.number, found.rank and found.rank.season.number) == (2, 1)
    expected = {row.name: row.expected for _, rows in found.insights.kinds for row in rows}
    assert (expected["Evening, 18 to 24"], expected["Morning, 6 to 12"] is None) == (None, False)
    archived.update(shown=shown | {"system": "trueskill"})
    found = career(client)
    assert found.rating
    assert (found.rating.season.number, found.rescaled) == (2, True)
    archived.update(shown=shown | {"ranked": False})
    assert career(client).matches == 1


def test_a_season_from_which_the_player_is_struck_gives_no_best(client: Client, mode: Mode) -> None:
    rating = Rating.objects.get(player__key="me", season__number=1)
    strike_ratings([rating.pk], by=None, reason="Cheating.", now=NOW)
    found = career(client)
    assert found.rating
    assert (found.rating.season.number, found.rank, found.matches) == (2, None, 3)


def test_modes_of_old_seasons_have_a_tab(client: Client, mode: Mode) -> None:
    make_mode("fun", ranked=False)
    record(["me"], ["x"], mode="fun")
    other = make_mode("brawl", now=NOW - 30 * DAY)
    at = NOW - 20 * DAY
    record(["me"], ["x"], mode="brawl", ended_at=at, now=at)
    end(other, at=NOW - 10 * DAY)
    assert [tab.slug for tab in career(client).modes] == ["brawl", "duel"]
    Mode.objects.filter(slug="brawl").update(ranked=False)
    assert [tab.slug for tab in career(client).modes] == ["duel"]
    old = client.get("/players/me/career/?mode=brawl").context["career"]
    assert [tab.slug for tab in old.modes] == ["duel", "brawl"]


def test_insights_by_time_opponents_and_company(client: Client, mode: Mode) -> None:
    insights = career(client).insights
    assert insights
    told = {title: [(row.name, row.matches, row.won) for row in rows] for title, rows in insights.kinds}
    assert told["By time of day"] == [("Morning, 6 to 12", 1, 0), ("Evening, 18 to 24", 2, 2)]
    assert told["Alone and in a party"] == [("Alone", 2, 1), ("In a party", 1, 1)]


def test_who_keeps_matches_to_themselves_shows_final_ranks_alone(
    client: Client, mode: Mode, log_in: Callable[[str], Player]
) -> None:
    Player.objects.filter(key="me").update(hides_matches=True)
    found = career(client)
    assert (found.hidden, found.rank, found.rating, found.insights) == (True, None, None, None)
    assert len(found.seasons.lines) == 1
    log_in("me")
    assert career(client).rank


def test_ratings_of_seasons_that_do_not_list_the_player_stay_theirs(
    client: Client, log_in: Callable[[str], Player]
) -> None:
    mode = make_mode(placement_matches=2)
    record(["me"], ["x"])
    publish(mode, now=NOW)
    assert (career(client).rating, career(client).rank) == (None, None)
    record(["me"], ["x"])
    assert career(client).rating
    Player.objects.filter(key="me").update(hidden_at=NOW)
    assert career(client).rating is None
    log_in("me")
    assert career(client).rating


def test_a_career_in_nothing(client: Client, mode: Mode) -> None:
    make_mode("fun", ranked=False)
    record(["me"], ["x"], mode="fun")
    for address in ("/players/nobody/career/", "/players/me/career/?mode=fun", "/players/me/career/?mode=%00"):
        assert client.get(address).status_code == 404, address


def test_queries_do_not_grow_with_seasons(
    client: Client, mode: Mode, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    career(client)  # the table of final ranks is kept
    with django_assert_num_queries(8):
        assert len(career(client).seasons.lines) == 1
    end(Mode.objects.get(), at=NOW)
    record(["me"], ["x"], ended_at=NOW + DAY, now=NOW + DAY)
    publish(mode, now=NOW + DAY)
    career(client)
    with django_assert_num_queries(8):
        assert len(career(client).seasons.lines) == 2
