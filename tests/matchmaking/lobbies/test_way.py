"""A match's way through the door: queue, tick, accept, ready, start, result."""

import pytest

from matchmaking import lifecycle
from matchmaking.models import Formed, Ticket
from ranking.models import Match
from tests.support.factories import record
from tests.support.matchmaking import accept_all, later, make_lobby, make_queue, make_server, queue_up, start, states

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("size", [1, 4])
def test_from_the_queue_to_the_result(size):
    queue = make_queue(size=size)
    make_server(queue.mode)
    lobby, people = make_lobby(queue)
    tickets = list(Ticket.objects.all())
    assert (lobby.state, states(*tickets)) == (lifecycle.ACCEPTING, [lifecycle.MATCHED] * 2 * size)
    accept_all(lobby)
    assert (lobby.state, lobby.server.busy, lobby.ready_at) == (lifecycle.READY, 1, later(2))
    start(lobby)
    assert (lobby.state, states(*tickets)) == (lifecycle.LIVE, [lifecycle.PLAYING] * 2 * size)
    teams = [[player.key for player in people[:size]], [player.key for player in people[size:]]]
    record(*teams, lobby=lobby.pk, now=later(60), ended_at=later(60))
    assert (*states(lobby), states(*tickets)) == (lifecycle.FINISHED, [lifecycle.DONE] * 2 * size)
    lobby.server.refresh_from_db()
    assert (lobby.server.busy, lobby.match, Formed.objects.count()) == (0, Match.objects.get(), 1)
    assert queue_up(queue, people[0], at=61).state == lifecycle.WAITING
