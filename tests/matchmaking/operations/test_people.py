"""Players who leave for good or are merged, and what isn't kept for ever."""

import datetime as dt

import pytest
from django.utils import timezone

from matchmaking import lifecycle
from matchmaking.lobbies import accepting
from matchmaking.lobbies.aborting import abort_lobby
from matchmaking.lobbies.sweep import sweep
from matchmaking.models import Formed, Invitation, Lobby, Party, PartyMember, Queue, Ticket, TicketMember
from matchmaking.operations import invariants, retention
from matchmaking.operations.closing import close_lobby
from matchmaking.parties import parties
from matchmaking.queues.queueing import find_ticket
from ranking.models import Ban
from ranking.moderation.merges import MergeRefused, merge_players
from ranking.players.anonymising import anonymise_player
from tests.support.factories import NOW, make_source, record
from tests.support.matchmaking import (  # fmt: skip
    accept_all,
    endings,
    later,
    make_lobby,
    make_player,
    make_queue,
    make_server,
    queue_up,
    start,
    states,
)
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


def merge(kept, merged):
    merge_players(kept, merged, by=None, reason="One person", now=NOW)


def test_who_leaves_for_good_is_in_no_queue_and_no_party():
    queue, (a, b) = make_queue(size=3), (make_player("a"), make_player("b"))
    parties.accept_invitation(parties.invite(b, by=a, now=NOW), by=b, now=NOW)
    parties.invite(make_player(), by=b, now=NOW)
    parties.leave_party(a, now=NOW)
    ticket = queue_up(queue, a, pings={"eu": 20})
    anonymise_player(a, now=NOW)
    anonymise_player(b, now=NOW)
    assert (states(ticket), ticket.pings, ticket.ending) == ([lifecycle.CANCELLED], {}, "")
    assert (PartyMember.objects.count(), Party.objects.count(), Invitation.objects.count()) == (0, 0, 0)


def test_a_match_takes_its_course_without_the_name():
    lobby, [a, b] = make_lobby(make_queue())
    start(accept_all(lobby))
    anonymise_player(a, now=later(5))
    assert states(lobby, find_ticket(b)) == [lifecycle.LIVE, lifecycle.PLAYING]


def test_what_slipped_through_is_swept():
    queue = make_queue()
    gone, banned = queue_up(queue), queue_up(queue)
    TicketMember.objects.get(ticket=gone).player.__class__.objects.filter(tickets__ticket=gone).update(
        anonymised_at=NOW, hidden_at=NOW, hides_matches=True
    )
    Ban.objects.create(player=banned.members.get().player, scope="queue", reason="Cheating", starts_at=NOW)
    late = queue_up(queue, at=-4_000)
    assert sweep(later(1)) == 3
    assert states(gone, banned, late) == [lifecycle.CANCELLED, lifecycle.REFUSED, lifecycle.EXPIRED]
    assert banned.ending.startswith("You are banned from queues for good: Cheating.")


def test_a_merged_players_ticket_and_party_end_and_their_past_is_the_others():
    queue, kept, merged = make_queue(size=2), make_player("kept"), make_player("merged")
    parties.invite(merged, by=make_player("friend"), now=NOW)
    parties.invite(make_player(), by=merged, now=NOW)
    parties.leave_party(merged, now=NOW)
    ticket = queue_up(queue, merged)
    other = queue_up(queue, kept)
    merge(kept, merged)
    assert states(ticket, other) == [lifecycle.CANCELLED, lifecycle.WAITING]
    assert (ticket.members.get().player, find_ticket(kept)) == (kept, other)
    assert (Invitation.objects.filter(player=merged).count(), PartyMember.objects.filter(player=merged).count()) == (
        0,
        0,
    )


def test_a_running_match_is_the_others_who_queues_no_more_until_it_ends():
    queue, kept = make_queue(), make_player("kept")
    lobby, [merged, opponent] = make_lobby(queue)
    start(accept_all(lobby))
    waiting = queue_up(queue, kept)
    merge(kept, merged)
    lobby.refresh_from_db()
    assert (lobby.teams, states(waiting), find_ticket(kept).lobby) == (
        [[kept.pk], [opponent.pk]], [lifecycle.CANCELLED], lobby,
    )  # fmt: skip
    assert list(invariants.violations(later(5))) == []
    record([merged.key], [opponent.key], lobby=lobby.pk)
    assert (states(lobby), find_ticket(kept)) == ([lifecycle.FINISHED], None)


def test_a_lobby_that_hasnt_begun_falls_through():
    queue, kept = make_queue(), make_player("kept")
    lobby, [merged, opponent] = make_lobby(queue)
    merge(kept, merged)
    assert states(lobby, find_ticket(opponent)) == [lifecycle.CANCELLED, lifecycle.WAITING]
    assert (find_ticket(kept), list(invariants.violations(later(5)))) == (None, [])


def test_two_in_one_lobby_arent_one_player():
    lobby, [a, b] = make_lobby(make_queue())
    with pytest.raises(MergeRefused, match=f"lobby {lobby.pk}"):
        merge(a, b)


def test_old_tickets_go_and_played_lobbies_stay():
    queue = make_queue()
    lobby, people = make_lobby(queue)
    start(accept_all(lobby))
    record([people[0].key], [people[1].key], lobby=lobby.pk, now=later(9))
    fallen, [rude, _] = make_lobby(queue, at=20)
    accepting.decline(fallen.pk, rude, now=later(21))
    retention.drop_old(later(21) + retention.KEPT)
    assert (Ticket.objects.count(), Lobby.objects.count(), Formed.objects.count()) == (2, 2, 2)
    retention.drop_old(later(22) + retention.KEPT)
    assert list(Lobby.objects.all()) == [lobby]
    assert list(Ticket.objects.values_list("state", flat=True)) == [lifecycle.WAITING]
    retention.drop_old(later(22) + retention.HISTORY_KEPT)
    assert Formed.objects.count() == 0


@pytest.mark.parametrize("end", [lifecycle.LOST, lifecycle.ABORTED])
def test_lobbies_without_a_result_are_kept_longer_so_that_late_results_are_void(end):
    lobby, people = make_lobby(make_queue(longest_match=60))
    start(accept_all(lobby))
    if end == lifecycle.LOST:
        sweep(later(63))
    else:
        close_lobby(lobby, by=None, reason="It hangs.", now=later(63))
    assert states(lobby) == [end]
    retention.drop_old(later(64) + retention.KEPT)
    assert (Ticket.objects.count(), Lobby.objects.count()) == (0, 1)
    late = later(70) + retention.KEPT
    assert record([people[0].key], [people[1].key], lobby=lobby.pk, now=late, ended_at=late).state == "void"
    retention.drop_old(later(64) + retention.LOST_KEPT)
    assert Lobby.objects.count() == 0


def broken(queue):
    server = make_server(queue.mode, at=0)
    lobby, _ = make_lobby(queue)
    return lobby, server


HARMS = {
    "ticket.live": lambda lobby: TicketMember.objects.filter(ticket__lobby=lobby).update(live=False),
    "ticket.size": lambda lobby: Ticket.objects.filter(lobby=lobby).update(size=2),
    "lobby.tickets": lambda lobby: Ticket.objects.filter(lobby=lobby).update(state="playing"),
    "lobby.over": lambda lobby: Lobby.objects.update(state="cancelled", closed_at=NOW),
    "lobby.empty": lambda lobby: Ticket.objects.update(lobby=None, state="done", ended_at=NOW),
    "server.busy": lambda lobby: lobby.queue.mode.servers.update(busy=1),
    "server.starts": lambda lobby: lobby.queue.mode.servers.update(failed_starts=5, rests_until=NOW),
    "party.leader": lambda lobby: Party.objects.create(created_at=NOW),
}


def test_doctor_finds_what_is_broken():
    lobby, _ = broken(make_queue())
    assert list(invariants.violations(later(2))) == []
    codes = {}
    for code, harm in HARMS.items():
        with rolled_back():
            harm(lobby)
            codes[code] = {violation.code for violation in invariants.violations(later(2))}
    assert [(code, found) for code, found in codes.items() if code not in found] == []


def test_doctor_finds_a_result_that_closed_nothing(settings):
    lobby, _ = broken(make_queue())
    start(accept_all(lobby))
    settings.RESULT_FOLLOWERS = []
    people = [TicketMember.objects.get(player=player).player.key for player in lobby.players]
    record(people[:1], people[1:], lobby=lobby.pk)
    assert [violation.code for violation in invariants.violations(later(9))] == ["lobby.result"]


def test_doctor_finds_jobs_that_stand_still():
    queue = make_queue()
    make_lobby(queue)
    queue_up(queue, at=2)
    now = later(2) + dt.timedelta(minutes=20)
    assert {violation.code for violation in invariants.violations(now)} == {"queue.ticks", "lobby.due"}
    assert timezone.is_aware(now)


def called_off(*, live):
    """A lobby that its server called off in words that name a player, its tickets, and its players."""
    lobby, people = make_lobby(make_queue(accept_seconds=20))
    accept_all(lobby)
    if live:
        start(lobby)
    tickets = list(map(find_ticket, people))
    abort_lobby(lobby.pk, source=make_source(), reason=f"{people[0].name} lagged.", now=later(9))
    assert states(lobby, *tickets) == [lifecycle.ABORTED, *[lifecycle.DONE if live else lifecycle.WAITING] * 2]
    told = ("called-off", {"reason": f"{people[0].name} lagged."})
    assert endings(lobby, *tickets) == [told, *[told if live else ("", {})] * 2]
    return lobby, tickets, people


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("act", ["erased", "merged"])
@pytest.mark.parametrize("live", [True, False])
def test_reasons_are_forgotten_with_who_was_there(act, live):
    lobby, [own, others], [gone, _] = called_off(live=live)
    make_queue("other")
    other, _ = make_lobby(Queue.objects.get(mode__slug="other"))
    close_lobby(other, by=None, reason="It hangs.", now=later(9))
    if act == "erased":
        anonymise_player(gone, now=later(20))
    else:
        merge(make_player("kept"), gone)
    assert endings(lobby, other) == [("called-off", {}), ("called-off-by-moderator", {"reason": "It hangs."})]
    assert endings(others) == [("called-off" if live else "", {})]
    assert "lagged" not in str(endings(own))


def test_reasons_are_forgotten_after_thirty_days():
    lobby, _, [one, _] = called_off(live=True)
    retention.drop_old(later(9) + retention.KEPT)
    assert endings(lobby) == [("called-off", {"reason": f"{one.name} lagged."})]
    retention.drop_old(later(10) + retention.KEPT)
    assert endings(lobby) == [("called-off", {})]
