"""Queries made once give what the same query gives when it is made anew."""

from typing import Any

import pytest
from django.db.models import BigIntegerField, CharField, DateTimeField, F, QuerySet, Value

from ranking.database.keyset import RowCompared
from ranking.database.prepared_queries import InPlaceholder, Placeholder, prepare, prepare_models, prepare_update
from ranking.models import Mode, Rating
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
COLUMNS = ("player__key", "listed", "published_reached_at", "published_on", "recent_completions", "mode__named_tiers")


@pytest.fixture
def mode() -> Mode:
    made = make_mode("duel")
    record(["a"], ["b"], mode="duel")
    publish(made, now=NOW)
    return made


def rows(ratings: QuerySet[Rating, Any]) -> QuerySet[Any, Any]:
    return ratings.annotate(told=Value("x")).order_by("id").values_list(*COLUMNS, "told")


def test_every_kind_of_value_is_read_as_the_orm_reads_it(mode: Mode) -> None:
    prepared = prepare(rows(Rating.objects.filter(mode=Placeholder("mode", BigIntegerField()))))
    found = [tuple(row) for row in prepared.rows(mode=mode.pk)]
    assert found == list(rows(Rating.objects.filter(mode=mode)))
    assert len(found) == 2


def test_it_is_made_once_for_many_values(mode: Mode) -> None:
    prepared = prepare(Rating.objects.filter(mode=Placeholder("mode", BigIntegerField())).values_list("player__key"))
    assert [len(prepared.rows(mode=pk)) for pk in (mode.pk, mode.pk + 1)] == [2, 0]


def test_moments_can_be_given(mode: Mode) -> None:
    given = (Placeholder("moment", DateTimeField()), Placeholder("id", BigIntegerField()))
    earlier = RowCompared("<", ("published_reached_at", "id"), given)
    prepared = prepare(Rating.objects.filter(earlier).values_list("player__key").order_by("id"))
    first, second = Rating.objects.order_by("id")
    assert [tuple(row) for row in prepared.rows(moment=second.published_reached_at, id=second.pk)] == [
        (first.player.key,)
    ]


def test_objects_come_with_what_was_selected_along_and_annotated(mode: Mode) -> None:
    rows = Rating.objects.select_related("mode", "player__merged_into").annotate(twice=2 * F("wins")).order_by("id")
    among = rows.filter(InPlaceholder("player__key", "keys", CharField()))
    prepared = prepare_models(among)
    found, expected = prepared.objects(keys=["a", "b", "nobody"]), list(rows)
    assert found == expected
    assert [prepared.first(keys=keys) for keys in (["b", "a"], ["nobody"])] == [expected[0], None]
    for rating, same in zip(found, expected, strict=True):
        assert {**vars(rating), "_state": None} == {**vars(same), "_state": None}
        assert (rating.player.name, rating.player.owner, rating.mode.slug) == (same.player.name, same.player, "duel")
        assert not rating._state.adding


@pytest.mark.parametrize("keys", [[], ["b"], ["b", "a"], ["a"] * 300])
def test_a_field_is_among_any_number_of_values(mode: Mode, keys: list[str]) -> None:
    prepared = prepare(
        Rating.objects.filter(InPlaceholder("player__key", "keys", CharField())).values_list("player__key")
    )
    assert sorted(key for (key,) in prepared.rows(keys=keys)) == sorted(set(keys))


def test_an_update_gives_its_rows_as_they_are_afterwards(mode: Mode) -> None:
    first, second = Rating.objects.order_by("id")
    among = Rating.objects.filter(InPlaceholder("id", "ids", BigIntegerField()))
    prepared = prepare_update(among, {"wins": F("wins") + 5, "region": F("chosen_region")}, ("id", "wins"))
    assert [tuple(row) for row in prepared.rows(ids=[second.pk])] == [(second.pk, second.wins + 5)]
    assert list(Rating.objects.order_by("id").values_list("wins", flat=True)) == [first.wins, second.wins + 5]
    assert not prepared.rows(ids=[])
