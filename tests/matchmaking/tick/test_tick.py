"""The tick: what it loads, whom it matches, what it leaves."""

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.models import Blocking
from leaderboards.people.following import avoid_player
from matchmaking import lifecycle
from matchmaking.matcher.pool import make_pool
from matchmaking.matcher.tickets import Member, WaitingTicket
from matchmaking.models import Formed, Lobby, Queue, Ticket, TicketMember
from matchmaking.queues.match_rules import rules_of, scale_of, strategy_of
from matchmaking.queues.queueing import find_ticket
from matchmaking.tick import _claiming as claiming
from matchmaking.tick import tick
from matchmaking.tick._loading import load_queue
from ranking.modes.parameters import current_parameters, system_of
from ranking.systems.registry import get_system
from tests.support.examples import examples
from tests.support.factories import NOW, record
from tests.support.matchmaking import (  # fmt: skip
    form,
    later,
    make_lobby,
    make_player,
    make_queue,
    make_server,
    people_of,
    queue_up,
    states,
)
from tests.support.refusing_databases import deadlocks
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


def put(queue, percentile, *, at=0.0, strength=25.0, **more):
    """A ticket of a player of this percentile."""
    ticket = queue_up(queue, at=at, **more)
    ticket.members.update(percentile=percentile, strength=strength, display_hundredths=round(strength * 100))
    return ticket


def test_columns_are_those_that_the_matcher_makes_of_tickets():
    queue = make_queue(size=2)
    queue_up(queue, at=3, pings={"eu": 20, "us": 90})
    queue_up(queue, at=1, width=5, strict=True, pings={"eu": 40})
    queue_up(queue, at=2)
    one, other = (member.player for member in TicketMember.objects.order_by("player")[:2])
    Blocking.objects.create(blocker=other, blocked=one, since=NOW)
    record([one.key], [other.key], ended_at=later(-60))
    found = load_queue(queue, later(31), ["ap"]).pool
    tickets = []
    for ticket in Ticket.objects.all():
        member = ticket.members.get()
        recent = {one.pk: other.pk, other.pk: one.pk}.get(member.player_id)
        pings = ticket.pings or {"ap": 0.0, "eu": 0.0, "us": 0.0}
        tickets.append(WaitingTicket(
            str(ticket.pk),
            (Member(str(member.player_id), member.strength, member.percentile, member.width, member.strict,
                    ticket.waited_at(later(31)), (str(one.pk),) if member.player_id == other.pk else (),
                    ((str(recent), later(-60).timestamp()),) if recent else ()),),
            ticket.queued_at.timestamp(), pings,
        ))  # fmt: skip
    expected = make_pool(tickets)
    assert (found.ids, found.players, found.regions) == (expected.ids, expected.players, ("ap", "eu", "us"))
    for name in (
        "first",
        "size",
        "strength",
        "percentile",
        "width",
        "strict",
        "waited",
        "blocks",
        "recent_at",
        "again",
    ):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist(), name
    assert sorted(found.recents.tolist()) == sorted(expected.recents.tolist())
    assert found.pings[:, 1:].tolist() == expected.pings[:, -2:].tolist()
    assert found.pings[:, 0].tolist() == [float("inf"), 0.0, float("inf")]


# Rematches, how often they met, whether others came between, seconds after the last match → matches formed.
REMATCHES = {
    ("once", 1, False, 601): 1, ("once", 2, False, 601): 0, ("once", 2, False, 21_599): 0,
    ("once", 2, False, 21_601): 1, ("once", 2, True, 601): 1, ("none", 1, False, 601): 0,
    ("none", 1, False, 21_601): 1, ("any", 2, False, 599): 0, ("any", 2, False, 601): 1,
}  # fmt: skip


def test_two_who_are_alone_get_as_many_matches_as_the_queue_allows():
    queue, (a, b, c, d) = make_queue(), (make_player(name) for name in "abcd")
    formed = {}
    for rematches, met, between, after in REMATCHES:
        with rolled_back():
            queue.rematches = rematches
            queue.save()
            for number in range(met):
                record([a.key], [b.key], ended_at=later(-100 + number))
                if between and number == 0:  # so that the two matches aren't in a row
                    record([a.key], [c.key], ended_at=later(-100 + 0.2))
                    record([b.key], [d.key], ended_at=later(-100 + 0.3))
            end = -100 + met - 1
            for player in (a, b):
                queue_up(queue, player, at=end + after - 1, width=100)
            formed[rematches, met, between, after] = len(form(queue, end + after))
    assert formed == REMATCHES


def test_opponents_of_the_last_match_dont_meet_until_both_have_played_another():
    queue, (a, b) = make_queue(), (make_player("a"), make_player("b"))
    record(["a"], ["b"], ended_at=later(-100))
    queue_up(queue, a)
    queue_up(queue, b)
    assert form(queue, 1) == []
    record(["a"], ["c"], ended_at=later(-50))
    assert form(queue, 2) == []
    record(["b"], ["d"], ended_at=later(-40))
    assert len(form(queue, 3)) == 1


def test_opponents_meet_again_after_ten_minutes():
    queue, (a, b) = make_queue(), (make_player("a"), make_player("b"))
    record(["a"], ["b"], ended_at=later(0))
    queue_up(queue, a)
    queue_up(queue, b)
    assert [len(form(queue, at)) for at in (599, 601)] == [0, 1]


def test_the_blocked_are_never_on_ones_team():
    queue, people = make_queue(size=2), [make_player() for _ in range(4)]
    for player in people:
        queue_up(queue, player)
    for one, other in ((0, 1), (1, 2)):
        Blocking.objects.create(blocker=people[one], blocked=people[other], since=NOW)
    [lobby] = form(queue)
    assert sorted(map(sorted, lobby.teams)) == [[people[0].pk, people[2].pk], [people[1].pk, people[3].pk]]


def test_the_avoided_neither_for_thirty_days():
    for day, together in ((29, False), (31, True)):
        queue, people = make_queue(f"day-{day}", size=2), [make_player() for _ in range(4)]
        for player in people:
            queue_up(queue, player)
        for one, other in ((0, 1), (2, 3), (0, 2)):
            avoid_player(people[one], people[other], now=later(-86_400 * day))
        [lobby] = form(queue)
        teams = [{*team} for team in lobby.teams]
        assert ({people[0].pk, people[3].pk} in teams) is not together, day


def test_windows_are_of_the_snapshot_and_widen_by_the_clock():
    queue = make_queue()
    put(queue, 50)
    put(queue, 65)
    assert [len(form(queue, at)) for at in (1, 19, 20)] == [0, 0, 1]


def test_time_in_a_lobby_widens_nothing():
    from matchmaking.lobbies import accepting as lobbies

    queue = make_queue()
    queue_up(queue, make_player("rude"))
    stays = put(queue, 50)
    [lobby] = form(queue, 1)
    rude = next(player for player in people_of(lobby) if player.key == "rude")
    lobbies.decline(lobby.pk, rude, now=later(18))
    put(queue, 65, at=0)
    assert [len(form(queue, at)) for at in (20, 36, 37)] == [0, 0, 1]  # 1 s before, 19 s after
    assert states(stays) == [lifecycle.MATCHED]


def test_a_lobby_knows_places_and_its_history_names_nobody():
    queue = make_queue(size=2, variants=["Foundry"])
    for strength in (10, 30, 20, 30):
        put(queue, 50, strength=float(strength), pings={"eu": 20, "us": 10})
    [lobby] = form(queue, 5)
    rating = dict(TicketMember.objects.values_list("player", "strength"))
    assert [[rating[player] for player in team] for team in lobby.teams] in ([[10, 30], [20, 30]], [[10, 30], [30, 20]])
    assert lobby.places == [[{10: 4, 20: 3, 30: 1}[rating[player]] for player in team] for team in lobby.teams]
    assert (lobby.region, lobby.variant, lobby.difference) == ("us", "Foundry", 5.0)
    told = Formed.objects.get()
    assert (told.difference, told.spread, told.longest_wait, told.waits) == (5.0, 20.0, 5.0, [[50, 1, 5.0]] * 4)


def test_fifo_goes_over_to_skill_above_so_many_in_the_queue():
    queue = make_queue(strategy="fifo", skill_above=3)
    put(queue, 1)
    put(queue, 100)
    assert (strategy_of(queue), len(form(queue, 1))) == ("fifo", 1)
    for percentile in (1, 100):
        put(queue, percentile)
    assert (strategy_of(queue), len(form(queue, 2))) == ("skill", 0)
    assert strategy_of(make_queue("always", strategy="fifo")) == "fifo"


@pytest.mark.parametrize(("bound", "formed"), [(None, 1), (0.6, 0), (0.9, 1)])
def test_the_favourite_may_be_so_likely_to_win_and_no_more(bound, formed):
    queue = make_queue(favourite=bound, favourite_end=bound or 0.75)
    system = system_of(current_parameters(queue.mode))
    even = scale_of(system, 1)
    put(queue, 50, strength=25.0)
    put(queue, 50, strength=25.0 + even / 2)  # odds of √10 : 1, about 76 %
    assert len(form(queue)) == formed


def test_every_systems_scale_makes_odds_of_ten_to_one(subtests):
    for key in ["elo", "trueskill", "weng-lin", "team-ratio", "glicko-2", "two-layer", "margin"]:
        with subtests.test(key=key):
            from matchmaking.queues.match_rules import _chance

            system = get_system(key, {})
            size = system.max_team_size or 3
            scale = scale_of(system, size)
            base = system.to_state(system.newcomer())
            assert scale is not None
            assert _chance(system, base, scale, size) == pytest.approx(10 / 11, abs=2e-3)


def test_a_ticket_cancelled_meanwhile_drops_its_proposal_only(monkeypatch):
    queue = make_queue()
    tickets = [queue_up(queue, at=number / 10) for number in range(6)]

    def claim(claims, now):
        Ticket.objects.filter(pk=tickets[2].pk).update(state=lifecycle.CANCELLED, ended_at=now)
        return claiming.claim_tickets(claims, now)

    monkeypatch.setattr(tick, "claim_tickets", claim)
    lobbies = form(queue)
    assert len(lobbies) == 2
    gone, waits = states(tickets[2])[0], [ticket for ticket in tickets if states(ticket) == [lifecycle.WAITING]]
    assert (gone, len(waits), waits[0].lobby, waits[0].matched_at) == (lifecycle.CANCELLED, 1, None, None)
    assert sorted(Formed.objects.values_list("queue", flat=True)) == [queue.pk] * 2


def test_what_the_tick_took_is_told():
    queue = make_queue()
    make_lobby(queue)
    queue.refresh_from_db()
    assert (queue.ticked_at, queue.tick_tickets, queue.tick_lobbies, queue.tick_seconds > 0) == (later(1), 2, 1, True)


@pytest.mark.parametrize("lobbies", [1, 3])
def test_a_tick_costs_as_many_queries_for_three_lobbies_as_for_one(lobbies):
    queue = make_queue(size=2, skill_above=1, strategy="fifo")
    make_server(queue.mode, capacity=9)
    for _ in range(4 * lobbies):
        queue_up(queue)
    queue = Queue.objects.select_related("mode").get()
    with CaptureQueriesContext(connection) as captured:
        assert len(form(queue)) == lobbies
    assert len(captured) - captured_outside(captured) == 10 + (connection.vendor == "postgresql")


def captured_outside(captured):
    """Savepoints, and the query of the test itself."""
    return sum("SAVEPOINT" in query["sql"] for query in captured.captured_queries) + 1


@examples(25, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 100), st.integers(0, 60), st.booleans()), max_size=24), st.integers(1, 3))
def test_everybody_is_waiting_or_in_one_lobby_whose_players_its_tickets_have(people, size):
    with rolled_back():
        queue = make_queue(f"mode{len(people)}", size=size)
        for percentile, at, strict in people:
            put(queue, percentile, at=float(at), strict=strict)
        for at in (61, 63, 90):
            form(queue, at)
        seats = [player for lobby in Lobby.objects.filter(queue=queue) for player in lobby.players]
        assert len(seats) == len(set(seats))
        matched = TicketMember.objects.filter(ticket__queue=queue, ticket__state=lifecycle.MATCHED)
        assert sorted(seats) == sorted(matched.values_list("player", flat=True))
        waiting = Ticket.objects.filter(queue=queue, state=lifecycle.WAITING).count()
        assert waiting + len(seats) == len(people)
        for member in matched.select_related("ticket__lobby"):
            assert member.player_id in member.ticket.lobby.teams[member.ticket.team]


def test_find_ticket_of_who_never_queued():
    assert find_ticket(make_player()) is None
    assert rules_of(make_queue()).bound is None


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no COPY.")
def test_a_deadlock_that_copy_meets_is_an_error_of_the_database():
    queue = make_queue(size=1)
    queue_up(queue)
    queue_up(queue)
    with deadlocks(Lobby, 1):
        with pytest.raises(OperationalError):
            tick.tick(queue, now=later(1))
        assert len(tick.tick(queue, now=later(1)).lobbies) == 1
