"""Servers that come back without a match that they hosted: it is lost after minutes, not after the longest match."""

import pytest

from matchmaking import lifecycle
from matchmaking.lobbies.aborting import abort_lobby
from matchmaking.lobbies.page import load_lobby_page
from matchmaking.lobbies.silence import note_scores
from matchmaking.lobbies.sweep import sweep
from matchmaking.models import Lobby, Server, UnreportedLoss
from matchmaking.queues.queueing import find_ticket
from ranking.models import Change, Incident
from tests.support.matchmaking import accept_all, later, make_lobby, make_queue, make_server, queue_up, start, states
from tests.support.matchmaking_calls import heartbeat
from tests.support.savepoints import rolled_back

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

LISTED, EMPTY, SILENT = "lists it", "lists nothing", "sends no list"


def play(heartbeats, **settings):
    """A live lobby since second 3, its players, after these heartbeats: by second, what the server tells."""
    queue = make_queue(**settings)
    make_server(queue.mode, name="eu1")
    lobby, people = make_lobby(queue)
    start(accept_all(lobby))
    last = 0
    for second, told in heartbeats.items():
        for moment in range(last + 5, second, 5):
            sweep(later(moment))
        server, last = make_server(queue.mode, name="eu1", at=second), second
        if told != SILENT:
            note_scores(server, {lobby.pk: [1, 2]} if told == LISTED else {})
    lobby.refresh_from_db()
    return lobby, people


MISSING = (
    ({5: LISTED, 10: EMPTY}, 10),
    ({5: LISTED, 10: EMPTY, 15: EMPTY, 20: EMPTY}, 10),
    ({5: LISTED, 10: EMPTY, 15: SILENT}, 10),
    ({5: LISTED, 40: EMPTY}, 40),  # it fell silent meanwhile
    ({5: SILENT, 60: EMPTY}, 60),  # it never told anything before
    ({5: LISTED, 10: EMPTY, 15: LISTED}, None),
    ({5: LISTED, 10: EMPTY, 15: LISTED, 20: EMPTY}, 20),
    ({5: LISTED, 60: LISTED}, None),
    ({5: EMPTY, 10: EMPTY, 15: EMPTY}, None),  # it hasn't begun to list it
    ({5: LISTED, 10: SILENT, 15: SILENT}, None),
    ({5: SILENT, 10: SILENT, 60: SILENT}, None),
)


def test_since_when_a_match_is_missing():
    found = []
    for heartbeats, _ in MISSING:
        with rolled_back():
            found.append((heartbeats, play(heartbeats)[0].missing_at))
    assert found == [(heartbeats, missing and later(missing)) for heartbeats, missing in MISSING]


def test_it_is_lost_after_the_queues_time_and_its_players_may_queue_again():
    lobby, people = play({5: LISTED, 10: EMPTY}, lost_seconds=60)
    assert (sweep(later(69)), states(lobby)) == (0, [lifecycle.LIVE])
    assert (sweep(later(70)), states(lobby)) == (1, [lifecycle.LOST])
    assert (lobby.ending_code, find_ticket(people[0])) == ("server-forgot", None)
    assert (Server.objects.get().busy, Change.objects.count(), Incident.objects.count()) == (0, 0, 0)
    assert queue_up(lobby.queue, people[0], at=71).state == lifecycle.WAITING


def test_three_minutes_unless_the_queue_says_otherwise():
    play({5: LISTED, 10: EMPTY})
    assert [sweep(later(second)) for second in (189, 190)] == [0, 1]


def test_a_match_that_the_server_finds_again_goes_on():
    lobby, _ = play({5: LISTED, 10: EMPTY, 150: LISTED})
    assert (sweep(later(400)), states(lobby)) == (0, [lifecycle.LIVE])


def test_its_page_says_so():
    lobby, [one, _] = play({5: LISTED})
    before = load_lobby_page(Lobby.objects.select_related("queue__mode", "server").get(), one, later(9)).facts
    note_scores(make_server(lobby.queue.mode, name="eu1", at=10), {})
    assert load_lobby_page(Lobby.objects.select_related("queue__mode", "server").get(), one, later(11)).facts != before


def test_by_heartbeat(clock):
    lobby, _ = play({5: LISTED})
    clock(10)
    assert heartbeat(matches=[]).status == 200
    lobby.refresh_from_db()
    assert lobby.missing_at == later(10)
    clock(20)
    heartbeat(matches=[{"lobby": lobby.pk, "scores": [1, 2]}])
    lobby.refresh_from_db()
    assert (lobby.missing_at, lobby.silent_at) == (None, None)


def test_calling_a_crashed_match_off_hides_nobody_who_was_behind():
    """A server that a loser has crashed is started again, and calls its old matches off."""
    lobby, [one, other] = play({5: LISTED, 10: EMPTY})
    abort_lobby(lobby.pk, source=lobby.server.source, reason="I was started again.", now=later(12))
    assert states(lobby) == [lifecycle.ABORTED]
    behind = [player for team, score in zip(lobby.teams, [1, 2], strict=True) if score == 1 for player in team]
    assert [row.player_id for row in UnreportedLoss.objects.all()] == behind
    assert (Incident.objects.count(), find_ticket(one), find_ticket(other)) == (0, None, None)
