"""Many rows in one statement, on both databases."""

import pytest
from django.forms.models import model_to_dict

from ranking.database.bulk_writes import (
    changed_row,
    insert_copies,
    insert_numbered,
    insert_rows,
    new_row,
    update_rows,
)
from ranking.models import Change, Event, Mode, OutboxEntry, Player, Rating
from tests.support.factories import NOW, make_mode, record


@pytest.mark.django_db
def test_rows_learn_their_ids_in_order():
    given = [Player(key=key, name=key, search_name=key, created_at=NOW) for key in "bca"]
    players = insert_numbered(given)
    assert [player.pk for player in given] == [None] * 3
    assert [player.pk for player in players] == sorted(player.pk for player in players)
    assert dict(Player.objects.values_list("pk", "key")) == {player.pk: player.key for player in players}
    assert insert_numbered([]) == []
    insert_rows([])


@pytest.mark.parametrize(
    ("model", "values"),
    [
        (Change, {"kind": "reset", "event_id": 1, "mu_after": 0.5}),
        (Event, {"mode_id": 3, "kind": "match", "happened_at": NOW}),
        (OutboxEntry, {"consumer": "webhooks", "event_id": 1, "due_at": NOW}),
        (Rating, {"player_id": 1, "mode_id": 3, "season_id": 3, "reached_at": NOW, "recent_completions": []}),
    ],
)
def test_a_new_row_is_as_its_model_makes_it(model, values):
    row, other = new_row(model, **values), model(**values)
    states = [vars(each).pop("_state") for each in (row, other)]
    assert vars(row) == vars(other)
    assert [(state.adding, state.db) for state in states] == [(True, None)] * 2


def test_a_new_row_knows_what_it_refers_to():
    mode = Mode(slug="duel")
    assert new_row(Event, {"mode": mode}, mode_id=3).mode is mode
    assert "mode" not in new_row(Event, mode_id=3)._state.fields_cache


@pytest.mark.django_db
def test_a_changed_row_is_a_copy_that_knows_what_the_row_knows():
    mode = make_mode()
    row = Event.objects.create(mode=mode, kind=Event.MATCH, happened_at=NOW)
    changed = changed_row(row, kind=Event.RESET)
    assert (row.kind, changed.kind, changed.pk, changed.mode) == (Event.MATCH, Event.RESET, row.pk, mode)
    assert (changed._state.adding, changed._state.db) == (False, "default")
    changed.mode = Mode(pk=mode.pk + 1)
    assert (row.mode_id, row.mode) == (mode.pk, mode)


@pytest.mark.django_db
def test_rows_that_are_there_already_are_left_out():
    named = {"name": "x", "search_name": "x", "created_at": NOW}
    Player.objects.create(key="b", **{**named, "name": "kept"})
    insert_rows([Player(key=key, **named) for key in "abc"], ignore_conflicts=True)
    assert dict(Player.objects.values_list("key", "name")) == {"a": "x", "b": "kept", "c": "x"}


@pytest.mark.django_db
def test_an_update_writes_these_attributes_of_these_rows():
    make_mode("duel")
    record(["a"], ["b"])
    before = {rating.pk: rating for rating in Rating.objects.all()}
    one, other = Rating.objects.order_by("pk")
    one.mu, one.wins, one.recent_completions, one.last_match_at, one.region = 0.1 + 0.2, 7, [1.5], None, "not written"
    update_rows([one], ["mu", "wins", "recent_completions", "last_match_at"])
    update_rows([], ["mu"])
    found = Rating.objects.get(pk=one.pk)
    assert (found.mu, found.wins, found.recent_completions, found.last_match_at, found.region) == (
        0.1 + 0.2, 7, [1.5], None, before[one.pk].region,
    )  # fmt: skip
    assert model_to_dict(Rating.objects.get(pk=other.pk)) == model_to_dict(before[other.pk])


@pytest.mark.django_db
def test_copies_of_a_row_get_ids_of_their_own_in_order():
    mode = make_mode()
    ids = insert_copies(Event(mode_id=mode.pk, kind=Event.SEED, happened_at=NOW), 3)
    seeds = Event.objects.filter(kind=Event.SEED).order_by("pk")
    assert list(seeds.values_list("pk", "mode", "kind", "happened_at")) == [(pk, mode.pk, "seed", NOW) for pk in ids]
    assert (len(ids), ids) == (3, sorted(ids))
