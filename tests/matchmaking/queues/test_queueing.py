"""Who may queue, with what, and how a ticket is taken back."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from matchmaking import lifecycle
from matchmaking.models import Queue, Ticket, TicketMember
from matchmaking.parties import parties
from matchmaking.queues import queueing
from matchmaking.refusals import Refusal
from matchmaking.wording import refusal_words
from ranking.models import Ban, Mode, Player
from ranking.moderation.eligibility import MayNotQueue, find_restrictions
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.matchmaking import (  # fmt: skip
    accept_all,
    endings,
    later,
    make_lobby,
    make_player,
    make_queue,
    queue_up,
    start,
    states,
)
from tests.support.parties import party_of

pytestmark = pytest.mark.django_db


def refused(case, act, *args, **kwargs) -> dict:
    """The values in the sentence of this refusal."""
    with pytest.raises(Refusal) as caught:
        act(*args, **kwargs)
    assert caught.value.case == case
    return caught.value.values


WISHES = (
    {"pings": {"us": 20}},
    {"pings": {"eu": -1}},
    {"pings": {"eu": 200}},
    {"pings": {"eu": 50}, "ping_limit": 40},
    {"width": 101},
)


def ban(player):
    return Ban.objects.create(player=player, scope="queue", reason="Cheating", starts_at=NOW)


def test_a_newcomer_queues_at_the_middle_with_a_newcomers_strength():
    queue = make_queue()
    ticket = queue_up(queue, at=5, pings={"eu": 30, "us": 151})
    [member] = ticket.members.all()
    assert (ticket.state, ticket.size, ticket.queued_at, ticket.waiting_since) == ("waiting", 1, later(5), later(5))
    assert (ticket.pings, ticket.waited, ticket.waited_at(later(25))) == ({"eu": 30.0}, 0.0, 20.0)
    assert (member.percentile, member.width, member.strict, member.live) == (50, 10, False, True)
    assert (member.strength, member.display_hundredths) == (25.0, 2500)


def test_a_window_is_fixed_by_the_percentile_of_the_live_rating_without_ones_own_row():
    queue = make_queue()
    for number in range(4):
        record([f"w{number}"], [f"l{number}"])
    record(["w0"], ["w1"])
    publish(queue.mode, now=NOW)
    best, last = Player.objects.get(key="w0"), Player.objects.get(key="l0")
    found = {queue_up(queue, player).members.get().percentile for player in (best,)}
    assert (found, queue_up(queue, last).members.get().percentile) == ({100}, 1)
    record(["l0"], ["w2"], now=later(1))
    assert TicketMember.objects.get(player=last).percentile == 1


def test_one_live_ticket_a_player():
    queue, other = make_queue(), make_queue("other")
    ticket = queue_up(queue, player := make_player())
    assert refused("busy:you-waiting", queue_up, other, player)["mode"] == "Duel"
    queueing.cancel_ticket(ticket, by=player, now=later(3))
    assert (ticket.state, ticket.ended_at, ticket.ending_code) == (lifecycle.CANCELLED, later(3), "you-left")
    assert queue_up(other, player).state == lifecycle.WAITING


def test_nobody_queues_while_a_match_of_theirs_runs_left_or_not():
    queue = make_queue()
    lobby, [one, other] = make_lobby(queue)
    assert refused("busy:you-matched", queue_up, queue, one)["mode"] == "Duel"
    start(accept_all(lobby))
    assert refused("busy:you-playing", queue_up, queue, one)["mode"] == "Duel"
    record([one.key], [other.key], lobby=lobby.pk)
    assert queue_up(queue, one, at=9).state == lifecycle.WAITING


def test_the_barred_are_told_what_for_and_until_when():
    queue, player = make_queue(), make_player()
    ban(player)
    with pytest.raises(MayNotQueue) as caught:
        queue_up(queue, player)
    sentence = "You can’t queue for Duel now. You are banned from queues for good: Cheating."
    assert str(caught.value) == f"{sentence} You can appeal on your conduct page."
    assert Ticket.objects.count() == 0


def test_a_closed_queue_takes_nobody_new():
    queue = make_queue()
    ticket = queue_up(queue)
    Queue.objects.update(open=False)
    queue.refresh_from_db()
    assert refused("closed", queue_up, queue) == {"mode": "Duel"}
    assert states(ticket) == [lifecycle.WAITING]


@pytest.mark.parametrize(
    ("asked", "created", "said"),
    [
        (
            {"entry_days": 7},
            6,
            "This mode is open to players whom this site has known for 7 days. It opens",
        ),
        ({"entry_days": 7}, 7, None),
        (
            {"entry_matches": 3},
            0,
            "Complete one more match of Practice first, without leaving.",
        ),
        ({"entry_matches": 2}, 0, None),
    ],
)
def test_a_mode_may_ask_something_of_newcomers(asked, created, said):
    practice = make_mode("practice", ranked=False)
    queue = make_queue()
    for name, value in {**asked, **({"entry_mode": practice} if "entry_matches" in asked else {})}.items():
        setattr(queue.mode, name, value)
    queue.mode.save()
    player = make_player("rookie", created_at=later(-86_400 * created))
    for number in range(2):
        record(["rookie"], [f"other{number}"], mode="practice")
    if said is None:
        assert queue_up(queue, player).state == lifecycle.WAITING
        return
    with pytest.raises(MayNotQueue) as refusal:
        queue_up(queue, player)
    assert str(refusal.value).startswith(f"You can’t queue for Duel now. {said}")


def test_who_plays_is_told_why_they_may_not_queue():
    lobby, [player, _] = make_lobby(make_queue())
    start(accept_all(lobby))
    assert refused("busy:you-playing", queue_up, lobby.queue, player)["mode"] == "Duel"
    bar = find_restrictions([player.pk], later(60))[player.pk]
    assert (bar.reason, bar.until) == ("running", None)
    assert "Duel" in bar.sentence


def test_wishes_that_make_no_sense_are_refused():
    queue = make_queue(regions=["eu", "ap"])
    refusals = []
    for wish in WISHES:
        with pytest.raises(Refusal) as caught:
            queue_up(queue, **wish)
        refusals.append((caught.value.case, caught.value.values))
    assert refusals == [
        ("region:choose", {"region": "'us'", "regions": "eu, ap"}),
        ("ping", {"region": "eu", "most": 10_000}),
        ("no-region", {}),
        ("no-region", {}),
        ("width", {}),
    ]


def test_only_its_players_take_a_ticket_back_and_only_while_it_waits():
    queue = make_queue()
    ticket = queue_up(queue)
    assert refused("not-yours:ticket", queueing.cancel_ticket, ticket, by=make_player(), now=NOW) == {}
    queueing.cancel_ticket(ticket, by=None, now=NOW)
    assert refused("over:ticket-why", queueing.cancel_ticket, ticket, by=None, now=NOW) == {"why": ticket.ending}
    lobby, [one, _] = make_lobby(queue)
    assert refused("matched", queueing.cancel_ticket, queueing.find_ticket(one), by=one, now=NOW) == {}
    assert states(lobby) == [lifecycle.ACCEPTING]


def test_a_party_queues_whole_by_its_leader_where_all_have_a_good_ping():
    queue, (leader, friend) = make_queue(size=2), (make_player("leader"), make_player("friend"))
    party_of(leader, friend)
    parties.note_pings(friend, {"eu": 90, "us": 40}, None)
    assert refused("not-leader:queue", queueing.queue_party, friend, queue, now=NOW) == {}
    assert refused("in-party:queue", queue_up, queue, friend) == {}
    wish = queueing.Wish(width=5, pings={"eu": 20, "us": 160, "ap": 30})
    ticket = queueing.queue_party(leader, queue, wish=wish, now=NOW)
    assert (ticket.size, ticket.pings, ticket.party) == (2, {"eu": 90.0}, parties.find_party(friend))
    assert sorted(ticket.members.values_list("player", "width")) == sorted([(leader.pk, 5), (friend.pk, 5)])
    queueing.cancel_ticket(ticket, by=friend, now=NOW)
    assert endings(ticket) == [("taken-out", {"player": "friend"})]


def test_a_partys_regions_are_those_good_for_all():
    queue, (leader, friend) = make_queue(size=2), (make_player(), make_player())
    party_of(leader, friend)
    wish = queueing.Wish(pings={"eu": 20})
    parties.note_pings(friend, {"us": 20}, None)
    assert refused("no-region:party", queueing.queue_party, leader, queue, wish=wish, now=NOW) == {}
    parties.note_pings(friend, {}, None)
    assert queueing.queue_party(leader, queue, wish=wish, now=NOW).pings == {"eu": 20.0}


def test_one_barred_bars_the_party_and_the_others_arent_told_why():
    queue, (leader, friend) = make_queue(size=2), (make_player(), make_player("friend"))
    party_of(leader, friend)
    ban(friend)
    values = refused("member-barred", queueing.queue_party, leader, queue, now=NOW)
    assert values == {"player": "friend"}


def test_a_party_larger_than_a_team_is_too_large_here():
    make_queue("large", size=3)
    queue, people = make_queue(size=2), [make_player() for _ in range(3)]
    party_of(*people)
    values = refused("party-too-large", queueing.queue_party, people[0], queue, now=NOW)
    assert values == {"count": 3, "mode": "Duel", "most": 2}


@pytest.mark.parametrize("size", [1, 3])
def test_queueing_costs_as_many_queries_for_three_as_for_one(size):
    make_queue(size=3)
    people, wish = [make_player() for _ in range(size)], queueing.Wish()
    queue = Queue.objects.select_related("mode").get()
    with CaptureQueriesContext(connection) as captured:
        queueing._queue(queue, people, {player.pk: wish for player in people}, wish, None, NOW)
    assert len(captured) == 16


def test_mode_has_its_queue():
    queue = make_queue()
    assert Mode.objects.get().queue == queue
    assert all(refusal_words(f"{code}:{end}", {}) for code in ("over", "not-ready") for end in lifecycle.LOBBY.ends)
