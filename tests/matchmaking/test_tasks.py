"""What beat starts: one queue's or lobby's trouble isn't the others', and a task out of time ends."""

import pytest
from celery.exceptions import SoftTimeLimitExceeded

from matchmaking import lifecycle, tasks
from matchmaking.lobbies import sweep
from matchmaking.models import Lobby
from tests.support.matchmaking import later, make_lobby, make_queue

pytestmark = pytest.mark.django_db


def first_fails(work, error):
    """The work, which fails at first, and what it was given."""
    had = []

    def fail_first(what, **more):
        had.append(what)
        if len(had) == 1:
            raise error
        return work(what, **more)

    return fail_first, had


@pytest.mark.parametrize(("error", "turns"), [(RuntimeError("broken"), 2), (SoftTimeLimitExceeded(), 1)])
def test_ticks(monkeypatch, caplog, error, turns):
    make_queue("duel")
    make_queue("squad")
    tick, had = first_fails(tasks.ticking.tick, error)
    monkeypatch.setattr(tasks.ticking, "tick", tick)
    if turns == 1:
        with pytest.raises(SoftTimeLimitExceeded):
            tasks.tick_queues()
    else:
        tasks.tick_queues()
        assert [(str(had[0]) in record.message, record.exc_info[1]) for record in caplog.records] == [(True, error)]
    assert len(had) == turns


@pytest.mark.parametrize(("error", "turns"), [(RuntimeError("broken"), 2), (SoftTimeLimitExceeded(), 1)])
def test_sweeps(monkeypatch, caplog, error, turns):
    queues = make_queue("duel", accept_seconds=20), make_queue("squad", accept_seconds=20)
    lobbies = [make_lobby(queue)[0].pk for queue in queues]
    expire_lobby, had = first_fails(sweep.expire_lobby, error)
    monkeypatch.setattr(sweep, "expire_lobby", expire_lobby)
    if turns == 1:
        with pytest.raises(SoftTimeLimitExceeded):
            sweep.sweep(later(30))
    else:
        sweep.sweep(later(30))
        states = dict(Lobby.objects.values_list("pk", "state"))
        assert [states[key] for key in had] == [lifecycle.ACCEPTING, lifecycle.CANCELLED]
        assert [(had[0] in record.message, record.exc_info[1]) for record in caplog.records] == [(True, error)]
    assert len(had) == turns
    assert {*had} <= {*lobbies}
