"""GET /api/v1/players/{id}/seasons/: where a player ended a mode's archived seasons, newest first."""

import datetime as dt

import pytest
import time_machine
from django.utils import timezone

from ranking.models import Mode, Player, Rating
from ranking.modes.changes import change_settings
from ranking.seasons.strikes import strike_ratings
from tests.support.api import get, make_key, walk
from tests.support.factories import LATER, make_mode, record
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)
ADDRESS = "players/a/seasons/?mode=duel"


@pytest.fixture
def began():
    return timezone.now() - 200 * HOUR


@pytest.fixture
def mode(_mode, db):
    """Season 1 of a, b and c, season 2 without a, season 3 of a and b; the fourth runs."""
    return Mode.objects.get(slug="duel")


@pytest.fixture(scope="module")
def _mode(module_db):
    with time_machine.travel(LATER, tick=False):
        make_three_seasons(timezone.now() - 200 * HOUR)


def make_three_seasons(began):
    mode = make_mode(system="team-ratio", now=began)
    for number, pairs in enumerate((("ab", "ac"), ("bc",), ("ba",))):
        at = began + (2 * number + 1) * HOUR
        for winner, loser in pairs:
            record([winner], [loser], ended_at=at, now=at)
        end(mode, at=at + HOUR)


def test_the_seasons_that_they_played_as_they_ended(mode, began):
    third, first = get(ADDRESS).body["items"]
    assert first == {
        "number": 1, "name": "Season 1", "starts_at": f"{began:%Y-%m-%dT%H:%M:%S}Z",
        "ends_at": f"{began + 2 * HOUR:%Y-%m-%dT%H:%M:%S}Z",
        "rank": 1, "rating": "1.10", "percentile": 100, "top_percent": 34,
        "tier": {"name": "Master", "division": None, "label": "Master"}, "listed": 3, "struck": False,
        "matches": 2, "wins": 2, "draws": 0, "losses": 0, "leaves": 0, "podiums": 0, "top_halves": 2, "place_sum": 2,
    }  # fmt: skip
    assert (third["number"], third["rank"], third["listed"]) == (3, 2, 2)


def test_it_says_what_the_boards_say(mode):
    for season in get(ADDRESS).body["items"]:
        rows = walk(f"boards/duel/?season={season['number']}")
        [row] = [row for row in rows if row["player"]["id"] == "a"]
        names = ("rank", "rating", "percentile", "top_percent", "tier", "matches", "struck")
        assert [season[name] for name in names] == [row[name] for name in names]


def test_who_wasnt_on_the_board_has_no_standing(mode):
    Rating.objects.filter(player__key="a", season__number=1).update(listed=False)
    first = get(ADDRESS).body["items"][1]
    assert {first[name] for name in ("rank", "rating", "percentile", "top_percent", "tier", "listed")} == {None}
    assert first["wins"] == 2


def test_a_mode_that_hid_ratings_tells_none_of_that_season(mode):
    change_settings(mode, now=timezone.now(), shows_rating=False)
    record(["a"], ["b"], ended_at=timezone.now() - HOUR, now=timezone.now() - HOUR)
    end(mode, at=timezone.now())
    assert [season["rating"] for season in get(ADDRESS).body["items"]] == [None, "1.00", "1.10"]


def test_who_is_struck_keeps_the_rank(mode):
    rating = Rating.objects.get(player__key="a", season__number=1)
    strike_ratings([rating.pk], by=None, reason="Bought.", now=timezone.now())
    assert [(season["rank"], season["struck"]) for season in get(ADDRESS).body["items"]] == [(2, False), (1, True)]


def test_a_hidden_player_is_missing_but_for_who_sees_everything(mode):
    Player.objects.filter(key="a").update(hidden_at=timezone.now())
    assert (get(ADDRESS).status, get(ADDRESS).body["detail"]) == (404, "'a' is hidden.")
    assert len(get(ADDRESS, key=make_key("ratings:hidden")).body["items"]) == 2


def test_what_is_refused(mode):
    statuses = {
        "players/nobody/seasons/?mode=duel": 404, "players/a/seasons/?mode=chess": 404, "players/a/seasons/": 400,
        "players/a/seasons/?mode=duel&before=x": 400,
    }  # fmt: skip
    assert {address: get(address).status for address in statuses} == statuses


def test_pages_of_fifty_at_the_same_cost(django_assert_num_queries, mode, began):
    long, address = make_mode("long", now=began), "players/a/seasons/?mode=long"
    for number in range(51):
        at = began + number * HOUR
        record(["a"], ["b"], mode="long", ended_at=at + HOUR / 4, now=at + HOUR / 4)
        end(long, at=at + HOUR / 2)
        if number in (0, 50):
            get(address)
            with django_assert_num_queries(3):
                get(address)
    page = get(address).body
    assert (len(page["items"]), page["next"].partition("?")[2]) == (50, "mode=long&before=2")
    assert [season["number"] for season in walk(address)] == [*range(51, 0, -1)]
