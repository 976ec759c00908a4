"""With and against whom somebody plays, and on which days; and what of that is seen where they hide it."""

import datetime as dt

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.profiles import _activity as activity
from leaderboards.profiles import companions
from leaderboards.profiles.companions import Companion
from leaderboards.profiles.profiles import Past
from ranking.models import Mode, Player
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.page_tree import read_page

pytestmark = pytest.mark.django_db


def past_of(client: Client, key: str = "me") -> Past:
    past = client.get(f"/players/{key}/").context["profile"].past
    assert past is not None
    return past


def told(met: list[Companion]) -> list[tuple[str, int, int, int]]:
    return [(companion.player.key, companion.wins, companion.draws, companion.losses) for companion in met]


def test_team_mates_and_opponents_by_how_often(client: Client) -> None:
    make_mode("duel")
    record(["me", "mate"], ["x", "y"])
    record(["me", "mate"], ["x", "z"], places=[1, 1])
    record(["x", "mate"], ["me", "y"])
    record([PlayerReport(id="me", left_early=True)], ["x"])
    record(["x"], ["y"])
    company = past_of(client).companions
    assert told(company.mates) == [("mate", 1, 1, 0), ("y", 0, 0, 1)]
    assert told(company.opponents) == [("x", 1, 1, 2), ("mate", 0, 0, 1), ("y", 1, 0, 0), ("z", 0, 1, 0)]
    assert company.limit is None


def test_best_and_hardest_after_three_meetings(client: Client) -> None:
    make_mode("duel", team_size_max=1)
    for opponent, results in {"rare": "ll", "even": "wl" * 2, "easy": "wwwl", "easier": "www", "hard": "lld"}.items():
        for result in results:
            record(["me"], [opponent], places={"w": [1, 2], "l": [2, 1], "d": [1, 1]}[result])
    company = past_of(client).companions
    assert told(company.best) == [("easier", 3, 0, 0), ("easy", 3, 0, 1)]
    assert told(company.worst) == [("hard", 0, 1, 2)]


def test_at_most_five_and_three(client: Client) -> None:
    make_mode("duel", team_size_max=1)
    for number in range(7):
        for _ in range(3):
            record(["me"], [f"rival-{number}"], places=[1, 2])
    company = past_of(client).companions
    assert (len(company.opponents), len(company.best), company.worst) == (5, 3, [])


def test_with_more_than_two_teams_it_counts_who_came_ahead(client: Client) -> None:
    make_mode("duel", team_count=4, team_size_max=1)
    for places in ([2, 1, 3, 4], [2, 1, 2, 4], [3, 1, 4, 2]):
        record(["me"], ["x"], ["y"], ["z"], places=places)
    record([PlayerReport(id="me", left_early=True)], ["x"], ["y"], [PlayerReport(id="z", left_early=True)])
    company = past_of(client).companions
    assert (company.mates, told(company.opponents)) == ([], [("x", 0, 0, 4), ("y", 2, 1, 1), ("z", 2, 1, 1)])
    assert (told(company.best), told(company.worst)) == ([("y", 2, 1, 1), ("z", 2, 1, 1)], [("x", 0, 0, 4)])
    page = client.get("/players/me/").content.decode()
    assert ("ahead–even–behind" in page, "won–drawn–lost" in page) == (True, False)


def test_who_left_came_behind_everybody_who_stayed(client: Client) -> None:
    make_mode("duel", team_count=3, team_size_max=2)
    record(["me", "mate"], [PlayerReport(id="x", left_early=True), "y"], ["z", "w"], places=[2, 1, 3])
    company = past_of(client).companions
    assert told(company.mates) == [("mate", 0, 0, 1)]  # 2nd of three isn't in the top half
    assert sorted(told(company.opponents)) == [("w", 1, 0, 0), ("x", 1, 0, 0), ("y", 0, 0, 1), ("z", 1, 0, 0)]


def test_with_team_mates_it_counts_top_halves(client: Client) -> None:
    make_mode("duel", team_count=4, team_size_max=2)
    for places in ([2, 1, 3, 4], [3, 1, 2, 4], [1, 1, 3, 4]):
        record(["me", "mate"], ["a", "b"], ["c", "d"], ["e", "f"], places=places)
    assert told(past_of(client).companions.mates) == [("mate", 2, 0, 1)]
    assert "2 top half" in read_page(client.get("/players/me/").text).text


def test_only_the_newest_matches_and_it_says_so(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(companions, "MATCHES", 2)
    monkeypatch.setattr(companions, "_met", companions._met.__wrapped__)  # it is prepared with the number
    monkeypatch.setattr(activity, "MATCHES", 2)
    make_mode("duel")
    for opponent in ("old", "x", "y"):
        record(["me"], [opponent])
    past = past_of(client)
    assert (told(past.companions.opponents), past.companions.limit) == ([("x", 1, 0, 0), ("y", 1, 0, 0)], 2)
    assert (past.activity.map.total, past.activity.limit) == (2, 2)
    page = client.get("/players/me/").text
    assert ("last 2 matches" in page, "newest 2" in page) == (True, True)


@pytest.mark.parametrize(
    ("time_zone", "days"),
    [("UTC", [(19, 1), (20, 1)]), ("Asia/Tokyo", [(20, 2)]), ("America/Los_Angeles", [(19, 2)])],
)
def test_days_are_those_of_the_modes_time_zone(client: Client, time_zone: str, days: list[tuple[int, int]]) -> None:
    make_mode("duel", time_zone=time_zone)
    for hour in (20, 28):
        moment = dt.datetime(2026, 5, 19, tzinfo=dt.UTC) + dt.timedelta(hours=hour)
        record(["me"], ["x"], ended_at=moment, now=moment)
    record(["me"], ["x"], ended_at=NOW - dt.timedelta(days=190))
    drawn = past_of(client).activity.map
    assert [(cell.day.day, cell.count) for cell in drawn.cells] == days


@pytest.mark.parametrize("matches", [1, 3])
@pytest.mark.parametrize("ranked", [True, False])
def test_queries(client: Client, django_assert_num_queries: DjangoAssertNumQueries, matches: int, ranked: bool) -> None:
    mode = make_mode("duel", ranked=ranked)
    for number in range(matches):
        record(["me", f"mate-{number}"], [f"x-{number}", "y"])
    publish(mode, now=NOW)
    client.get("/players/me/")
    # Player, header, ratings, points, steps and parts, voided, who else played, statistics, company twice, activity,
    # earned, seasons played, their shares; and what is to earn.
    with django_assert_num_queries(16 if ranked else 15):
        client.get("/players/me/")


HISTORY = ("Form", "Activity", "With and against", "Recent matches", "Progress")


@pytest.fixture
def secretive() -> Mode:
    mode = make_mode("duel")
    for _ in range(3):
        record(["me"], ["x"])
    publish(mode, now=NOW)
    Player.objects.filter(key="me").update(hides_matches=True)
    return mode


@pytest.mark.usefixtures("secretive")
def test_who_sees_a_hidden_history() -> None:
    viewers = {who: Client() for who in ("nobody", "x", "me", "moderator", "clerk")}
    for who in ("x", "me", "moderator", "clerk"):
        user = User.objects.create_user(who, is_staff=who in ("moderator", "clerk"))
        if who == "moderator":
            user.user_permissions.add(Permission.objects.get(codename="change_player"))
        Player.objects.filter(key=who).update(user=user)
        viewers[who].force_login(user)
    seen = {}
    for who, client in viewers.items():
        part = client.get("/players/me/matches/?before=999999999", HTTP_HX_REQUEST="true").content.decode()
        for query in ("", "?stretch=7"):
            page = client.get(f"/players/me/{query}").content.decode()
            assert "#1" in page
            words = {word in page for word in HISTORY} | {"keeps matches and history to themselves" not in page}
            seen[who, query] = words, 'class="line' in part
    assert seen == {(who, query): ({who in ("me", "moderator")}, who in ("me", "moderator")) for who, query in seen}


def test_a_hidden_history_has_no_line_on_the_board(client: Client, secretive: Mode) -> None:
    for number in range(4):
        record(["me"], [f"z{number}"])
        record([f"z{number}"], ["x"])
    publish(secretive, now=NOW)
    rows = client.get("/boards/duel/").context["page"].shown
    assert {row.player.key: row.spark is None for row in rows}.pop("me")
    assert any(row.spark for row in rows)


@pytest.mark.parametrize(
    ("who", "seen"),
    [
        ("", ["open"]),
        ("open", ["open"]),
        ("shy", ["open", "shy"]),
        ("me", ["open", "shy"]),
        ("moderator", ["open", "shy"]),
    ],
)
def test_who_hides_their_matches_is_no_companion_on_others_pages(client: Client, who: str, seen: list[str]) -> None:
    make_mode("duel")
    record(["me"], ["shy", "open"])
    Player.objects.filter(key="shy").update(hides_matches=True)
    if who:
        user = User.objects.create_user(who, is_staff=who == "moderator")
        user.user_permissions.set(Permission.objects.filter(codename="view_player") if who == "moderator" else [])
        Player.objects.filter(key=who).update(user=user)
        client.force_login(user)
    assert sorted(companion.player.key for companion in past_of(client).companions.opponents) == seen
