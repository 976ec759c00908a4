"""How many matches a season had: stored with the archive, counted on in the running season."""

import datetime as dt

import pytest
from time_machine import travel

from ranking.models import Event, Match, Mode, Season
from ranking.moderation.voids import void
from ranking.seasons.match_counts import count_matches
from tests.support.factories import NOW, make_mode, record
from tests.support.seasons import end, season_of

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)


@pytest.fixture(scope="module", autouse=True)
def _mode(module_db):
    with travel(NOW + 9 * HOUR, tick=False):
        mode = make_mode()
        make_mode("other")
        play(3, 1)
        record(["a"], ["b"], mode="other")
        end(mode, at=NOW + 2 * HOUR)
        play(2, 3)


@pytest.fixture
def mode(db, time_machine):
    time_machine.move_to(NOW + 9 * HOUR, tick=False)
    return Mode.objects.get(slug="duel")


def play(number: int, hour: int) -> None:
    for _ in range(number):
        record(["a"], ["b"], ended_at=NOW + hour * HOUR, now=NOW + hour * HOUR)


def test_an_archived_season_has_its_number_stored(mode, django_assert_num_queries):
    season = Season.objects.select_related("mode").get(mode=mode, number=1)
    with django_assert_num_queries(0):
        assert count_matches(season) == 3
    matches = list(Match.objects.filter(season=season))
    assert len(matches) == 3
    void(matches[:1], by=None, reason="Cheated.", now=NOW + 9 * HOUR)
    season.refresh_from_db()
    assert count_matches(season) == 3


@pytest.mark.parametrize("unsettled", [0, 1, 2, 100])
def test_the_running_season_is_counted_on(mode, unsettled, django_assert_num_queries):
    season = season_of(mode)
    assert count_matches(season, unsettled=unsettled) == 2
    play(2, 4)
    assert count_matches(season, unsettled=unsettled) == 4
    with django_assert_num_queries(3):
        assert count_matches(season, unsettled=100) == 4


def test_what_was_counted_isnt_counted_again(mode):
    season = season_of(mode)
    assert count_matches(season, unsettled=0) == 2
    Event.objects.filter(match__season=season).update(kind=Event.FORFEIT)
    assert count_matches(season, unsettled=0) == 2
