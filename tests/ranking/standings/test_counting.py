"""The rank tables of a publication: moved from those before, or counted, they are the same."""

import datetime as dt
import random

import pytest

from ranking.models import Player, Rating, Snapshot
from ranking.standings import publishing
from ranking.standings.counting import count_tables, newest_tables
from ranking.standings.publishing import publish
from tests.support.factories import NOW, hide_player, make_mode, record, show_player

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


@pytest.mark.parametrize("seed", range(5))
def test_tables_moved_through_any_history_are_those_of_the_rows(seed, monkeypatch):
    """Results, regions, hidden and banned players, inactivity; a publication that counts all is one of many."""
    mode, rng, now = make_mode(placement_matches=2), random.Random(seed), NOW
    publish(mode, now=now)
    keys = [f"p{number}" for number in range(12)]
    counts = []
    monkeypatch.setattr(publishing, "_is_first_in_hour", lambda *_: counts.append(rng.random() < 0.2) or counts[-1])
    for _ in range(40):
        now += rng.choice((MINUTE, 10 * MINUTE, dt.timedelta(days=9)))
        for _ in range(rng.randrange(3)):
            winner, loser = rng.sample(keys, 2)
            record([winner], [loser], region=rng.choice(("", "asia", "eu")), now=now, ended_at=now)
        player = Player.objects.filter(key=rng.choice(keys)).first()
        if player is not None and rng.random() < 0.5:
            act = rng.choice((hide_player, show_player, choose_region))
            act(player, now=now)
        if rng.random() < 0.7:
            publish(mode, now=now)
            assert tables(mode) == counted(mode)
    assert {True, False} <= set(counts)


def choose_region(player, *, now):
    Rating.objects.filter(player=player).update(
        chosen_region=f"{now.minute % 3}", region_chosen_at=now, to_publish=True
    )


def test_an_hourly_count_is_over_before_a_row_is_locked(mode):
    """Results that want a row which changed don't wait for it."""
    record(["b0"], ["a1"], now=NOW + MINUTE)
    done = []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("count_tables", "_publish_changed"):
            patch.setattr(publishing, name, noted(done, getattr(publishing, name)))
        publish(mode, now=NOW + 31 * MINUTE)
    assert done == ["count_tables", "_publish_changed"]


def noted(done, function):
    return lambda *given, **named: done.append(function.__name__) or function(*given, **named)


def test_contradictions_are_logged(mode, caplog):
    publish(mode, now=NOW + MINUTE, count_all=True)
    assert caplog.text == ""
    Rating.objects.filter(player__key="a0").update(published_hundredths=1)  # as if somebody had written it by hand
    publish(mode, now=NOW + MINUTE, count_all=True)
    assert "contradict its ratings" in caplog.text
    assert tables(mode) == counted(mode)


def test_a_damaged_table_is_counted_anew(mode):
    publish(mode, now=NOW + 10 * MINUTE)
    Snapshot.objects.update(table=b"damaged")
    publish(mode, now=NOW + 11 * MINUTE, count_all=True)
    assert tables(mode) == counted(mode)


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
