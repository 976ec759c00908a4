"""Rows as NumPy columns: what is written is read again, NULLs and all."""

import numpy as np
import pytest

from ranking.database.arrays import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    NO_TIMESTAMP,
    TIMESTAMP,
    read_columns,
    read_columns_by,
    write_columns,
)
from ranking.database.bulk_writes import values_of
from ranking.database.microseconds import microseconds_of
from ranking.models import Change, Event, Match, Participation, Player, Rating
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def test_what_is_null_is_told():
    make_mode()
    record(["a"], ["b"], ended_at=NOW)
    Rating.objects.filter(player__key="b").update(mu=None, last_match_at=None)
    found = read_columns(Rating.objects.all(), player_id=INTEGER, mu=FLOAT, listed=BOOLEAN, last_match_at=TIMESTAMP)
    order = np.argsort(found["player_id"])
    a, b = Player.objects.order_by("pk").values_list("pk", flat=True)
    assert found["player_id"][order].tolist() == [a, b]
    assert np.isnan(found["mu"][order]).tolist() == [False, True]
    assert found["mu"][order][0] == Rating.objects.get(player=a).mu
    assert (found["listed"].dtype, found["listed"].tolist()) == (np.dtype(bool), [False, False])
    assert found["last_match_at"][order].tolist() == [microseconds_of(NOW), NO_TIMESTAMP]


def test_columns_are_read_by_a_text():
    make_mode()
    for winner, region in (("a", "Zürich"), ("b", ""), ("c", "Zürich")):
        record([winner], [f"not {winner}"], region=region)
    Rating.objects.filter(player__key="c").update(mu=None)
    found = read_columns_by(Rating.objects.all(), "region", id=INTEGER, mu=FLOAT)
    for region, columns in found.items():
        own = Rating.objects.filter(region=region).order_by("pk").values_list("pk", "mu")
        order = np.argsort(columns["id"])
        expected = [(pk, "none" if mu is None else mu) for pk, mu in own]
        mus = ["none" if np.isnan(mu) else mu for mu in columns["mu"][order].tolist()]
        assert list(zip(columns["id"][order].tolist(), mus, strict=True)) == expected
    assert sorted(found) == ["", "Zürich"]
    for nobody in (Rating.objects.filter(region="nowhere"), Rating.objects.filter(pk__in=[])):
        assert read_columns_by(nobody, "region", id=INTEGER) == {}


@pytest.mark.parametrize("rows", [Match.objects.all(), Match.objects.filter(pk__in=[])])
def test_of_no_rows_there_are_columns_too(rows):
    found = read_columns(rows, id=INTEGER, duration=FLOAT, ended_at=TIMESTAMP)
    assert [(name, len(column), column.dtype) for name, column in found.items()] == [
        ("id", 0, np.dtype(np.int64)), ("duration", 0, np.dtype(np.float64)), ("ended_at", 0, np.dtype(np.int64))
    ]  # fmt: skip


def test_rows_of_different_shapes_are_written_and_read():
    """Of a forfeit there is no outcome and no match; what a system does without is NULL."""
    mode = make_mode()
    record(["a"], ["b"], ended_at=NOW)
    first = Change.objects.order_by("pk").first()
    players = [part.player_id for part in Participation.objects.order_by("team")]
    event = Event.objects.create(mode=mode, kind=Event.MATCH, happened_at=NOW)
    write_columns(
        Change,
        {
            "kind": "match", "event_id": event.pk, "match_id": first.match_id, "player_id": np.array(players),
            "mode_id": mode.pk, "season_id": first.season_id, "generation": 7, "parameters_id": first.parameters_id,
            "outcome": np.array(["win", "left"]), "win_probability": np.array([0.1 + 0.2, np.nan]),
            "display_before": np.array([2**53 + 1, -1]), "display_after": 0,
            "mu_before": np.array([np.nan, 1e-300]), "mu_after": np.nan,
        },
    )  # fmt: skip
    written = Change.objects.filter(generation=7).order_by("player")
    values = ("player", "outcome", "win_probability", "display_before", "mu_before", "mu_after", "sigma_after")
    assert list(written.values_list(*values)) == [
        (players[0], "win", 0.1 + 0.2, 2**53 + 1, None, None, None),
        (players[1], "left", None, -1, 1e-300, None, None),
    ]


def test_one_value_of_any_kind_may_stand_for_all_rows():
    mode = make_mode()
    record(["a"], ["b"], ended_at=NOW)
    players = Player.objects.bulk_create([Player(key=key, name=key, created_at=NOW) for key in "cd"])
    one = Rating(mode=mode, season=mode.seasons.get(), reached_at=NOW, region="Süd", placed_at=None, listed=False)
    one.recent_completions, one.carried, one.mu = [1.5], True, 0.1 + 0.2
    ids, displays = np.array([player.pk for player in players]), np.array([2**53 + 1, -1])
    columns = {"player_id": ids, "display_hundredths": displays, "to_publish": np.array([True, False])}
    write_columns(Rating, {**values_of(one), **columns})
    values = ("region", "placed_at", "recent_completions", "carried", "mu", "reached_at", "published_on")
    same = ("Süd", None, [1.5], True, 0.1 + 0.2, NOW, None)
    written = Rating.objects.filter(player__in=players).order_by("player")
    assert list(written.values_list("player", "display_hundredths", "to_publish", *values)) == [
        (players[0].pk, 2**53 + 1, True, *same), (players[1].pk, -1, False, *same)
    ]  # fmt: skip


def test_nothing_is_written_of_no_rows():
    write_columns(Change, {"event_id": np.zeros(0, np.int64), "kind": "match"})
    assert not Change.objects.exists()
