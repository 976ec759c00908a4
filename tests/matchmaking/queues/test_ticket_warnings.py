"""What players who wait are told of what keeps a match from being found."""

import pytest

from matchmaking.queues.queueing import cancel_ticket
from matchmaking.queues.ticket_warnings import find_filter_warning, find_rematch_warning
from ranking.models import Player
from ranking.seasons.reset_tables import find_ranks
from ranking.standings.publishing import publish
from tests.support.caches import forget_waits
from tests.support.factories import NOW, record
from tests.support.matchmaking import form, later, make_player, make_queue, queue_up
from tests.support.seasons import season_of

pytestmark = pytest.mark.django_db


def filter_warning(ticket):
    ranks = find_ranks(season_of(ticket.queue.mode))
    return find_filter_warning(ticket, list(ticket.members.all()), ranks)


def test_a_strict_filter_that_fits_nobody_is_told_so():
    queue = make_queue()
    for number in range(10):
        record([f"w{number}"], [f"l{number}"])
    record(["w0"], ["w1"])
    publish(queue.mode, now=NOW)
    best = queue_up(queue, Player.objects.get(key="w0"), width=1, strict=True)
    said = "Your rank filter holds no other listed player of Duel, and a match needs 1:"
    assert filter_warning(best) == f"{said} choose a wider one, or let the search widen."
    for wish in ({"width": 100, "strict": True}, {"width": 1}):
        cancel_ticket(best, by=None, now=NOW)
        best = queue_up(queue, Player.objects.get(key="w0"), **wish)
        assert filter_warning(best) == ""


def test_a_filter_that_holds_fewer_than_a_match_needs_is_told_with_the_number():
    queue = make_queue(size=6)
    for number in range(10):
        record([f"w{number}"], [f"l{number}"])
    record(["w0"], ["w1"])
    publish(queue.mode, now=NOW)
    for wish, said in (
        (
            {"width": 1, "strict": True},
            "no other listed player of Duel, and a match needs 11: choose a wider one, or let",
        ),
        ({"width": 50, "strict": True}, "9 other listed players of Duel, and a match needs 11: choose a wider one, or"),
        ({"width": 100, "strict": True}, None),
        ({"width": 1}, None),
    ):
        ticket = queue_up(queue, Player.objects.get(key="w0"), **wish)
        warning = filter_warning(ticket)
        assert warning.startswith(f"Your rank filter holds {said}") if said else warning == "", wish
        cancel_ticket(ticket, by=None, now=NOW)
    queue.mode.team_count = 4
    ticket = queue_up(queue, Player.objects.get(key="w0"))
    said = "Your rank filter holds 19 other listed players of Duel, and a match needs 23: it may take long."
    assert filter_warning(ticket) == said


def test_among_nobody_everybody_is_in_the_middle():
    assert filter_warning(queue_up(make_queue(), width=1, strict=True)) == ""


PAUSED = "Only a recent opponent of yours waits besides you. You two aren’t matched again before"
LIMITED = "Only a recent opponent of yours waits besides you. You two have met twice in a row and aren’t matched again"
OR = ", unless each of you plays another match first."


@pytest.mark.parametrize(
    ("settings", "met", "told"),
    [
        ({}, 0, ""),
        ({}, 1, f"{PAUSED} 12:10 UTC on 20 May{OR}"),
        ({}, 2, f"{LIMITED} before 18:01 UTC on 20 May{OR}"),
        ({"rematches": "none"}, 1, f"{PAUSED} 18:00 UTC on 20 May{OR}"),
        ({"rematches": "any"}, 2, f"{PAUSED} 12:11 UTC on 20 May{OR}"),
        ({"strategy": "fifo"}, 2, f"{LIMITED} before 18:01 UTC on 20 May{OR}"),
        ({"rematch_after": 0}, 1, ""),
    ],
)
def test_two_who_are_alone_are_told_why_they_do_not_meet(settings, met, told):
    """And it is true: the tick forms no match until the time that they are told, and then it does."""
    queue, (one, other) = make_queue(longest_wait=86_400, **settings), (make_player("a"), make_player("b"))
    for number in range(met):
        record(["a"], ["b"], now=later(60 * number), ended_at=later(60 * number))
    queue_up(queue, one, at=100)
    queue_up(queue, other, at=100)
    forget_waits()
    assert find_rematch_warning(queue, later(101)) == told
    assert bool(form(queue, 101)) is not bool(told)
    if told:
        hour, minute = map(int, told.split(" before ")[1][:5].split(":"))
        until = ((hour - 12) * 60 + minute) * 60
        assert form(queue, until - 1) == []
        assert find_rematch_warning(queue, later(until)) == ""
        assert len(form(queue, until)) == 1


def test_nobody_is_told_who_is_not_alone_with_a_recent_opponent():
    queue, (one, other) = make_queue(), (make_player("a"), make_player("b"))
    record(["a"], ["b"])
    queue_up(queue, one)
    assert find_rematch_warning(queue, later(1)) == ""
    queue_up(queue, other)
    forget_waits()
    assert find_rematch_warning(queue, later(1)) != ""
    queue_up(queue)
    forget_waits()
    assert find_rematch_warning(queue, later(1)) == ""
