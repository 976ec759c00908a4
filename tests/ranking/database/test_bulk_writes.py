"""Many rows in one statement, on both databases."""

import pytest
from django.forms.models import model_to_dict

from ranking.database.bulk_writes import insert_rows, update_rows
from ranking.models import Player, Rating
from tests.support.factories import NOW, make_mode, record


@pytest.mark.django_db
def test_rows_learn_their_ids_in_order():
    players = [Player(key=key, name=key, search_name=key, created_at=NOW) for key in "bca"]
    insert_rows(players, returning=True)
    assert [player.pk for player in players] == sorted(player.pk for player in players)
    assert dict(Player.objects.values_list("pk", "key")) == {player.pk: player.key for player in players}
    insert_rows([])


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
