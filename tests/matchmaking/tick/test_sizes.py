"""A queue of a free-for-all of several sizes."""

import pytest

from tests.support.matchmaking import form, make_queue, players, queue_up

pytestmark = pytest.mark.django_db


def test_a_smaller_match_begins_once_its_oldest_ticket_has_waited():
    queue = make_queue(mode={"system": "trueskill", "team_count": 8, "team_count_min": 3}, fill_after=30)
    for player in players(5):
        queue_up(queue, player, width=100)
    assert form(queue, at=20) == []
    [lobby] = form(queue, at=31)
    assert len(lobby.teams) == 5


def test_a_full_match_begins_at_once():
    queue = make_queue(mode={"system": "trueskill", "team_count": 4, "team_count_min": 3})
    for player in players(4):
        queue_up(queue, player, width=100)
    [lobby] = form(queue)
    assert len(lobby.teams) == 4
