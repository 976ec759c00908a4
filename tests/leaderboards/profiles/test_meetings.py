"""Meetings of two players: how often one won, drew and lost against others, by the latest meetings with each."""

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboards.profiles.meetings import Tally, find_meetings, tally_meetings
from ranking.models import Player
from tests.support.factories import make_mode, record

pytestmark = pytest.mark.django_db


def test_as_many_meetings_count_with_each_player(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    mode = make_mode()
    for winner, loser in (("me", "a"), ("a", "me"), ("a", "me"), ("me", "b"), ("me", "b"), ("me", "b"), ("b", "me")):
        record([winner], [loser])
    record(["me", "a"], ["b", "c"])
    me, a, b = (Player.objects.get(key=key) for key in ("me", "a", "b"))
    others = [a.pk, b.pk]
    with django_assert_num_queries(2):
        assert tally_meetings(me, others, mode) == {a.pk: Tally(1, 0, 2), b.pk: Tally(4, 0, 1)}
    assert tally_meetings(me, others, mode, most=2) == {a.pk: Tally(0, 0, 2), b.pk: Tally(1, 0, 1)}
    assert [meeting.ahead for meeting in find_meetings(me, a, mode)] == [1, 1, 0]
