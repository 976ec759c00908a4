import datetime as dt
from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.profiles.home import Home
from ranking.models import Mode, Player
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def home_of(client: Client) -> Home:
    response = client.get("/")
    assert response.status_code == 200
    home: Home = response.context["home"]
    return home


def test_a_new_site_says_how_to_begin(client: Client) -> None:
    body = client.get("/").content.decode()
    assert "No mode yet" in body
    assert "manage.py demo" in body


@pytest.mark.parametrize(("modes", "matches"), [(1, 1), (3, 12)])
def test_queries(client: Client, django_assert_num_queries: DjangoAssertNumQueries, modes: int, matches: int) -> None:
    for number in range(modes):
        mode = make_mode(f"mode-{number}")
        for match in range(matches):
            record([f"a{match}"], [f"b{match}"], mode=mode.slug)
        publish(mode, now=NOW)
    client.get("/")
    with django_assert_num_queries(5):
        client.get("/")


def test_the_five_best_of_each_mode(client: Client) -> None:
    mode = make_mode("all", team_count=7, team_size_max=1, params={"alpha": 1})
    make_mode("fun", ranked=False)
    make_mode("quiet")
    record(*[[f"p{place}"] for place in range(7)], mode="all")
    publish(mode, now=NOW)
    home = home_of(client)
    assert {
        card.board.mode.slug: [(leader.rank, leader.player.key) for leader in card.best] for card in home.cards
    } == {
        "all": [(place + 1, f"p{place}") for place in range(5)],
        "quiet": [],
    }
    assert [mode.slug for mode in home.for_fun] == ["fun"]


def test_a_mode_that_hides_ratings_hides_them_here(client: Client) -> None:
    publish_of = make_mode("duel", shows_rating=False)
    record(["a"], ["b"])
    publish(publish_of, now=NOW)
    assert "25." not in client.get("/").content.decode().split("<main")[1]


def test_the_latest_results(client: Client) -> None:
    make_mode("duel")
    for number in range(10):
        record([f"a{number}"], [f"b{number}"], ended_at=NOW + dt.timedelta(seconds=number))
    latest = home_of(client).latest
    assert [[(side.name, side.first) for side in result.sides] for result in latest] == [
        [(f"a{number}", True), (f"b{number}", False)] for number in range(9, 1, -1)
    ]


@pytest.mark.parametrize(
    ("key", "ranks", "target"),
    [("p0-00", [1, 2, 3, 4], None), ("p0-30", [28, 29, 30, 31, 32, 33, 34], 30), ("p0-59", [57, 58, 59, 60], 59)],
)
def test_a_player_sees_themselves_between_their_rivals(
    client: Client,
    crowd: Callable[..., Mode],
    log_in: Callable[[str], Player],
    key: str,
    ranks: list[int],
    target: int | None,
) -> None:
    crowd()
    assert home_of(client).own is None
    log_in(key)
    own = home_of(client).own
    assert own is not None
    assert ([rival.rank for rival in own.rivals], own.target and own.target.rank) == (ranks, target)
    assert [rival.player.key for rival in own.rivals if rival.own] == [key]


def test_a_player_in_placement_sees_how_far_they_are(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel", placement_matches=3)
    make_mode("fun", ranked=False)
    record(["me"], ["b"])
    record(["me"], ["b"], mode="fun", ended_at=NOW + dt.timedelta(seconds=1))
    log_in("me")
    own = home_of(client).own
    assert own is not None
    assert own.absence is not None
    assert (own.board.mode.slug, own.absence.words, own.rivals) == ("duel", "1 of 3 placement matches", [])


@pytest.mark.parametrize("key", ["p0-00", "p0-30"])
def test_queries_of_a_player(
    client: Client,
    crowd: Callable[..., Mode],
    log_in: Callable[[str], Player],
    django_assert_num_queries: DjangoAssertNumQueries,
    key: str,
) -> None:
    crowd()
    log_in(key)
    client.get("/")
    with django_assert_num_queries(5 + 3 + 3):
        client.get("/")
