"""Every rule holds in every match, on files of many shapes."""

import random

import pytest

from matchmaking.matcher.find import find_matches
from matchmaking.matcher.pool import make_pool
from matchmaking.matcher.tickets import MatchRules
from matchmaking.planning.ticket_files import read_tickets
from tests.support.match_rules import broken_rules
from tests.support.tickets import document

FILES = [(seed, players, size, count)
         for seed, (players, size, count) in enumerate([
             (8, 1, 2), (9, 2, 2), (14, 1, 2), (14, 4, 2), (20, 2, 2), (40, 2, 2), (60, 3, 2), (90, 4, 2), (120, 5, 2),
             (150, 1, 2), (200, 4, 2), (300, 4, 2), (400, 3, 2), (500, 4, 2), (60, 1, 6), (90, 2, 3), (200, 2, 4),
             (13, 1, 3), (300, 6, 2), (700, 4, 2),
         ], start=1)]  # fmt: skip


def matches_of(content, rules):
    tickets, now = read_tickets(content)
    return [match.teams for match in find_matches(make_pool(tickets), rules, now)]


def test_no_match_breaks_a_rule():
    broken, idle = {}, []
    for row in FILES:
        seed, players, team_size, team_count = row
        content = document(seed, players)
        matches = matches_of(content, MatchRules(team_size, team_count))
        broken[row] = broken_rules(content, matches, team_size, team_count)
        if players >= 20 * team_size * team_count and not matches:
            idle.append(row)
    assert ({row: rules for row, rules in broken.items() if rules}, idle) == ({}, [])


@pytest.mark.parametrize("players", [14, 200])
def test_the_order_of_tickets_does_not_matter(players):
    content = document(5, players)
    answer = matches_of(content, MatchRules(1))
    random.Random(1).shuffle(content["tickets"])
    assert answer == matches_of(content, MatchRules(1)) != []
