"""How many wait and play, by mode: one statement, counts alone."""

import pytest
from pytest_django import DjangoAssertNumQueries

from matchmaking import lifecycle
from matchmaking.models import Lobby, Ticket
from matchmaking.queues.activity import Activity, find_activity, find_activity_of_all
from tests.support.caches import forget_waits
from tests.support.factories import NOW
from tests.support.matchmaking import form, make_player, make_queue, queue_up

pytestmark = pytest.mark.django_db


def test_from_the_last_accept_to_the_result_people_play(subtests: pytest.Subtests) -> None:
    queue = make_queue()
    for name in ("fox", "owl"):
        queue_up(queue, make_player(name))
    [lobby] = form(queue)
    queue_up(queue, make_player("late"), at=2)
    for state, playing in (
        (lifecycle.ACCEPTING, 0), (lifecycle.READY, 2), (lifecycle.LIVE, 2), (lifecycle.CANCELLED, 0)
    ):  # fmt: skip
        with subtests.test(state=state):
            over = {"closed_at": NOW} if state == lifecycle.CANCELLED else {}
            Lobby.objects.filter(pk=lobby.pk).update(state=state, blind=False, ready_at=NOW, started_at=NOW, **over)
            forget_waits()
            assert find_activity(NOW) == {queue.mode_id: Activity(waiting=1, playing=playing)}


def test_modes_are_counted_in_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        assert (find_activity(NOW), bool(find_activity_of_all(NOW))) == ({}, False)
    queues = [make_queue(slug) for slug in ("duel", "race", "empty")]
    for queue, number in zip(queues, (1, 3, 0), strict=True):
        for _ in range(number):
            queue_up(queue)
    Ticket.objects.filter(pk=queue_up(queues[2]).pk).update(state=lifecycle.CANCELLED, ended_at=NOW)
    Ticket.objects.get(state=lifecycle.CANCELLED).members.update(live=False)
    forget_waits()
    with django_assert_num_queries(1):
        assert find_activity(NOW) == {queues[0].mode_id: Activity(waiting=1), queues[1].mode_id: Activity(waiting=3)}
        assert find_activity_of_all(NOW) == Activity(waiting=4)
