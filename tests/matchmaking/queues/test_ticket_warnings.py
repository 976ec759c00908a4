"""What players who wait are told of what keeps a match from being found."""

import re

import pytest

from matchmaking.queues.queueing import cancel_ticket
from matchmaking.queues.ticket_warnings import find_filter_warning, find_rematch_warning
from ranking.models import Player
from ranking.seasons.reset_tables import find_ranks
from ranking.standings.publishing import publish
from tests.support.caches import forget_waits
from tests.support.factories import NOW, record
from tests.support.matchmaking import form, later, make_player, make_queue, queue_up
from tests.support.savepoints import rolled_back
from tests.support.seasons import season_of

pytestmark = pytest.mark.django_db


def filter_warning(ticket):
    ranks = find_ranks(season_of(ticket.queue.mode))
    return find_filter_warning(ticket, list(ticket.members.all()), ranks)


def numbers_in(warning):
    """How many others the filter holds, and how many a match needs."""
    return re.search(r"holds (\w+) other .* needs (\d+)", warning).groups()


def test_a_strict_filter_that_fits_nobody_is_told_so():
    queue = make_queue()
    for number in range(10):
        record([f"w{number}"], [f"l{number}"])
    record(["w0"], ["w1"])
    publish(queue.mode, now=NOW)
    best = queue_up(queue, Player.objects.get(key="w0"), width=1, strict=True)
    assert numbers_in(filter_warning(best)) == ("no", "1")
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
    warnings = []
    for wish in ({"width": 1, "strict": True}, {"width": 50, "strict": True}, {"width": 100, "strict": True}, {}):
        ticket = queue_up(queue, Player.objects.get(key="w0"), **wish)
        warnings.append(filter_warning(ticket))
        cancel_ticket(ticket, by=None, now=NOW)
    assert [warning and numbers_in(warning) for warning in warnings] == [("no", "11"), ("9", "11"), "", ""]
    queue.mode.team_count = 4
    ticket = queue_up(queue, Player.objects.get(key="w0"))
    assert numbers_in(filter_warning(ticket)) == ("19", "23")
    assert ["choose a wider one" in warning for warning in (*warnings[:2], filter_warning(ticket))] == [
        True, True, False,
    ]  # fmt: skip


def test_among_nobody_everybody_is_in_the_middle():
    assert filter_warning(queue_up(make_queue(), width=1, strict=True)) == ""


# settings, how often they have met, until when they are told they don't meet, and whether that is for meeting twice
ALONE = (
    ({}, 0, None, False),
    ({}, 1, "12:10", False),
    ({}, 2, "18:01", True),
    ({"rematches": "none"}, 1, "18:00", False),
    ({"rematches": "any"}, 2, "12:11", False),
    ({"strategy": "fifo"}, 2, "18:01", True),
    ({"rematch_after": 0}, 1, None, False),
)


def test_two_who_are_alone_are_told_why_they_do_not_meet(subtests):
    """And it is true: the tick forms no match until the time that they are told, and then it does."""
    for row in ALONE:
        with subtests.test(row), rolled_back():
            check_two_alone(*row)


def check_two_alone(settings, met, until, twice):
    queue, (one, other) = make_queue(longest_wait=86_400, **settings), (make_player("a"), make_player("b"))
    for number in range(met):
        record(["a"], ["b"], now=later(60 * number), ended_at=later(60 * number))
    queue_up(queue, one, at=100)
    queue_up(queue, other, at=100)
    forget_waits()
    told = find_rematch_warning(queue, later(101))
    assert re.findall(r"before (\d\d:\d\d) UTC on 20 May,", told) == ([until] if until else [])
    assert ("twice in a row" in told, bool(told)) == (twice, bool(until))
    assert bool(form(queue, 101)) is not bool(told)
    if until:
        hour, minute = map(int, until.split(":"))
        seconds = ((hour - 12) * 60 + minute) * 60
        assert form(queue, seconds - 1) == []
        assert find_rematch_warning(queue, later(seconds)) == ""
        assert len(form(queue, seconds)) == 1


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
