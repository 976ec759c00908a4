"""How ratings are spread: one source with the ranks, and what a mode doesn't show stays unseen."""

import re
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from leaderboards.boards.distribution import Spread
from leaderboards.display.histogram import HEADROOM, histogram
from ranking.models import Mode, Player, Rating
from ranking.rules.rank_table import RankTable
from ranking.standings.publishing import publish
from tests.support.api import get
from tests.support.factories import NOW, make_mode
from tests.support.page_tree import read_page
from tests.support.seasons import bring_along, end

URL = "/boards/crowd/distribution/"


@given(st.dictionaries(st.integers(-(10**9), 10**9), st.integers(1, 50), min_size=1, max_size=40), st.integers(1, 40))
def test_columns_lie_side_by_side_within_the_drawing(counts: dict[int, int], bars: int) -> None:
    drawn = histogram(RankTable(sorted(counts.items())).distribution(bars))
    assert drawn is not None
    assert sum(column.bar.count for column in drawn.columns) == sum(counts.values())
    edges = [edge for column in drawn.columns for edge in (column.x, round(column.x + column.width, 2))]
    assert edges == sorted(edges)
    assert (min(edges) >= 0, max(edges) <= 100.01) == (True, True)
    assert max(column.height for column in drawn.columns) == 100 - HEADROOM
    assert {0 <= drawn.x_of(value) <= 100 for value in counts} == {True}


def test_nothing_to_draw() -> None:
    assert histogram(()) is None


def test_columns_begin_at_ratings_as_they_are_shown() -> None:
    values = range(140_000, 140_700, 100)  # of a system without decimals, in hundredths
    bars = RankTable([(value, 1) for value in values]).distribution(40, unit=100)
    assert [(bar.low, bar.high, bar.count) for bar in bars] == [(value, value + 100, 1) for value in values]
    assert {bar.low % 100 for bar in RankTable([(value, 1) for value in values]).distribution(3, unit=100)} == {0}


@pytest.mark.django_db
def test_no_column_holds_another_rating_than_its_bounds_say() -> None:
    mode = make_mode("crowd", "glicko-2", team_size_max=1)
    bring_along(mode, "\n".join(f"p{rating},,{rating}" for rating in range(1400, 1453)) + "\n", placed=True)
    publish(mode, now=NOW)
    bars = get("boards/crowd/distribution/").body["bars"]
    assert [bar["players"] for bar in bars] == [min(int(bar["high"]), 1453) - int(bar["low"]) for bar in bars]


def spread_of(client: Client) -> Spread:
    spread: Spread = client.get(URL).context["spread"]
    return spread


@pytest.mark.django_db
def test_everybody_is_counted_and_the_viewer_placed(
    client: Client, crowd: Callable[..., Mode], log_in: Callable[[str], Player]
) -> None:
    crowd()
    assert spread_of(client).own is None
    log_in("p0-20")
    spread = spread_of(client)
    assert sum(group.count for group in spread.groups) == 60
    assert spread.own is not None
    assert (spread.own.standing.rank, spread.own.below) == (21, 39)
    assert [mark.name for mark in spread.marks] == ["Bronze", "Silver", "Gold", "Platinum", "Diamond", "Master"]
    xs = [mark.x for mark in spread.marks]
    assert xs == sorted(xs)


@pytest.mark.django_db
@pytest.mark.parametrize(("scheme", "marks"), [("1-100", 10), ("1-50", 10), ("named", 6)])
def test_few_enough_bounds_to_be_seen(client: Client, crowd: Callable[..., Mode], scheme: str, marks: int) -> None:
    crowd(tier_scheme=scheme)
    assert len(spread_of(client).marks) == marks


@pytest.mark.django_db
def test_which_share_each_tier_holds(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    shares = (
        "Master holds the top 4 % of the ranked players, Diamond the next 9 %, Platinum the next 18 %, Gold the next "
        "25 %, Silver the next 25 %, Bronze the lowest 19 %. Equal ratings share a tier."
    )
    assert spread_of(client).shares == shares
    assert shares in client.get(URL).content.decode()


@pytest.mark.django_db
def test_what_the_mode_does_not_show(client: Client, crowd: Callable[..., Mode]) -> None:
    mode = crowd(shows_tier=False, shows_percentile=False)
    body = client.get(URL).content.decode()
    assert ("tier-" in body, "top " in body) == (False, False)
    mode.shows_rating = False
    mode.save()
    assert client.get(URL).status_code == 404
    assert URL not in client.get("/boards/crowd/").content.decode()


@pytest.mark.django_db
def test_nobody_listed(client: Client) -> None:
    mode = make_mode("crowd")
    for _ in range(2):
        assert len(read_page(client.get(URL).text).all("div.empty")) == 1
        publish(mode, now=NOW)


@pytest.mark.django_db
@pytest.mark.parametrize(("key", "queries"), [("", 3), ("p0-20", 7)])
def test_queries(
    client: Client,
    crowd: Callable[..., Mode],
    log_in: Callable[[str], Player],
    django_assert_num_queries: DjangoAssertNumQueries,
    key: str,
    queries: int,
) -> None:
    crowd()
    if key:
        log_in(key)
    client.get(URL)
    with django_assert_num_queries(queries):
        client.get(URL)


def played(mode: Mode, **matches: int) -> None:
    """Players who have completed so many matches."""
    for key, wins in matches.items():
        Rating.objects.filter(mode=mode, player__key=key.replace("_", "-")).update(wins=wins, losses=0, draws=0)
    cache.clear()


@pytest.mark.django_db
@pytest.mark.parametrize(("least", "players"), [(10, 4), (50, 3), (200, 1)])
def test_those_who_have_played_so_many_matches(
    client: Client, crowd: Callable[..., Mode], least: int, players: int
) -> None:
    mode = crowd()
    Rating.objects.update(wins=1, losses=0, draws=0)
    played(mode, p0_01=10, p0_20=50, p0_21=199, p0_59=200)
    everybody, spread = spread_of(client), client.get(URL, {"matches": least}).context["spread"]
    assert sum(group.count for group in spread.groups) == spread.players == players
    assert [group.low for group in spread.groups] == [group.low for group in everybody.groups]
    words = read_page(client.get(URL, {"matches": least}).text).text
    assert re.findall(r"(\d+) of 60 have completed (\d+)", words) == [(str(players), str(least))]
    answer = client.get(f"/api/v1{URL}", {"matches": least}).json()
    assert (answer["matches"], answer["listed"], answer["players"], len(answer["bars"])) == (least, 60, players, 39)
    assert sum(bar["players"] for bar in answer["bars"]) == players
    assert answer["median"] == spread.median


@pytest.mark.django_db
def test_only_numbers_that_somebody_has_played_are_offered(client: Client, crowd: Callable[..., Mode]) -> None:
    def offered(**query: int) -> list[str]:
        navigations = read_page(client.get(URL, query).text).all("nav.regions")
        return [link for navigation in navigations for link in navigation.links]

    mode = crowd()
    Rating.objects.update(wins=1, losses=0, draws=0)
    cache.clear()
    assert offered() == []
    played(mode, p0_01=10, p0_20=50)
    assert offered() == [URL, f"{URL}?matches=10", f"{URL}?matches=50"]
    assert offered(matches=200) == [URL, f"{URL}?matches=10", f"{URL}?matches=50", f"{URL}?matches=200"]


@pytest.mark.django_db
def test_lines_bear_the_names_of_tiers(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    names = [text.text for text in read_page(client.get(URL).text).one("svg.spread-names").all("text")]
    assert names == ["Silver", "Gold", "Platinum", "Diamond", "Master"]


@pytest.mark.django_db
def test_nobody_has_played_so_many(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    Rating.objects.update(wins=1, losses=0, draws=0)
    cache.clear()
    assert "200 matches" in read_page(client.get(URL, {"matches": 200}).text).one("div.empty").text
    answer = client.get(f"/api/v1{URL}", {"matches": 200}).json()
    assert (answer["players"], answer["median"], answer["bars"]) == (0, None, [])


@pytest.mark.django_db
def test_other_numbers_of_matches_are_no_addresses(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    statuses = {
        matches: [client.get(address, {"matches": matches}).status_code for address in (URL, f"/api/v1{URL}")]
        for matches in ("1", "x", "-1", "٣")
    }
    assert statuses == {matches: [404, 400] for matches in statuses}


@pytest.mark.django_db
def test_matches_are_counted_once_in_ten_minutes(
    client: Client, crowd: Callable[..., Mode], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    crowd()
    client.get(URL)
    cache.clear()
    client.get("/")
    with django_assert_num_queries(4):
        client.get(URL, {"matches": 10})
    with django_assert_num_queries(3):
        client.get(URL, {"matches": 50})


@pytest.mark.django_db
def test_an_archived_season_has_its_own_counts(client: Client, crowd: Callable[..., Mode]) -> None:
    mode = crowd()
    Rating.objects.update(wins=60, losses=0, draws=0)
    cache.clear()
    end(mode, at=timezone.now())
    answer = client.get(f"/api/v1{URL}", {"matches": 50, "season": 1}).json()
    assert (answer["season"], answer["players"]) == (1, 60)
    assert client.get(f"{URL}?season=1&matches=50").context["spread"].players == 60
    assert client.get(f"/api/v1{URL}", {"matches": 50}).json()["players"] == 0
