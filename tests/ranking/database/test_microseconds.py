import datetime as dt

import pytest
from django.db.models import Case, F, Value, When
from hypothesis import given
from hypothesis import strategies as st

from ranking.database.microseconds import Microseconds, microseconds_of, moment_at
from ranking.models import Player
from ranking.players.players import ensure_players
from tests.support.factories import NOW, make_report


@given(st.datetimes(timezones=st.just(dt.UTC)))
def test_a_moment_is_its_microseconds(moment: dt.datetime) -> None:
    assert moment_at(microseconds_of(moment)) == moment


def test_the_last_microsecond_before_1970() -> None:
    moment = dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=dt.UTC)
    assert (microseconds_of(moment), moment_at(-1)) == (-1, moment)


@pytest.mark.django_db
def test_the_database_counts_the_microseconds_of_an_expression_with_values() -> None:
    moment = NOW + dt.timedelta(microseconds=7)
    ensure_players([make_report(["a"], ["b"])], moment)
    either = Case(When(key=Value("a"), then=F("created_at")), default=None)
    assert Player.objects.filter(key="a").values_list(Microseconds(either)).get() == (microseconds_of(moment),)
