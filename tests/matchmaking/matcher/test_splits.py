"""The exact split, against trying everything; what blocks and last matches ask of it."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchmaking.matcher.tickets import MatchRules
from tests.support.splits import split
from tests.support.tickets import NOW, ticket


def brute(parties, rules):
    """The smallest difference over every way to seat these parties."""
    least = float("inf")
    for sides in product(range(rules.team_count), repeat=len(parties)):
        teams = [[x for party, side in zip(parties, sides, strict=True) if side == team for x in party]
                 for team in range(rules.team_count)]  # fmt: skip
        if all(len(team) == rules.team_size for team in teams):
            means = [sum(team) / rules.team_size for team in teams]
            least = min(least, max(means) - min(means))
    return least


@st.composite
def lobbies(draw):
    size, count = draw(st.sampled_from([(1, 2), (2, 2), (3, 2), (4, 2), (2, 3), (1, 5), (3, 3)]))
    left, parties = size * count, []
    while left:
        party = draw(st.integers(1, min(left, size)))
        parties.append([draw(st.integers(0, 3000)) for _ in range(party)])
        left -= party
    return MatchRules(size, count), parties


@given(lobbies())
def test_a_split_equals_brute_force(lobby):
    rules, parties = lobby
    _, difference = split(rules, *(ticket(f"t{i}", *party) for i, party in enumerate(parties)))
    assert difference == pytest.approx(brute(parties, rules), abs=1e-9)


def test_blocked_players_are_apart_and_last_opponents_together():
    a, b, c = ticket("a", 10), ticket("b", 20), ticket("c", 30)
    free = [a, b, c, ticket("d", 40)]
    assert split(MatchRules(2), *free)[0] == {"a": 0, "d": 0, "b": 1, "c": 1}
    blocks = [a, b, c, ticket("d", 40, blocked=["a"])]
    assert split(MatchRules(2), *blocks)[0] == {"a": 0, "c": 0, "b": 1, "d": 1}
    recent = [a, b, c, ticket("d", 40, recent=[("b", NOW - 599)])]
    assert split(MatchRules(2), *recent)[0] == {"a": 0, "c": 0, "b": 1, "d": 1}
    long_ago = [a, b, c, ticket("d", 40, recent=[("b", NOW - 600)])]
    assert split(MatchRules(2), *long_ago) == split(MatchRules(2), *free)
    neither = [a, b, c, ticket("d", 40, blocked=["a"], recent=[("a", NOW - 1)])]
    assert split(MatchRules(2), *neither)[1] == np.inf


def test_largest_parties_may_differ_by_so_much():
    tickets = [ticket("p", 10, 10, 10), ticket("s", 10), ticket("q", 10, 10), ticket("x", 10), ticket("y", 10)]
    assert split(MatchRules(4), *tickets)[1] == 0
    assert split(MatchRules(4, max_party_difference=1), *tickets)[1] == 0
    assert split(MatchRules(4, max_party_difference=0), *tickets)[1] == np.inf
