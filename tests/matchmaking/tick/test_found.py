"""Proposals in columns: each row says what its proposal, looked at alone, says."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from matchmaking.matcher.find import find_matches
from matchmaking.matcher.pool import make_pool
from matchmaking.matcher.tickets import MatchRules, Member, WaitingTicket
from matchmaking.tick._formed_lobbies import FormedLobbies, columns_of
from matchmaking.tick._loading import LoadedQueue
from tests.support.examples import examples
from tests.support.tickets import NOW


def waiting_of(lines):
    """Tickets of such party sizes and (strength, display rating, percentile) by player."""
    tickets, member = [], 0
    for number, players in enumerate(lines):
        members = []
        for strength, _, percentile in players:
            member += 1
            members.append(Member(str(1000 + member), strength, percentile, 100.0, waited=number / 3))
        tickets.append(WaitingTicket(str(500 + number), tuple(members), NOW + number, {"eu": 20.0}))
    pool = make_pool(tickets)
    rated = [display for players in lines for _, display, _ in players]
    return LoadedQueue(pool, np.arange(1001, 1001 + member), np.array(rated, np.int64))


players = st.tuples(st.floats(0, 3000), st.integers(1, 5), st.integers(1, 100))
lines = st.lists(st.lists(players, min_size=1, max_size=3), min_size=1, max_size=40)


@given(lines, st.sampled_from([MatchRules(3), MatchRules(2, 3), MatchRules(1, 4)]))
@examples(60)
def test_a_lobbys_columns_are_its_proposals(given_lines, rules):
    waiting = waiting_of([line for line in given_lines if len(line) <= rules.team_size])
    proposals = find_matches(waiting.pool, rules, NOW)
    finds = columns_of(proposals, waiting)
    assert len(set(finds.keys)) == len(finds.keys) == len(proposals)
    ticket_of = dict(zip(waiting.pool.ids, waiting.pool.players, strict=True))
    number = {str(player): place for place, player in enumerate(waiting.player.tolist())}
    claims = []
    for place, proposal in enumerate(proposals):
        rated = {player: int(waiting.hundredths[number[player]]) for team in proposal.teams for player in team}
        order = sorted(rated.values(), reverse=True)
        strengths = [waiting.pool.strength[number[player]] for player in rated]
        assert finds.teams[place] == [[int(player) for player in team] for team in proposal.teams]
        assert finds.places[place] == [[order.index(rated[player]) + 1 for player in team] for team in proposal.teams]
        assert finds.spread[place] == max(strengths) - min(strengths)
        firsts = [number[ticket_of[ticket][0]] for ticket in proposal.tickets]
        assert finds.waits[place] == [
            (waiting.pool.percentile[first], len(ticket_of[ticket]), round(waiting.pool.waited[first], 1))
            for ticket, first in zip(proposal.tickets, firsts, strict=True)
        ]
        for ticket in proposal.tickets:
            [team] = [at for at, team in enumerate(proposal.teams) if ticket_of[ticket][0] in team]
            claims.append((int(ticket), finds.keys[place], team))
    assert finds.claims == claims


def test_nothing_found_has_empty_columns():
    assert columns_of([], waiting_of([[(1.0, 1, 1)]])) == FormedLobbies([], [], [], [], [], [])
