import datetime as dt
from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.home.page import Home
from leaderboards.models import Achievement
from leaderboards.people.following import follow_player
from ranking.models import Mode, Player, Rating
from ranking.operations.outbox import sweep
from ranking.seasons.strikes import strike_ratings
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.seasons import end

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


def sides_of(client: Client) -> list[list[tuple[str, list[str], bool]]]:
    return [
        [(side.name, [player.key if player else "" for player in side.players], side.first) for side in result.sides]
        for result in home_of(client).latest
    ]


def test_the_latest_matches_of_all_modes_with_names(client: Client) -> None:
    make_mode("duel")
    make_mode("team", system="team-ratio")
    for number in range(8):
        record([f"a{number}"], [f"b{number}"], ended_at=NOW + dt.timedelta(seconds=number))
    record(["a", "b"], ["c", "d"], mode="team", ended_at=NOW + dt.timedelta(seconds=9))
    duels = [[("", [f"a{number}"], True), ("", [f"b{number}"], False)] for number in range(7, 2, -1)]
    assert sides_of(client) == [[("Team 1", ["a", "b"], True), ("Team 2", ["c", "d"], False)], *duels]


@pytest.mark.parametrize("hiding", [{"hides_matches": True}, {"hidden_at": NOW}])
def test_who_hides_has_no_name_among_the_latest(client: Client, hiding: dict[str, object]) -> None:
    make_mode("duel")
    record(["shy"], ["b"])
    Player.objects.filter(key="shy").update(**hiding)
    assert sides_of(client) == [[("", [""], True), ("", ["b"], False)]]
    main = client.get("/").content.decode().split("<main")[1]
    assert ("a hidden player" in main, "shy" in main) == (True, False)


def test_strangers_are_asked_to_sign_up_and_read_nothing_of_servers(client: Client) -> None:
    make_mode("duel")
    record(["a"], ["b"])
    main = client.get("/").content.decode().split("<main")[1]
    assert 'href="/account/signup/"' in main
    assert [word for word in ("create_key", "POST", "API", "server") if word in main.split("</main>")[0]] == []


@pytest.mark.parametrize(
    ("key", "ranks", "target"),
    [("p0-00", [1, 2, 3], None), ("p0-30", [29, 30, 31, 32, 33], 30), ("p0-59", [58, 59, 60], 59)],
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
    assert home_of(client).own == []
    log_in(key)
    (own,) = home_of(client).own
    assert ([rival.rank for rival in own.rivals], own.target and own.target.rank) == (ranks, target)
    assert [rival.player.key for rival in own.rivals if rival.own] == [key]


def test_a_player_in_placement_sees_how_far_they_are(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel", placement_matches=3)
    make_mode("fun", ranked=False)
    record(["me"], ["b"])
    record(["me"], ["b"], mode="fun", ended_at=NOW + dt.timedelta(seconds=1))
    log_in("me")
    (own,) = home_of(client).own
    assert own.absence is not None
    assert (own.board.mode.slug, own.absence.done, own.absence.needed, own.rivals) == ("duel", 1, 3, [])


def test_each_mode_of_a_player_is_a_card_with_its_form(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel")
    make_mode("four", team_count=4, team_size_max=1)
    make_mode("other")
    for number, (first, second) in enumerate([("me", "b"), ("me", "b"), ("b", "me")] * 2):
        record([first], [second], ended_at=NOW + dt.timedelta(seconds=number))
    record(["a"], ["b"], ["me"], ["d"], mode="four", ended_at=NOW + dt.timedelta(seconds=10))
    record(["me"], ["b"], ["a"], ["d"], mode="four", ended_at=NOW + dt.timedelta(seconds=11))
    publish(Mode.objects.get(slug="duel"), now=NOW)
    log_in("me")
    home = home_of(client)
    assert [(own.board.mode.slug, [(mark.kind, mark.mark) for mark in own.form]) for own in home.own] == [
        ("four", [("lower", "3rd"), ("upper", "1st")]),
        ("duel", [("win", "W"), ("loss", "L"), ("win", "W"), ("win", "W"), ("loss", "L")]),
    ]
    assert [card.board.mode.slug for card in home.cards] == ["other"]
    assert home.last is not None
    assert (home.last.word, home.last.result.match.mode.slug) == ("1st of 4", "four")


def test_the_change_since_yesterday_is_that_of_the_published_rating(
    client: Client, log_in: Callable[[str], Player]
) -> None:
    mode = make_mode("duel")
    yesterday = NOW - dt.timedelta(days=1)
    record(["me"], ["b"], ended_at=yesterday, now=yesterday)
    publish(mode, now=yesterday)
    log_in("me")
    before = home_of(client).own[0]
    assert (before.change and before.change.text) == "±0.00"
    record(["me"], ["b"], ended_at=NOW, now=NOW)
    publish(mode, now=NOW)
    after = home_of(client).own[0]
    assert after.change is not None
    assert float(after.rating) - float(before.rating) == pytest.approx(float(after.change.text), abs=0.011)


def test_news_of_friends_who_do_not_hide(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel")
    for number, key in enumerate(("friend", "shy", "stranger")):
        record([key], ["me"], ended_at=NOW + dt.timedelta(seconds=number))
    sweep(NOW)
    me = log_in("me")
    for key in ("friend", "shy"):
        follow_player(me, Player.objects.get(key=key), now=NOW)
    Player.objects.filter(key="shy").update(hides_from_friends=True)
    news = home_of(client).news
    assert {each.row.player.key for each in news} == {"friend"}
    assert "First win" in {each.name for each in news}


def test_of_a_friends_tiers_the_last_is_news(client: Client, log_in: Callable[[str], Player]) -> None:
    mode = make_mode("duel")
    record(["friend"], ["me"])
    me, friend = log_in("me"), Player.objects.get(key="friend")
    follow_player(me, friend, now=NOW)
    for colour in ("diamond", "master"):
        Achievement.objects.create(player=friend, mode=mode, feat=f"tier-{colour}", earned_at=NOW)
    assert [each.row.feat for each in home_of(client).news if each.kind.series == "tier"] == ["tier-master"]


@pytest.mark.parametrize("modes", [1, 4])
def test_queries_of_a_player(
    client: Client,
    log_in: Callable[[str], Player],
    django_assert_num_queries: DjangoAssertNumQueries,
    modes: int,
) -> None:
    for number in range(modes):
        mode = make_mode(f"mode-{number}")
        for match in range(3):
            record([f"a{match}"], ["me"], mode=mode.slug, ended_at=NOW + dt.timedelta(seconds=number))
        publish(mode, now=NOW)
    log_in("me")
    client.get("/")
    # session, account, player, header; modes, own, rivals (2), latest, own last, names, change, news
    with django_assert_num_queries(4 + 9):
        client.get("/")


def ended_seasons(*slugs: str, hours: int) -> None:
    """Modes whose first season ended so many hours ago, with a, b and c on its board."""
    for slug in slugs:
        began = NOW - dt.timedelta(hours=hours + 3)
        mode = make_mode(slug, now=began)
        for winner, loser in ("ab", "ac", "bc"):
            record([winner], [loser], mode=slug, ended_at=began, now=began)
        end(mode, at=NOW - dt.timedelta(hours=hours))


def champions_of(client: Client) -> dict[str, list[tuple[int, str, bool]]]:
    return {
        last.board.mode.slug: [(champion.rank, champion.name, champion.struck) for champion in last.champions]
        for last in home_of(client).last_seasons
    }


def test_the_champions_of_the_last_season_stay_for_a_week(client: Client) -> None:
    ended_seasons("old", hours=24 * 8)
    ended_seasons("new", hours=24 * 6)
    make_mode("running")
    assert champions_of(client) == {"new": [(1, "a", False), (2, "b", False), (3, "c", False)]}
    text = " ".join(client.get("/").content.decode().split())
    assert "Champions of New</h2>" in text
    assert 'Season 1</bdi> · <a href="/boards/new/?season=1">' in text
    assert '<a href="/players/a/seasons/new/1/" translate="no">a</a>' in text


def test_a_champion_who_is_hidden_has_no_name_and_one_who_is_struck_no_medal(client: Client) -> None:
    ended_seasons("duel", hours=1)
    Player.objects.filter(key="a").update(hidden_at=NOW)
    strike_ratings([Rating.objects.get(player__key="b").pk], by=None, reason="boosted", now=NOW)
    assert champions_of(client) == {"duel": [(1, "", False), (2, "b", True), (3, "c", False)]}
    text = client.get("/").content.decode()
    assert ("A hidden player" in text, "medal-2" in text, "medal-3" in text) == (True, False, True)


@pytest.mark.parametrize("slugs", [("one",), ("one", "two", "three")])
def test_queries_in_the_week_after_an_end(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, slugs: tuple[str, ...]
) -> None:
    ended_seasons(*slugs, hours=1)
    client.get("/")
    with django_assert_num_queries(4 + 2):  # nobody is on the new boards yet
        client.get("/")
