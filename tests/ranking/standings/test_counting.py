"""The rank tables of a publication: moved from those before, or counted, they are the same."""

import datetime as dt

import pytest

from ranking.models import Player, Rating, Snapshot
from ranking.standings import publishing
from ranking.standings.counting import count_tables, newest_tables
from ranking.standings.publishing import publish
from tests.support.factories import NOW, hide_player, make_mode, record

pytestmark = pytest.mark.django_db
MINUTE = dt.timedelta(minutes=1)


@pytest.fixture
def mode():
    mode = make_mode()
    for number, region in enumerate(("asia", "eu", "")):
        record([f"a{number}"], [f"b{number}"], region=region)
    publish(mode, now=NOW)
    return mode


def tables(mode):
    return newest_tables(mode.seasons.get())


def counted(mode):
    return count_tables(mode.seasons.get())


def test_a_publication_moves_the_players_who_changed(mode, monkeypatch):
    before = tables(mode)
    monkeypatch.setattr(publishing, "count_tables", None)
    record(["b0"], ["a1"], now=NOW + MINUTE)
    record(["new"], ["a2"], region="new", now=NOW + MINUTE)
    hide_player(Player.objects.get(key="b1"), now=NOW + MINUTE)
    Rating.objects.filter(player__key="b0").update(chosen_region="eu", region_chosen_at=NOW)
    publish(mode, now=NOW + MINUTE)
    assert tables(mode) == counted(mode) != before
    assert {region: len(table) for region, table in tables(mode).items()} == {"": 6, "asia": 1, "eu": 2, "new": 1}


def test_the_board_of_a_region_that_everybody_left_goes(mode):
    for key in ("a1", "b1"):
        hide_player(Player.objects.get(key=key), now=NOW)
    publish(mode, now=NOW + MINUTE)
    assert list(tables(mode)) == ["", "asia"]


@pytest.mark.parametrize(
    ("at", "count_all", "most", "right"),
    [(31, False, 9, True), (29, False, 9, False), (29, True, 9, True), (29, False, 1, True)],
)
def test_all_are_counted_once_an_hour_if_asked_for_and_if_many_changed(mode, monkeypatch, at, count_all, most, right):
    Rating.objects.filter(player__key="a0").update(published_hundredths=1)  # as if somebody had written it by hand
    record(["a1"], ["a2"])
    monkeypatch.setattr(publishing, "MOST_CHANGED", most)
    publish(mode, now=NOW + at * MINUTE, count_all=count_all)
    assert (tables(mode) == counted(mode)) is right


def test_if_nobody_changed_the_tables_stay(mode):
    before = tables(mode)
    publish(mode, now=NOW + MINUTE)
    assert tables(mode) == before == counted(mode)


def test_tables_that_contradict_the_rows_are_counted_anew(mode):
    Rating.objects.filter(player__key="a0").update(published_hundredths=1, to_publish=True)
    publish(mode, now=NOW + MINUTE)
    assert tables(mode) == counted(mode)


def test_without_a_publication_there_are_no_tables():
    mode = make_mode()
    assert tables(mode) is None
    publish(mode, now=NOW)
    assert {region: len(table) for region, table in tables(mode).items()} == {"": 0}
    assert Snapshot.objects.count() == 1
