"""A player's achievements in a mode on a page of their own."""

import datetime as dt

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.achievements.counting import count_achievements
from leaderboards.achievements.reading import read_events, read_mode
from leaderboards.profiles.achievement_page import AchievementPage
from ranking.models import Mode, Player
from tests.support.factories import LATER, NOW, make_mode, record
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


@pytest.fixture
def mode() -> Mode:
    """`me` won three times, lost once, and won twice since."""
    mode = make_mode(placement_matches=4, now=NOW - 30 * DAY)
    for day, winner in enumerate(("me", "me", "me", "you", "me", "me")):
        at = NOW - (20 - day) * DAY
        record([winner], ["you" if winner == "me" else "me"], ended_at=at, now=at)
    read_mode(mode, NOW)
    return mode


def page_of(client: Client, key: str = "me") -> AchievementPage:
    page: AchievementPage = client.get(f"/players/{key}/achievements/").context["achievements"]
    return page


def test_all_that_is_earned_stands_with_its_day_the_newest_first(client: Client, mode: Mode) -> None:
    found = page_of(client)
    assert [(each.kind.key, (NOW - each.row.earned_at).days) for each in found.earned] == [
        ("placed", 17), ("streak-3", 18), ("first-win", 20),
    ]  # fmt: skip
    assert (found.done, found.total) == (3, 3 + len(found.locked))


def test_what_is_to_be_earned_stands_with_how_far_it_is_the_nearest_first(client: Client, mode: Mode) -> None:
    counted = [(each.kind.key, each.done, each.needed) for each in page_of(client).locked if each.needed]
    assert counted == [("streak-5", 2, 5), ("streak-10", 2, 10), ("steady", 6, 100), ("comeback", 0, 5)]
    keys = {each.kind.key for each in page_of(client).locked}
    assert {"season-champion", "season-podium", "every-season", "tier-master", "season-tier-gold"} <= keys


def test_seasons_grant_each_time_and_only_better_tiers_are_left(client: Client, mode: Mode) -> None:
    Mode.objects.update(tier_least_listed=1)
    for number in range(2):
        season = end(Mode.objects.get(), at=NOW - (10 - number) * DAY)
        read_events([season.event_id], LATER)
        at = season.ends_at + dt.timedelta(hours=1)
        for _ in range(4):
            record(["me"], ["you"], ended_at=at, now=at)
    found = page_of(client)
    champion = [each.row.occasion for each in found.earned if each.kind.key == "season-champion"]
    assert champion == ["2", "1"]
    ended = {each.kind.key for each in found.earned if each.kind.series == "season-tier"}
    assert ended & {each.kind.key for each in found.locked} == set()
    assert len({each.kind.key for each in found.earned}) == found.done


def test_modes_have_tabs_and_unknown_ones_no_page(client: Client, mode: Mode) -> None:
    make_mode("fun", ranked=False)
    record(["me"], ["you"], mode="fun", now=NOW)
    make_mode("teams", now=NOW)
    record(["me"], ["you"], mode="teams", now=NOW)
    assert [each.slug for each in page_of(client).modes] == ["duel", "teams"]
    statuses = [
        client.get(f"/players/{address}").status_code
        for address in ("me/achievements/?mode=fun", "me/achievements/?mode=x", "nobody/achievements/")
    ]
    assert statuses == [404, 404, 404]


def test_the_players_pages_lead_to_each_other(client: Client, mode: Mode) -> None:
    pages = {name: f"/players/me/{name}?mode=duel" for name in ("", "matches/", "career/", "achievements/")}
    for name, address in pages.items():
        text = client.get(address).text
        assert [f'href="{there}"' in text for there in pages.values()] == [True] * 4, name


@pytest.mark.parametrize("players", [1, 3])
def test_queries_are_few(
    client: Client, mode: Mode, django_assert_num_queries: DjangoAssertNumQueries, players: int
) -> None:
    for number in range(players):
        record([f"p{number}"], ["me"], now=NOW)
    read_mode(mode, NOW)
    count_achievements()
    with django_assert_num_queries(8):
        found = page_of(client)
    assert found.shares["first-win"].endswith("%")
    assert Player.objects.count() == 2 + players
