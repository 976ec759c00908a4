"""Matches that are called off while something else happens to them: on PostgreSQL side by side; always one outcome."""

from functools import partial

import pytest

from matchmaking import lifecycle
from matchmaking.lobbies import aborting, playing
from matchmaking.models import Queue, Server, Ticket
from matchmaking.operations import invariants
from matchmaking.operations.closing import close_lobby
from matchmaking.queues import queueing
from matchmaking.refusals import Refusal
from ranking.models import AuditEntry, Change, Forfeit, Match, Void
from tests.support.concurrency import at_once
from tests.support.factories import make_source, record
from tests.support.matchmaking import accept_all, later, make_lobby, make_queue, make_server, people_of, start

pytestmark = pytest.mark.django_db(transaction=True)

COUNT = 6


def make_lobbies(*, live):
    """Lobbies on one server, ready or live."""
    queue = make_queue(longest_match=600, start_seconds=60)
    make_server(queue.mode, capacity=COUNT)
    lobbies = [accept_all(make_lobby(queue)[0]) for _ in range(COUNT)]
    return [start(lobby) for lobby in lobbies] if live else lobbies


def abort(lobby):
    return tried(aborting.abort_lobby, lobby.pk, source=make_source(), reason="It crashed.", now=later(700))


def tried(act, *args, **kwargs):
    try:
        return act(*args, **kwargs)
    except Refusal as refusal:
        return refusal.code


def race(lobbies, act):
    """Abort each lobby beside an act on it. Returns the states afterwards, and what the acts returned."""
    make_source()
    done = at_once([partial(job, lobby) for lobby in lobbies for job in (abort, act)])
    for lobby in lobbies:
        lobby.refresh_from_db()
    assert list(invariants.violations(later(701))) == []
    assert Server.objects.get().busy == sum(lobby.state in lifecycle.LOBBY.going_on for lobby in lobbies)
    return [lobby.state for lobby in lobbies], done[1::2]


def test_abort_against_result():
    lobbies = make_lobbies(live=True)
    people = {lobby.pk: [player.key for player in people_of(lobby)] for lobby in lobbies}

    def report(lobby):
        one, other = people[lobby.pk]
        return record([one], [other], lobby=lobby.pk, now=later(700), ended_at=later(600)).state

    states, outcomes = race(lobbies, report)
    for lobby, state, outcome in zip(lobbies, states, outcomes, strict=True):
        match = Match.objects.get(lobby=lobby.pk)
        changes = Change.objects.filter(match=match).count()
        voids = Void.objects.filter(match=match).count()
        found = state, outcome, lobby.match_id, changes, voids
        assert found in {("finished", "rated", match.pk, 2, 0), ("aborted", "void", None, 0, 1)}
    assert set(Ticket.objects.values_list("state", flat=True)) == {lifecycle.DONE}


def test_abort_against_losing_the_match():
    lobbies = make_lobbies(live=True)
    states, lost = race(lobbies, lambda lobby: playing.lose_match(lobby.pk, now=later(700)))
    assert {*zip(states, lost, strict=True)} <= {("lost", True), ("aborted", False)}


def test_abort_against_start():
    """Whichever comes first: a match that has begun is called off, too."""
    lobbies = make_lobbies(live=False)
    keys = {lobby.pk: [player.key for player in people_of(lobby)] for lobby in lobbies}

    def begin(lobby):
        begun = tried(playing.start_match, lobby.pk, source=make_source(), present=keys[lobby.pk], now=later(700))
        return begun if isinstance(begun, str) else "begun"

    states, begun = race(lobbies, begin)
    assert {*states} == {"aborted"}
    assert {*begun} <= {"begun", "not-ready"}
    for lobby, outcome in zip(lobbies, begun, strict=True):
        live = Ticket.objects.filter(members__player__in=lobby.players, members__live=True)
        assert list(live.values_list("state", flat=True)) == ([] if outcome == "begun" else [lifecycle.WAITING] * 2)


def test_abort_against_dropping_out():
    lobbies = make_lobbies(live=False)
    leavers = {lobby.pk: people_of(lobby)[0] for lobby in lobbies}

    def leave(lobby):
        left = tried(playing.leave_lobby, lobby.pk, leavers[lobby.pk], now=later(700))
        return left if isinstance(left, str) else "left"

    states, left = race(lobbies, leave)
    assert {*zip(states, left, strict=True)} <= {("forfeited", "left"), ("aborted", "over")}
    assert Forfeit.objects.count() == left.count("left")


def test_a_server_against_a_moderator():
    lobbies = make_lobbies(live=True)
    states, closed = race(lobbies, lambda lobby: close_lobby(lobby, by=None, reason="It hangs.", now=later(700)))
    assert {*states} == {"aborted"}
    assert AuditEntry.objects.filter(act="close lobby").count() == closed.count(True)
    for lobby, by_moderator in zip(lobbies, closed, strict=True):
        assert (lobby.ending_code == "called-off-by-moderator") == by_moderator


def test_queueing_again_twice_at_once_gives_the_time_back_once():
    [lobby, *_] = make_lobbies(live=True)
    one = people_of(lobby)[0]
    abort(lobby)

    def again():
        queue = Queue.objects.select_related("mode").get()
        ticket = tried(queueing.queue_player, one, queue, now=later(710))
        return ticket if isinstance(ticket, str) else ticket.waited

    assert sorted(map(str, at_once([again] * 6))) == ["1.0", *["busy"] * 5]
