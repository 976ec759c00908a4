"""Matches that are called off, by the server or a moderator: from every state, with what their players get back."""

import datetime as dt

import pytest

from matchmaking import lifecycle
from matchmaking.lobbies import aborting, accepting, failed_starts, playing
from matchmaking.lobbies.page import load_lobby_page
from matchmaking.lobbies.sweep import sweep
from matchmaking.models import Lobby, PartyMember, Server, UnreportedLoss
from matchmaking.operations import invariants
from matchmaking.operations.closing import close_lobby
from matchmaking.parties.parties import leave_party
from matchmaking.queues import queueing
from matchmaking.queues.queueing import find_ticket, find_time_given_back
from matchmaking.refusals import Refusal
from ranking.models import AuditEntry, Change, Incident, Match
from ranking.moderation.voids import restore
from tests.support.factories import make_source, record
from tests.support.matchmaking import (  # fmt: skip
    accept_all,
    endings,
    form,
    later,
    make_lobby,
    make_player,
    make_queue,
    make_server,
    queue_up,
    start,
    states,
)
from tests.support.parties import party_of
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db

WHY = "The map crashed."


def abort(lobby, *, at=60, source="test", name=None, reason=WHY):
    return aborting.abort_lobby(lobby.pk, source=make_source(source), name=name, reason=reason, now=later(at))


def reach(state):
    """A lobby in this state, and its players; its server is there."""
    queue = make_queue(longest_match=600, start_seconds=60)
    make_server(queue.mode, name="eu1")
    lobby, people = make_lobby(queue)
    if state == "cancelled":
        accepting.decline(lobby.pk, people[0], now=later(2))
    elif state != "accepting":
        accept_all(lobby)
    if state == "forfeited":
        playing.leave_lobby(lobby.pk, people[0], now=later(3))
    if state in ("live", "finished", "lost", "aborted"):
        start(lobby)
    if state == "finished":
        record([people[0].key], [people[1].key], lobby=lobby.pk, now=later(9))
    if state == "lost":
        sweep(later(603))
    if state == "aborted":
        abort(lobby, at=9)
    assert states(lobby) == [state]
    return lobby, people


def tried(act):
    """What came of an act: the code of its refusal, or what it returned, if that says whether anything was done."""
    try:
        done = act()
    except Refusal as refusal:
        return refusal.code
    return done if isinstance(done, bool) else "done"


ACTS = {
    "abort": lambda lobby, people: abort(lobby, at=700),
    "close": lambda lobby, people: close_lobby(lobby, by=None, reason=WHY, now=later(700)),
    "start": lambda lobby, people: start(lobby, at=700),
    "leave": lambda lobby, people: playing.leave_lobby(lobby.pk, people[1], now=later(700)),
    "lose": lambda lobby, people: playing.lose_match(lobby.pk, now=later(700)),
    "give up": lambda lobby, people: failed_starts.give_up_start(lobby.pk, now=later(700)),
}
# By state: what comes of each act, and the state afterwards.
ENDED = {"abort": "over", "close": False, "start": "not-ready", "leave": "over", "lose": False, "give up": False}
TABLE = {
    "accepting": {
        "abort": ("not-ready", "accepting"), "close": (True, "cancelled"), "start": ("not-ready", "accepting"),
        "leave": ("not-accepted", "accepting"), "lose": (False, "accepting"), "give up": (False, "accepting"),
    },
    "ready": {
        "abort": ("done", "aborted"), "close": (True, "aborted"), "start": ("done", "live"),
        "leave": ("done", "forfeited"), "lose": (False, "ready"), "give up": (True, "cancelled"),
    },
    "live": {
        "abort": ("done", "aborted"), "close": (True, "aborted"), "start": ("done", "live"),
        "leave": ("running", "live"), "lose": (True, "lost"), "give up": (False, "live"),
    },
    **{
        state: {act: (outcome, state) for act, outcome in ENDED.items()}
        for state in ("finished", "forfeited", "cancelled", "lost")
    },
    "aborted": {act: (outcome, "aborted") for act, outcome in {**ENDED, "abort": "done"}.items()},
}  # fmt: skip


def test_what_comes_of_each_act_in_each_state():
    assert TABLE.keys() == set(lifecycle.LOBBY.states)
    found = {}
    for state in TABLE:
        for act, carry_out in ACTS.items():
            with rolled_back():
                lobby, people = reach(state)
                outcome = tried(lambda carry_out=carry_out, args=(lobby, people): carry_out(*args))
                found.setdefault(state, {})[act] = (outcome, *states(lobby))
    assert found == TABLE


def test_before_the_start_everybody_waits_on_with_their_time():
    lobby, people = reach("ready")
    abort(lobby, at=9)
    assert (lobby.server_id, Server.objects.get().busy) == (Server.objects.get().pk, 0)
    tickets = [find_ticket(player) for player in people]
    assert [(ticket.state, ticket.waited_at(later(10))) for ticket in tickets] == [(lifecycle.WAITING, 2.0)] * 2
    assert Server.objects.get().failed_starts == 1
    make_server(lobby.queue.mode, name="eu2", at=11)  # the first one rests
    [again] = form(lobby.queue, at=11)
    assert again.pk != lobby.pk


def test_a_running_match_ends_its_tickets_and_nobody_is_rated_or_punished():
    lobby, people = reach("live")
    mine = find_ticket(people[0])
    abort(lobby)
    assert states(lobby, mine) == [lifecycle.ABORTED, lifecycle.DONE]
    assert endings(lobby, mine) == [("called-off", {"reason": WHY})] * 2
    assert (lobby.closed_at, Server.objects.get().busy) == (later(60), 0)
    assert [model.objects.count() for model in (Change, Incident, Match, UnreportedLoss)] == [0] * 4
    assert list(invariants.violations(later(61))) == []


def test_again_with_other_words_changes_nothing():
    lobby, _ = reach("aborted")
    abort(lobby, at=700, reason="No, it was the network.")
    assert states(lobby) == [lifecycle.ABORTED]
    assert (endings(lobby), lobby.closed_at) == ([("called-off", {"reason": WHY})], later(9))


HOSTS = (
    ({}, "done"),
    ({"name": "eu1"}, "done"),
    ({"name": "eu2"}, "not-yours"),
    ({"name": ""}, "not-yours"),
    ({"source": "other"}, "not-yours"),
    ({"source": "other", "name": "eu1"}, "not-yours"),
)


@pytest.mark.parametrize("state", ["ready", "live", "aborted"])
def test_only_the_server_that_hosts_it_calls_it_off(state):
    lobby, _ = reach(state)
    came = []
    for host, _ in HOSTS:
        with rolled_back():
            outcome = tried(lambda host=host: abort(lobby, at=60, **host))
            came.append((host, outcome, states(lobby)))
        lobby.refresh_from_db()
    assert came == [(host, done, [lifecycle.ABORTED if done == "done" else state]) for host, done in HOSTS]


def test_without_servers_any_key_of_the_mode_calls_it_off():
    lobby, _ = make_lobby(make_queue())
    start(accept_all(lobby))
    abort(lobby, source="other", name="whoever")
    assert states(lobby) == [lifecycle.ABORTED]


def test_no_reason_no_end():
    lobby, _ = reach("live")
    with pytest.raises(ValueError, match="Say why"):
        abort(lobby, reason=" ")
    assert states(lobby) == [lifecycle.LIVE]


def test_a_result_that_comes_later_is_void_until_a_moderator_restores_it():
    lobby, [one, other] = reach("aborted")
    answer = record([one.key], [other.key], lobby=lobby.pk, now=later(80), ended_at=later(8))
    assert (answer.state, answer.record.match.is_void, Change.objects.count()) == ("void", True, 0)
    restore([Match.objects.get()], by=None, reason="It was played after all.", now=later(90))
    assert states(lobby) == [lifecycle.ABORTED]


def test_a_moderator_says_why_to_the_players_and_more_to_moderators():
    lobby, people = reach("live")
    ticket = find_ticket(people[0])
    close_lobby(lobby, by=None, reason="It hangs.", note="Server 7 again.", now=later(60))
    assert states(lobby, ticket) == [lifecycle.ABORTED, lifecycle.DONE]
    assert endings(lobby, ticket) == [("called-off-by-moderator", {"reason": "It hangs."})] * 2
    entry = AuditEntry.objects.get()
    assert (entry.act, entry.reason, entry.note) == ("close lobby", "It hangs.", "Server 7 again.")


def queue_again(lobby, player, at, queue=None):
    ticket = queue_up(queue or lobby.queue, player, at=at)
    return ticket.waited_at(later(at)), ticket.waiting_since - ticket.queued_at


@pytest.mark.parametrize("caller", ["server", "moderator"])
def test_whoever_queues_again_soon_keeps_the_time_that_they_waited(caller):
    queue = make_queue()
    one, other = make_player("one"), make_player("other")
    queue_up(queue, one, at=0)
    queue_up(queue, other, at=40)
    [lobby] = form(queue, at=50)
    start(accept_all(lobby, at=51), at=52)
    if caller == "server":
        abort(lobby, at=400)
    else:
        close_lobby(lobby, by=None, reason=WHY, now=later(400))
    assert queue_again(lobby, one, at=1_300) == (50.0, dt.timedelta(seconds=50))  # 15 minutes later
    assert queue_again(lobby, other, at=1_301) == (0.0, dt.timedelta(0))
    queue_up(queue, newcomer := make_player("newcomer"), at=1_290)
    [found] = form(queue, at=1_310)
    assert found.teams in ([[one.pk], [newcomer.pk]], [[newcomer.pk], [one.pk]])  # who has waited longest comes first


@pytest.mark.parametrize("then", ["cancelled", "lost", "another queue", "played"])
def test_it_is_given_once_and_only_for_a_match_that_was_called_off(then):
    lobby, [one, other] = reach("live")
    if then == "lost":
        playing.lose_match(lobby.pk, now=later(700))
    elif then == "played":
        record([one.key], [other.key], lobby=lobby.pk, now=later(60))
    else:
        abort(lobby, at=60)
    queue = lobby.queue
    if then == "cancelled":
        assert queue_again(lobby, one, at=61)[0] == 1.0
        queueing.cancel_ticket(find_ticket(one), by=one, now=later(62))
    if then == "another queue":
        queue = make_queue("other")
    assert queue_again(lobby, one, at=701 if then == "lost" else 63, queue=queue)[0] == 0.0


def called_off_pairs():
    """Two parties of two whose match was called off after they had waited for 30 seconds."""
    queue, people = make_queue(size=2), [make_player(name) for name in "abcd"]
    party_of(*people[:2])
    party_of(*people[2:])
    for leader in people[::2]:
        queueing.queue_party(leader, queue, now=later(0))
    [lobby] = form(queue, at=30)
    start(accept_all(lobby, at=31), at=32)
    abort(lobby, at=100)
    return queue, people


def test_a_party_gets_it_back_as_one_ticket():
    queue, [a, b, *_] = called_off_pairs()
    assert queueing.queue_party(a, queue, now=later(110)).waited == 30.0
    queueing.cancel_ticket(find_ticket(b), by=b, now=later(111))
    assert queueing.queue_party(a, queue, now=later(112)).waited == 0.0


@pytest.mark.parametrize("change", ["one alone", "one more", "one other"])
def test_a_party_of_other_players_does_not(change):
    queue, [a, b, *_] = called_off_pairs()
    leave_party(b, now=later(101))
    if change == "one alone":
        PartyMember.objects.filter(player=a).delete()
        assert queueing.queue_player(a, queue, now=later(110)).waited == 0.0
        return
    others = [make_player("e")] if change == "one other" else []
    party_of(a, *others)
    if change == "one more":
        queue.mode.team_size_max = 3
        queue.mode.save()
        party_of(a, b, make_player("f"))
    assert queueing.queue_party(a, queue, now=later(110)).waited == 0.0


def test_the_page_says_why_and_what_follows():
    lobby, [one, _] = reach("ready")
    abort(lobby, at=9, reason="<b>100 %</b> broken")
    page = load_lobby_page(Lobby.objects.select_related("queue__mode", "server").get(), one, later(10))
    assert page.news == f"{page.title}: <b>100 %</b> broken"
    assert page.requeued


def test_two_queries_find_the_time_and_one_finds_none(django_assert_num_queries):
    lobby, [one, _] = reach("aborted")
    queue = lobby.queue
    with django_assert_num_queries(2):
        assert find_time_given_back(queue, [one.pk], later(10)) == 1.0
    with django_assert_num_queries(1):
        assert find_time_given_back(queue, [one.pk], later(10_000)) == 0.0
