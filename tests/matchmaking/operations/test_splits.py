"""A merge that is taken back: whose tickets, lobbies, party and devices were at the time, and whose they are then."""

import datetime as dt

import pytest

from matchmaking import lifecycle
from matchmaking.lobbies.sweep import sweep
from matchmaking.models import Invitation, PartyMember, TicketMember, UnreportedLoss
from matchmaking.operations import invariants
from matchmaking.parties import parties
from matchmaking.queues.queueing import Wish, cancel_ticket, find_ticket, queue_party
from ranking.matches.devices import digest_of, drop_old_devices
from ranking.models import DeviceUse, Merge, Player
from ranking.moderation.merges import MergeRefused, merge_players
from ranking.moderation.splits import find_objection, split_players
from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, make_mode, record
from tests.support.matchmaking import (
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
from tests.support.parties import party_of

pytestmark = pytest.mark.django_db
WISH = Wish()
TEXTS = {"by": None, "reason": "Two brothers"}


def merge(kept: Player, merged: Player) -> Merge:
    return merge_players(kept, merged, by=None, reason="One person", now=NOW)


def split(fact: Merge) -> None:
    split_players(Merge.objects.get(pk=fact.pk), now=later(60), **TEXTS)
    assert list(invariants.violations(later(60))) == []


def places() -> list[tuple]:
    return list(TicketMember.objects.order_by("pk").values_list("ticket", "player", "live"))


# --- tickets ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("both", [False, True])
def test_a_ticket_that_waited_is_cancelled_and_goes_back(both):
    """Queueing ended for good: they queue again."""
    queue, kept, merged = make_queue(), make_player("kept"), make_player("merged")
    ticket = queue_up(queue, merged)
    other = queue_up(queue, kept) if both else None
    fact = merge(kept, merged)
    assert find_ticket(kept) == other
    split(fact)
    assert (states(ticket), ticket.members.get().player) == ([lifecycle.CANCELLED], merged)
    assert (find_ticket(merged), find_ticket(kept)) == (None, other)
    again = queue_up(queue, merged, at=70)
    assert states(again) == [lifecycle.WAITING]


def test_the_kept_players_ticket_goes_on_waiting_through_both():
    queue, kept, merged = make_queue(), make_player("kept"), make_player("merged")
    ticket, before = queue_up(queue, kept), places()
    split(merge(kept, merged))
    assert (states(ticket), places()) == ([lifecycle.WAITING], before)


def test_a_ticket_made_since_the_merge_stays_with_who_was_kept():
    queue, kept, merged = make_queue(), make_player("kept"), make_player("merged")
    fact = merge(kept, merged)
    ticket = queue_up(queue, kept, at=5)
    split(fact)
    assert (states(ticket), ticket.members.get().player) == ([lifecycle.WAITING], kept)


def test_past_tickets_and_lobbies_are_each_ones_own_again():
    queue = make_queue()
    lobby, [merged, opponent] = make_lobby(queue)
    start(accept_all(lobby))
    record([merged.key], [opponent.key], lobby=lobby.pk, now=later(9))
    kept = make_player("kept")
    cancel_ticket(queue_up(queue, kept, at=10), by=kept, now=later(11))
    before, teams = places(), lobby.teams
    fact = merge(kept, merged)
    lobby.refresh_from_db()
    assert (lobby.teams, places() == before) == ([[kept.pk], [opponent.pk]], False)
    split(fact)
    lobby.refresh_from_db()
    assert (lobby.teams, places()) == (teams, before)


# --- lobbies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("accepted", [False, True])
def test_a_lobby_that_hadnt_begun_has_fallen_through(accepted):
    queue, kept = make_queue(), make_player("kept")
    lobby, [merged, opponent] = make_lobby(queue)
    if accepted:
        accept_all(lobby)
    ticket = find_ticket(merged)
    fact = merge(kept, merged)
    split(fact)
    assert states(lobby, ticket) == [lifecycle.CANCELLED, lifecycle.CANCELLED]
    assert (people_of(lobby), ticket.members.get().player) == ([merged, opponent], merged)
    assert states(find_ticket(opponent)) == [lifecycle.WAITING]
    assert [find_ticket(player) for player in (kept, merged)] == [None, None]


@pytest.mark.parametrize("whose", ["merged", "kept"])
def test_while_a_match_runs_nobody_is_split(whose):
    queue, other = make_queue(), make_player("other")
    lobby, [player, opponent] = make_lobby(queue)
    start(accept_all(lobby))
    kept, merged = (other, player) if whose == "merged" else (player, other)
    fact = merge(kept, merged)
    with pytest.raises(MergeRefused, match=f"A match of {kept.name} is running."):
        split(fact)
    record([player.key], [opponent.key], lobby=lobby.pk, now=later(9), id="theirs")
    objection = find_objection(Merge.objects.get(), later(9))
    assert (objection.split()[0], "match theirs (test)" in objection) == (player.name, True)


def test_a_match_that_was_never_reported_keeps_nobody_together():
    """Its server fell silent, so the lobby is closed as lost. The ticket and the place in the lobby go back."""
    queue, kept = make_queue(), make_player("kept")
    make_server(queue.mode)
    lobby, [merged, opponent] = make_lobby(queue)
    start(accept_all(lobby))
    ticket, fact = find_ticket(merged), merge(kept, merged)
    for hours in range(1, 48):
        sweep(NOW + dt.timedelta(hours=hours))
    assert find_ticket(kept) is None
    split(fact)
    lobby.refresh_from_db()
    assert (lobby.teams, ticket.members.get().player) == ([[merged.pk], [opponent.pk]], merged)


def test_matches_that_were_never_reported_are_each_ones_own_again():
    """Of a lobby that both lost, the merge keeps one row."""
    mode, kept, merged = make_mode(), make_player("kept"), make_player("merged")
    for player, lobbies in ((kept, ("x", "y")), (merged, ("y", "z"))):
        for lobby in lobbies:
            UnreportedLoss.objects.create(
                lobby_key=lobby, mode=mode, player=player, server="eu1", score=1, best=2, silent_at=NOW, closed_at=NOW
            )
    rows = UnreportedLoss.objects.order_by("pk").values_list("pk", "lobby_key", "player")
    before = list(rows)
    fact = merge(kept, merged)
    assert {(lobby, player) for _, lobby, player in rows.all()} == {(lobby, kept.pk) for lobby in "xyz"}
    split(fact)
    assert list(rows.all()) == before


# --- parties ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leads", [False, True])
def test_the_merged_player_has_left_their_party_for_good(leads):
    queue, kept, merged, friend = make_queue(size=3), make_player("kept"), make_player("merged"), make_player("friend")
    party_of(*((merged, friend) if leads else (friend, merged)), make_player("third"))
    leader = merged if leads else friend
    ticket = queue_party(leader, queue, wish=WISH, now=NOW)
    split(merge(kept, merged))
    assert states(ticket) == [lifecycle.CANCELLED]
    assert (parties.find_party(merged), parties.find_party(kept)) == (None, None)
    assert PartyMember.objects.filter(leads=True).values_list("player__key", flat=True).get() == "friend"
    assert {member.player for member in ticket.members.all()} == {merged, friend, Player.objects.get(key="third")}


def test_the_kept_players_party_stays_together():
    queue, kept, merged, friend = make_queue(size=3), make_player("kept"), make_player("merged"), make_player("friend")
    party_of(kept, friend)
    ticket = queue_party(kept, queue, wish=WISH, now=NOW)
    split(merge(kept, merged))
    assert states(ticket) == [lifecycle.WAITING]
    assert set(PartyMember.objects.values_list("player__key", flat=True)) == {"kept", "friend"}


def test_an_invitation_by_the_merged_player_is_by_them_again_and_one_to_them_is_gone():
    make_queue(size=3)
    kept, merged, friend, guest = (make_player(name) for name in ("kept", "merged", "friend", "guest"))
    party_of(friend, merged)
    parties.invite(guest, by=merged, now=NOW)
    parties.invite(merged, by=make_player("host"), now=NOW)
    fact = merge(kept, merged)
    assert list(Invitation.objects.values_list("player__key", "by__key")) == [("guest", "kept")]
    split(fact)
    assert list(Invitation.objects.values_list("player__key", "by__key")) == [("guest", "merged")]


# --- devices ---------------------------------------------------------------------------------------------------------


def uses() -> list[tuple]:
    return list(DeviceUse.objects.order_by("match", "pk").values_list("match", "player__key", "digest"))


def play(key: str, device: str, **more) -> None:
    record([PlayerReport(id=key, device=device)], [PlayerReport(id="x", device="x’s")], **more)


def test_devices_are_those_of_who_played_on_them():
    """Both on the same one, too; and on one that a third player had."""
    make_mode()
    for key, device in (("a", "pad"), ("b", "pad"), ("b", "phone"), ("a", "x’s"), ("b", "")):
        play(key, device)
    before = uses()
    fact = merge(Player.objects.get(key="a"), Player.objects.get(key="b"))
    assert [key for _, key, digest in uses() if digest == digest_of("pad")] == ["a", "a"]
    split(fact)
    assert uses() == before


def test_devices_of_a_merge_in_a_row_go_back_step_by_step():
    make_mode()
    for key in "abc":
        play(key, f"{key}’s")
    before = uses()
    a, b, c = (Player.objects.get(key=key) for key in "abc")
    first = merge(b, c)
    between = uses()
    second = merge(a, b)
    assert {key for _, key, _ in uses()} == {"a", "x"}
    split(second)
    assert uses() == between
    split(first)
    assert uses() == before


def test_devices_that_are_forgotten_meanwhile_stay_forgotten():
    make_mode()
    play("b", "old", ended_at=NOW - dt.timedelta(days=89))
    play("b", "new", id="later")
    record(["a"], ["x"])
    fact = merge(Player.objects.get(key="a"), Player.objects.get(key="b"))
    drop_old_devices(NOW + dt.timedelta(days=2))
    split(fact)
    assert [(key, digest) for _, key, digest in uses() if key != "x"] == [("b", digest_of("new"))]
