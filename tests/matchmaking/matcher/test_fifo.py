"""The next in line play, whatever their skill."""

from matchmaking.matcher.fifo import find_next_in_line
from matchmaking.matcher.pool import make_pool
from matchmaking.matcher.tickets import MatchRules
from matchmaking.planning.ticket_files import read_tickets
from tests.support.match_rules import broken_rules
from tests.support.tickets import NOW, document, ticket


def lined_up(rules, *tickets):
    return [match.tickets for match in find_next_in_line(make_pool(tickets), rules, NOW)]


def t(name, waited, *strengths, **fields):
    return ticket(name, *(strengths or (1000,)), waited=waited, **fields)


def test_one_against_one(subtests):
    for tickets, matches in [
        ([t("a", 4, 100), t("b", 3, 1900), t("c", 2), t("d", 1)], [("a", "b"), ("c", "d")]),
        ([t("a", 4), t("b", 3, pings={"us": 9}), t("c", 2), t("d", 1, pings={"us": 5})], [("a", "c"), ("b", "d")]),
        ([t("a", 4), t("b", 3, recent=[("a", NOW - 5)]), t("c", 2)], [("a", "c")]),
        ([t("a", 4), t("p", 3, 1000, 1000), t("b", 2)], [("a", "b")]),
        ([t("a", 4, pings={}), t("b", 3), t("c", 2)], [("b", "c")]),
        ([t("a", 4)], []), ([], []),
    ]:  # fmt: skip
        with subtests.test(tickets=tickets, matches=matches):
            assert lined_up(MatchRules(1), *tickets) == matches


def test_parties_stay_whole_and_teams_are_balanced():
    [match] = find_next_in_line(
        make_pool([t("p", 9, 10, 10), t("a", 8, 5), t("b", 7, 15), t("c", 6)]), MatchRules(2), NOW
    )
    assert (match.teams, match.difference) == ((("p1", "p2"), ("a", "b")), 0)


def test_every_other_rule_holds():
    content = document(31, 300)
    tickets, now = read_tickets(content)
    matches = [match.teams for match in find_next_in_line(make_pool(tickets), MatchRules(4), now)]
    assert len(matches) > 20
    assert broken_rules(content, matches, 4) <= {"window"}
