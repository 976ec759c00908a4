"""Matches of several sizes: the largest that can begin, and a smaller one once somebody has waited."""

import numpy as np
import pytest

from matchmaking.matcher.fifo import find_next_in_line
from matchmaking.matcher.find import find_matches
from matchmaking.matcher.pool import make_pool, part_of
from matchmaking.matcher.tickets import MatchRules
from matchmaking.planning.ticket_files import read_tickets
from tests.support.match_rules import broken_rules
from tests.support.tickets import NOW, document, ticket

FREE_FOR_ALL = MatchRules(1, 12, fewest_teams=3)
BOTH = pytest.mark.parametrize("find", [find_matches, find_next_in_line])


def waiting(*waits):
    return make_pool([ticket(f"t{number:02}", 1000, waited=waited) for number, waited in enumerate(waits)])


def sizes(find, pool, rules=FREE_FOR_ALL):
    return [len(match.teams) for match in find(pool, rules, NOW)]


@BOTH
def test_the_largest_match_begins_and_a_smaller_one_after_a_while(find, subtests):
    for waits, found in [
        ([1] * 12, [12]),
        ([1] * 11, []),
        ([30, *[1] * 10], [11]),
        ([31, 1, 1], [3]),
        ([31, 1], []),
        ([29, 29, 29, 29], []),
        ([90] * 27, [12, 12, 3]),
        ([90] * 26, [12, 12]),
    ]:  # fmt: skip
        with subtests.test(waits=waits, found=found):
            assert sizes(find, waiting(*waits)) == found


@BOTH
def test_teams_of_several(find):
    rules = MatchRules(2, 4, fewest_teams=2, fill_after=10)
    assert sizes(find, waiting(*[11] * 7), rules) == [3]
    assert sizes(find, waiting(*[9] * 8), rules) == [4]
    assert sizes(find, waiting(*[9] * 7), rules) == []


def test_smaller_matches_keep_every_rule():
    content = document(41, 200)
    tickets, now = read_tickets(content)
    whole = MatchRules(1, 10)
    matches = [match.teams for match in find_matches(make_pool(tickets), MatchRules(1, 10, fewest_teams=2), now)]
    assert {len(teams) for teams in matches} > {10}
    for size in {len(teams) for teams in matches}:
        assert broken_rules(content, [teams for teams in matches if len(teams) == size], 1, size) == set(), size
    largest = [match.teams for match in find_matches(make_pool(tickets), whole, now)]
    assert [teams for teams in matches if len(teams) == 10] == largest


def test_a_part_of_a_pool_is_the_pool_of_these_tickets():
    tickets, _ = read_tickets(document(3, 60))
    pool, chosen = make_pool(tickets), [number % 3 > 0 for number in range(len(make_pool(tickets)))]
    part = part_of(pool, np.array(chosen))
    names = {name for name, kept in zip(pool.ids, chosen, strict=True) if kept}
    own = make_pool([ticket for ticket in tickets if ticket.id in names])
    assert (part.ids, part.players) == (own.ids, own.players)
    for name in ("first", "size", "strength", "percentile", "width", "strict", "waited", "pings"):
        assert np.array_equal(getattr(part, name), getattr(own, name)), name
    for name in ("blocks", "recents"):
        assert sorted(getattr(part, name).tolist()) == sorted(getattr(own, name).tolist()), name
    assert len(part.recents) == len(part.recent_at) == len(part.again)


@pytest.mark.parametrize("fewest", [1, 4])
def test_impossible_sizes_are_refused(fewest):
    with pytest.raises(ValueError, match="A match has 2 to 3 teams"):
        MatchRules(1, 3, fewest_teams=fewest)
