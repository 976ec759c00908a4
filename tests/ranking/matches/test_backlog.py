"""Rating what was recorded only: in batches, in order."""

import datetime as dt

import pytest
from django.db import connection

from ranking.matches import backlog
from ranking.matches.backlog import rate_recorded
from ranking.models import Match, Mode, Participation, Season
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
END = NOW + dt.timedelta(minutes=1)


@pytest.fixture(scope="module", autouse=True)
def _mode(module_db):
    """A mode with a board, whose results wait from now on."""
    mode = make_mode()
    record(["a"], ["b"])
    publish(mode, now=NOW)
    Season.objects.update(ends_at=END)


@pytest.fixture
def mode(db):
    return Mode.objects.get()


def wait(*pairs):
    """Record results that wait, and let them wait for nothing any more."""
    for number, (winner, loser) in enumerate(pairs):
        recorded = record([winner], [loser], id=f"{winner}{loser}-{number}", ended_at=END, now=END)
        assert recorded.state == "recorded"
    Season.objects.update(ends_at=None)


def test_a_batch_is_of_so_many_seats(mode, monkeypatch):
    monkeypatch.setattr(backlog, "FEW", 1)
    monkeypatch.setattr(backlog, "SEATS", 2 * 2 * 6)  # two matches of two teams of six at most
    wait("ab", "ba", "cd", "ca", "ad")
    assert [rate_recorded(mode, now=END) for _ in range(4)] == [2, 2, 1, 0]
    rated = Match.objects.order_by("event").values_list("external_id", flat=True)
    assert list(rated)[1:] == ["ab-0", "ba-1", "cd-2", "ca-3", "ad-4"]


@pytest.mark.parametrize("pairs", [["cd"], ["cd", "ef", "ca", "gh"]])
def test_a_batch_takes_as_many_queries_however_many_wait(mode, pairs, django_assert_num_queries):
    wait(*pairs)
    queries = 21 if connection.vendor == "postgresql" else 20  # one shares the mode
    with django_assert_num_queries(queries):
        assert rate_recorded(mode, now=END) == len(pairs)


def test_the_standings_are_written_of_those_who_stand_on_the_board(mode):
    wait("ac")
    rate_recorded(mode, now=END)
    parts = Participation.objects.filter(match__external_id="ac-0").order_by("team")
    assert list(parts.values_list("rank_before", "rank_after", "display_before")) == [(1, 1, 2526), (None, 2, None)]
