"""At most fourteen tickets: as good as trying every set of matches."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchmaking.matcher.find import find_matches
from matchmaking.matcher.pool import make_pool
from matchmaking.matcher.tickets import ChanceBound, MatchRules
from tests.support.examples import examples
from tests.support.tickets import NOW, ticket

REGIONS = [{"eu": 20.0}, {"us": 30.0}, {"eu": 90.0, "us": 40.0}]


def find(rules, *tickets):
    return find_matches(make_pool(tickets), rules, NOW)


def brute(rules, tickets):
    """(who is matched, oldest first, as flags; minus the summed difference) of the best answer. Each match by itself
    is the matcher's for exactly these tickets."""
    line = sorted(tickets, key=lambda ticket: (ticket.queued_at, ticket.id))
    legal = {}
    for count in range(rules.team_count, rules.players + 1):
        for group in combinations(range(len(line)), count):
            if sum(len(line[i].members) for i in group) == rules.players:
                match = find(rules, *(line[i] for i in group))
                if match:
                    legal[group] = match[0].difference

    def answers(left, done, cost):
        yield tuple(i in done for i in range(len(line))), -cost
        for group, difference in legal.items():
            if min(group) >= left and not done & set(group):
                yield from answers(min(group) + 1, done | set(group), cost + difference)

    return max(answers(0, frozenset(), 0.0))


@st.composite
def queues(draw):
    return [
        ticket(
            f"t{number}", *draw(st.lists(st.integers(600, 1400), min_size=1, max_size=2)),
            waited=draw(st.integers(0, 50)), width=draw(st.sampled_from([5, 10, 20])), strict=draw(st.booleans()),
            pings=draw(st.sampled_from(REGIONS)), blocked=draw(st.lists(st.just("t0"), max_size=1)) if number else (),
        )
        for number in range(draw(st.integers(0, 8)))
    ]  # fmt: skip


@examples(60, deadline=None)
@given(queues(), st.sampled_from([(1, 2), (2, 2), (1, 3)]))
def test_the_answer_equals_an_exhaustive_search(tickets, teams):
    rules = MatchRules(*teams)
    matches = find(rules, *tickets)
    line = sorted(tickets, key=lambda ticket: (ticket.queued_at, ticket.id))
    matched = {name for match in matches for name in match.tickets}
    flags, cost = brute(rules, tickets)
    assert tuple(ticket.id in matched for ticket in line) == flags
    assert sum(match.difference for match in matches) == pytest.approx(-cost, abs=1e-6)


def test_the_oldest_goes_first_even_where_others_fit_better():
    tickets = [ticket("old", 1000, waited=9), ticket("b", 1150, waited=5), ticket("c", 1150, waited=4)]
    assert [match.tickets for match in find(MatchRules(1), *tickets)] == [("old", "b")]


def test_the_region_is_the_one_with_the_lowest_worst_ping():
    tickets = [ticket("a", 1000, pings={"eu": 10, "us": 60}), ticket("b", 1000, pings={"eu": 90, "us": 70})]
    assert [match.region for match in find(MatchRules(1), *tickets)] == ["us"]


def test_the_bound_relaxes_with_waiting(subtests):
    for gap, waited, count in [(70, 0, 1), (71, 0, 0), (126, 60, 1), (128, 60, 0), (190, 120, 1), (192, 120, 0)]:
        with subtests.test(gap=gap, waited=waited, count=count):
            tickets = [ticket("a", 1000, waited=waited, width=100), ticket("b", 1000 + gap, width=100)]
            assert len(find(MatchRules(1, bound=ChanceBound(scale=400)), *tickets)) == count


@pytest.mark.parametrize(("spread", "count"), [(99, 0), (100, 1)])
def test_the_spread_of_a_match_is_bounded(spread, count):
    tickets = [ticket(f"t{number}", 1000 + 100 * (number % 2)) for number in range(2)]
    assert len(find(MatchRules(1, max_spread=spread), *tickets)) == count
    many = [ticket(f"t{number}", 500 + 300 * (number % 2) + number, width=100) for number in range(20)]
    assert {match.difference > spread for match in find(MatchRules(1, max_spread=spread), *many)} == {False}
