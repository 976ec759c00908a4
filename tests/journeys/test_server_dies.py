"""The example server is killed, hangs or is started again: its players are free in time, and nobody is punished.

The server is a real process. The sweep, which a job does every few seconds, is called with the time at which it is due.
"""

import datetime as dt
import time
from collections.abc import Callable

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from matchmaking import lifecycle
from matchmaking.lobbies import accepting
from matchmaking.lobbies.sweep import sweep
from matchmaking.models import Lobby, Queue, Server, Ticket, UnreportedLoss
from matchmaking.queues.entry import find_running
from matchmaking.queues.queueing import Wish, queue_player
from matchmaking.servers import SILENCE
from matchmaking.tick.tick import tick
from ranking.models import Ban, Change, Forfeit, Incident, Match, Player
from tests.support.api import call, make_key
from tests.support.matchmaking import make_player, make_queue, people_of, states
from tests.support.programs import PATIENCE, Program, example

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

ACCEPT, START, LONGEST, LOST = 20, 60, 600, 180  # seconds of the queue
SECOND = dt.timedelta(seconds=1)


class Rig:
    """A queue with the example server, which is started by `serve`."""

    def __init__(self, url: str, run: Callable[..., Program]) -> None:
        self.url, self.run = url, run
        self.queue: Queue = make_queue(
            accept_seconds=ACCEPT, start_seconds=START, longest_match=LONGEST, lost_seconds=LOST, rematch_after=0
        )
        self.key = make_key("servers", "results")

    def serve(self, *options: str) -> Program:
        """Start the server, and wait until it is connected."""
        since = timezone.now()
        about = ("--mode", "duel", "--name", "eu1", "--seconds", "3600", *options)
        server = self.run(*example("server", self.url, self.key, *about))
        self.wait(server, lambda: Server.objects.filter(heard_at__gt=since).exists())
        return server

    def wait(self, server: Program, true: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not true():
            assert time.monotonic() < deadline, server.said
            time.sleep(0.05)

    def form(self) -> Lobby:
        """A lobby of two players, whom it asks."""
        for name in ("a", "b"):
            queue_player(make_player(name), self.queue, wish=Wish(width=100), now=timezone.now())
        ticked = tick(self.queue, now=timezone.now())
        assert ticked is not None
        return Lobby.objects.get()

    def play(self, server: Program, state: str) -> Lobby:
        """A lobby that everybody accepted, in this state by the server's doing."""
        lobby = self.form()
        accept(lobby, people_of(lobby))
        said = f"lobby {lobby.pk} starts" if state == lifecycle.LIVE else "this server hangs"
        self.wait(server, lambda: said in server.said and states(lobby) == [state])
        return lobby


@pytest.fixture
def rig(live_server: LiveServer, run: Callable[..., Program]) -> Rig:
    return Rig(live_server.url, run)


def accept(lobby: Lobby, people: list[Player], now: dt.datetime | None = None) -> None:
    for player in people:
        accepting.accept(lobby.pk, player, now=now or timezone.now())


def kill(server: Program) -> dt.datetime:
    """Kill it outright. Returns when it was heard of last."""
    server.end()
    return Server.objects.get().heard_at


def free(lobby: Lobby, now: dt.datetime) -> list[str]:
    """The states of the players' tickets: they are in no lobby, in no match, and nobody is punished."""
    assert states(lobby)[0] in lifecycle.LOBBY.ends
    assert find_running(lobby.players, now) == {}
    punished = (Incident, Forfeit, Change, Ban, Match, UnreportedLoss)
    assert {model.__name__: model.objects.count() for model in punished} == {model.__name__: 0 for model in punished}
    assert Server.objects.get().busy == 0
    return list(Ticket.objects.order_by("pk").values_list("state", flat=True))


WAITING, DONE = [lifecycle.WAITING] * 2, [lifecycle.DONE] * 2


def test_killed_while_players_accept(rig: Rig) -> None:
    """Nobody accepts a match that has no server: the lobby ends at the latest when a start would have been due."""
    server = rig.serve()
    lobby = rig.form()
    first, second = people_of(lobby)
    accept(lobby, [first])
    gone_at = kill(server) + SILENCE + SECOND
    Lobby.objects.update(accept_until=gone_at + SECOND)
    accept(lobby, [second], gone_at)
    assert states(lobby) == [lifecycle.ACCEPTING]
    due = gone_at + dt.timedelta(seconds=START) + SECOND
    sweep(due)
    assert (free(lobby, due), lobby.ending_code) == (WAITING, "no-server")


@pytest.mark.parametrize("fate", ["killed", "hung"])
def test_ready(rig: Rig, fate: str) -> None:
    """The server is gone after SILENCE; everybody is back in the queue."""
    server = rig.serve("--hangs", "ready")
    lobby = rig.play(server, lifecycle.READY)
    heard_at = kill(server) if fate == "killed" else Server.objects.get().heard_at
    sweep(heard_at + SILENCE - SECOND)
    assert states(lobby) == [lifecycle.READY]
    due = heard_at + SILENCE + SECOND
    sweep(due)
    assert (free(lobby, due), lobby.ending_code) == (WAITING, "server-gone")


@pytest.mark.parametrize("fate", ["killed", "hung"])
def test_live(rig: Rig, fate: str) -> None:
    """Nobody knows whether the match goes on, so it ends after the longest match; the players are free then."""
    server = rig.serve(*(["--hangs"] if fate == "hung" else []))
    lobby = rig.play(server, lifecycle.LIVE)
    if fate == "killed":
        kill(server)
    assert lobby.started_at is not None
    due = lobby.started_at + dt.timedelta(seconds=LONGEST)
    sweep(due - SECOND)
    assert states(lobby) == [lifecycle.LIVE]
    sweep(due)
    lobby.refresh_from_db()
    assert (free(lobby, due), lobby.state) == (DONE, lifecycle.LOST)


def test_started_again_while_live(rig: Rig) -> None:
    """The server calls off what it has lost as soon as it is back: the players are free at once."""
    server = rig.serve()
    lobby = rig.play(server, lifecycle.LIVE)
    kill(server)
    again = rig.serve()
    rig.wait(again, lambda: f"lobby {lobby.pk} is" in again.said)
    assert f"lobby {lobby.pk} is aborted: The game server was started again." in again.said
    lobby.refresh_from_db()
    assert lobby.state == lifecycle.ABORTED
    assert set(free(lobby, timezone.now())) <= {lifecycle.WAITING, lifecycle.DONE, lifecycle.CANCELLED}


def test_started_again_while_live_and_calls_nothing_off(rig: Rig) -> None:
    """A server that is back without the lobby has lost it: the lobby ends `lost_seconds` later."""
    server = rig.serve()
    lobby = rig.play(server, lifecycle.LIVE)
    rig.wait(server, lambda: Lobby.objects.get().scores is not None)  # it has listed the lobby
    kill(server)
    body = {"name": "eu1", "region": "eu", "address": "127.0.0.1:7777", "modes": ["duel"], "matches": []}
    back_at = timezone.now()
    assert call("PUT", "servers/me/", body, key=rig.key).status == 200
    due = timezone.now() + dt.timedelta(seconds=LOST) + SECOND
    Server.objects.update(heard_at=due)  # it goes on with its heartbeats
    sweep(back_at + dt.timedelta(seconds=LOST) - SECOND)
    assert states(lobby) == [lifecycle.LIVE]
    sweep(due)
    lobby.refresh_from_db()
    assert (free(lobby, due), lobby.state) == (DONE, lifecycle.LOST)
