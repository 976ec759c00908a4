"""GET /api/v1/modes/{mode}/seasons/: a mode's seasons, newest first, with their champions."""

import datetime as dt

import pytest
from django.utils import timezone

from ranking.models import Player
from ranking.standings.publishing import publish
from tests.support.api import get, walk
from tests.support.factories import make_mode, record
from tests.support.seasons import bring_along, end

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def began():
    return timezone.now() - 10 * HOUR


@pytest.fixture
def mode(began):
    """Two seasons that are over, of a, b, c and d, and one that runs."""
    mode = make_mode(system="team-ratio", now=began)
    for winner, loser in ("ab", "ac", "ad", "bc"):
        record([winner], [loser], ended_at=began + HOUR, now=began + HOUR)
    end(mode, at=began + 2 * HOUR)
    end(mode, at=began + 4 * HOUR, next_name="The third")
    record(["c"], ["d"], ended_at=began + 5 * HOUR, now=began + 5 * HOUR)
    publish(mode, now=timezone.now())
    return mode


def test_seasons_newest_first(mode, began):
    running, empty, first = get("modes/duel/seasons/").body["items"]
    assert (running["number"], running["name"], running["state"], running["ends_at"]) == (
        3,
        "The third",
        "running",
        None,
    )
    assert (running["listed"], running["matches"], running["champions"]) == (2, 1, [])
    assert (empty["listed"], empty["matches"], empty["champions"]) == (0, 0, [])
    assert (first["state"], first["listed"], first["matches"]) == ("archived", 4, 4)
    assert first["starts_at"] == f"{began:%Y-%m-%dT%H:%M:%S}Z"
    assert first["champions"][0] == {"rank": 1, "player": "a", "name": "a", "rating": "1.15", "struck": False}
    assert [champion["rank"] for champion in first["champions"]][:2] == [1, 2]


def test_a_hidden_champion_has_no_name(mode):
    Player.objects.filter(key="a").update(hidden_at=timezone.now())
    first = get("modes/duel/seasons/").body["items"][-1]
    assert first["champions"][0] == {
        "rank": 1, "player": None, "name": None, "rating": "1.15", "struck": False,
    }  # fmt: skip


def test_ratings_are_numbers_that_programs_read(began):
    mode = make_mode(system="elo", now=began)
    bring_along(mode, "a,,1500\nb,,-1500\n", now=began, placed=True)
    end(mode, at=began + HOUR)
    [_, first] = get("modes/duel/seasons/").body["items"]
    assert [champion["rating"] for champion in first["champions"]] == ["1500.00", "-1500.00"]


def test_pages_of_twenty(began):
    mode = make_mode(now=began)
    for minute in range(1, 22):
        end(mode, at=began + dt.timedelta(minutes=minute))
    assert [season["number"] for season in walk("modes/duel/seasons/")] == [*range(22, 0, -1)]
    assert len(get("modes/duel/seasons/").body["items"]) == 20
    assert [season["number"] for season in get("modes/duel/seasons/?before=3").body["items"]] == [2, 1]


def test_what_is_refused(mode):
    make_mode("casual", ranked=False)
    assert get("modes/duel/seasons/?before=x").status == 400
    assert get("modes/nonsense/seasons/").body["detail"] == "There is no mode 'nonsense'. The modes are casual, duel."
    assert get("modes/casual/seasons/").body["detail"] == "casual is unranked: it has no board."
