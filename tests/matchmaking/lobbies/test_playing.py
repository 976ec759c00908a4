"""From ready to the end: begun, dropped out of, lost, given up."""

import pytest

from matchmaking import lifecycle
from matchmaking.lobbies import playing
from matchmaking.lobbies.sweep import sweep
from matchmaking.models import Server, Ticket, TicketMember
from matchmaking.queues.queueing import find_ticket
from matchmaking.refusals import Refusal
from ranking.models import Change, Forfeit, Incident, Rating
from tests.support.factories import make_source, record
from tests.support.matchmaking import (  # fmt: skip
    accept_all,
    later,
    make_lobby,
    make_player,
    make_queue,
    make_server,
    people_of,
    queue_up,
    start,
    states,
)

pytestmark = pytest.mark.django_db


def make_ready(size=1, **settings):
    queue = make_queue(size=size, **settings)
    server = make_server(queue.mode, capacity=2)
    lobby, people = make_lobby(queue)
    return accept_all(lobby), people, server


def busy(server):
    return Server.objects.get(pk=server.pk).busy


def test_dropping_out_is_a_forfeit_and_the_others_wait_with_their_time():
    lobby, [a, b, c, d], server = make_ready(size=2)
    mine = find_ticket(a)
    playing.leave_lobby(lobby.pk, a, now=later(9))
    assert states(lobby, mine) == [lifecycle.FORFEITED, lifecycle.CANCELLED]
    assert (mine.ending_code, lobby.ending_code) == ("you-dropped", "somebody-dropped")
    assert states(*map(find_ticket, (b, c, d))) == [lifecycle.WAITING] * 3
    assert [find_ticket(player).waited_at(later(10)) for player in (b, c, d)] == [2.0] * 3
    forfeit = Forfeit.objects.get()
    assert (forfeit.lobby, forfeit.player, forfeit.teams) == (lobby.pk, a, [[a.pk, b.pk], [c.pk, d.pk]])
    assert (Incident.objects.get().kind, Incident.objects.get().forfeit) == ("dropout", forfeit)
    assert [change.player_id for change in Change.objects.all()] == [a.pk]
    assert Rating.objects.get(player=a).display_hundredths < Rating.objects.get(player=b).display_hundredths
    assert busy(server) == 0


def test_who_isnt_there_at_the_start_has_dropped_out():
    lobby, people, server = make_ready(size=2)
    there = people[1:3]
    start(lobby, there)
    assert states(lobby) == [lifecycle.FORFEITED]
    assert sorted(Forfeit.objects.values_list("player", flat=True)) == sorted([people[0].pk, people[3].pk])
    assert states(*map(find_ticket, there)) == [lifecycle.WAITING] * 2
    assert [find_ticket(player) for player in (people[0], people[3])] == [None, None]
    assert busy(server) == 0


def test_starting_again_does_nothing_and_only_its_server_may():
    lobby, people, server = make_ready()
    keys = [player.key for player in people]

    def said(source="test", present=keys):
        with pytest.raises(Refusal) as caught:
            playing.start_match(lobby.pk, source=make_source(source), present=present, now=later(4))
        return caught.value.case, caught.value.values.get("key")

    assert said("other") == ("not-yours:server", None)
    assert said(present=[*keys, "nobody"]) == ("stranger", "'nobody'")
    assert said(present=[*keys, make_player("stranger").key]) == ("stranger", "'stranger'")
    start(lobby)
    start(lobby, at=8)
    assert (states(lobby), lobby.started_at, busy(server)) == ([lifecycle.LIVE], later(3), 1)
    start(lobby, present=[], at=9)
    assert (states(lobby), Forfeit.objects.count()) == ([lifecycle.LIVE], 0)


def test_leaving_has_its_time():
    queue = make_queue()
    lobby, [one, other] = make_lobby(queue)

    def said():
        with pytest.raises(Refusal) as caught:
            playing.leave_lobby(lobby.pk, one, now=later(4))
        return caught.value.code

    assert said() == "not-accepted"
    start(accept_all(lobby))
    assert said() == "running"
    record([one.key], [other.key], lobby=lobby.pk)
    assert said() == "over"
    assert Forfeit.objects.count() == 0


def test_where_a_system_rates_no_such_forfeit_it_stays_an_incident(monkeypatch):
    from ranking.systems.base import Refused

    def refuse(*_args, **_more):
        raise Refused("Not these.")

    lobby, [one, _], _ = make_ready()
    monkeypatch.setattr(playing, "record_forfeit", refuse)
    playing.leave_lobby(lobby.pk, one, now=later(4))
    assert states(lobby) == [lifecycle.FORFEITED]
    assert Incident.objects.values_list("player", "kind", "forfeit").get() == (one.pk, "dropout", None)


def test_without_a_result_it_is_lost_after_the_longest_time_and_nobody_is_blamed():
    lobby, people, server = make_ready(longest_match=600)
    start(lobby, at=3)
    assert sweep(later(602)) == 0
    assert sweep(later(603)) == 1
    assert (states(lobby), busy(server), set(states(*Ticket.objects.all()))) == ([lifecycle.LOST], 0, {lifecycle.DONE})
    assert (Change.objects.count(), Incident.objects.count()) == (0, 0)
    assert queue_up(lobby.queue, people[0], at=604).state == lifecycle.WAITING
    record([people[0].key], [people[1].key], lobby=lobby.pk, now=later(700))
    assert states(lobby) == [lifecycle.LOST]


@pytest.mark.parametrize(("silent", "closed"), [(30, 0), (31, 1)])
def test_a_server_that_is_gone_before_the_start_sends_the_players_back(silent, closed):
    lobby, people, server = make_ready()
    assert (sweep(later(silent)), states(lobby)) == (closed, [lifecycle.CANCELLED if closed else lifecycle.READY])
    if closed:
        assert (states(*map(find_ticket, people)), lobby.ending_code) == ([lifecycle.WAITING] * 2, "server-gone")
        assert (busy(server), Incident.objects.count()) == (0, 0)


def test_a_server_that_is_gone_while_live_waits_for_its_result():
    lobby, _, _ = make_ready(longest_match=600)
    start(lobby)
    assert (sweep(later(300)), states(lobby)) == (0, [lifecycle.LIVE])
    assert (sweep(later(700)), states(lobby)) == (1, [lifecycle.LOST])


def test_a_match_that_never_begins_sends_the_players_back():
    lobby, people, server = make_ready(start_seconds=60)
    make_server(lobby.queue.mode, at=60, capacity=2)
    assert (sweep(later(61)), sweep(later(62))) == (0, 1)
    assert (states(lobby), lobby.ending_code, busy(server)) == ([lifecycle.CANCELLED], "never-began", 0)
    assert states(*map(find_ticket, people)) == [lifecycle.WAITING] * 2


def test_a_lobby_is_gone_for_whoever_left_it():
    lobby, [one, other], _ = make_ready()
    playing.leave_lobby(lobby.pk, one, now=later(4))
    members = TicketMember.objects.filter(ticket__lobby=lobby)
    assert [member.player for member in members] == [one]  # the other waits again
    assert people_of(lobby) == [one, other]  # as proposed
