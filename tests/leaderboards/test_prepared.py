"""Queries made once give what the same query gives when it is made anew."""

from typing import Any

import pytest
from django.db.models import BigIntegerField, DateTimeField, QuerySet, Value

from leaderboards.prepared import Given, prepare
from ranking.keyset import RowCompared
from ranking.models import Mode, Rating
from ranking.standings import publish
from tests.factories import NOW, make_mode, record

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
    prepared = prepare(rows(Rating.objects.filter(mode=Given("mode", BigIntegerField()))))
    found = [tuple(row) for row in prepared.rows(mode=mode.pk)]
    assert found == list(rows(Rating.objects.filter(mode=mode)))
    assert len(found) == 2


def test_it_is_made_once_for_many_values(mode: Mode) -> None:
    prepared = prepare(Rating.objects.filter(mode=Given("mode", BigIntegerField())).values_list("player__key"))
    assert [len(prepared.rows(mode=pk)) for pk in (mode.pk, mode.pk + 1)] == [2, 0]


def test_moments_can_be_given(mode: Mode) -> None:
    given = (Given("moment", DateTimeField()), Given("id", BigIntegerField()))
    earlier = RowCompared("<", ("published_reached_at", "id"), given)
    prepared = prepare(Rating.objects.filter(earlier).values_list("player__key").order_by("id"))
    first, second = Rating.objects.order_by("id")
    assert [tuple(row) for row in prepared.rows(moment=second.published_reached_at, id=second.pk)] == [
        (first.player.key,)
    ]
