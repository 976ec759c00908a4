"""What beat starts: one queue's or lobby's trouble isn't the others', and a task out of time ends."""

import pytest
from celery.exceptions import SoftTimeLimitExceeded

from matchmaking import lifecycle, tasks
from matchmaking.lobbies import sweep
from matchmaking.models import Lobby, Queue
from ranking.models import Mode
from ranking.moderation.incidents import record_missed
from tests.support.matchmaking import later, make_lobby, make_queue, queue_up

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


def test_a_queue_whose_regions_are_nonsense_holds_up_no_other(caplog):
    broken, sound = make_queue("broken"), make_queue("sound")
    Queue.objects.filter(pk=broken.pk).update(regions=5)
    queue_up(sound)
    tasks.tick_queues()
    ticked = dict(Queue.objects.values_list("mode__slug", "tick_tickets"))
    assert ticked["sound"] == 1
    assert [str(broken) in line.getMessage() for line in caplog.records] == [True]


def test_a_mode_whose_conduct_is_nonsense_keeps_no_late_ticket_waiting(caplog):
    queue, broken = make_queue("duel"), make_queue("broken")
    ticket = queue_up(queue)
    banned = queue_up(broken, at=100)
    record_missed([banned.members.get().player_id], broken.mode, lobby="x", happened_at=later(1))
    Mode.objects.filter(pk=broken.mode_id).update(conduct={"lockouts": "nonsense"})
    sweep.sweep(later(queue.longest_wait))
    ticket.refresh_from_db()
    assert ticket.state == lifecycle.EXPIRED
    assert [("restricted" in line.message, line.levelname) for line in caplog.records] == [(True, "ERROR")]


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
