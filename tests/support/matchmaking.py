"""Makers of what matchmaking needs: modes with a queue, players, and a clock that tests turn."""

import datetime as dt
import itertools

from matchmaking import servers
from matchmaking.lobbies import accepting, playing
from matchmaking.lobbies.sweep import settle, sweep
from matchmaking.models import Lobby, Queue, Ticket
from matchmaking.queues import queueing
from matchmaking.tick.tick import tick
from ranking.models import Mode, Player
from tests.support.factories import NOW, make_mode, make_source

_numbers = itertools.count(1)


def later(seconds: float) -> dt.datetime:
    return NOW + dt.timedelta(seconds=seconds)


def make_queue(slug: str = "duel", *, size: int = 1, mode: dict | None = None, **settings) -> Queue:
    """A mode of two teams of `size` with its queue."""
    made = make_mode(slug, **{"team_size_min": 1, "team_size_max": size, **(mode or {})})
    return Queue.objects.create(mode=made, **settings)


def make_player(name: str | None = None, **more) -> Player:
    name = name or f"player{next(_numbers)}"
    given = {"search_name": name, "created_at": NOW - dt.timedelta(days=90), **more}
    return Player.objects.create(key=name, name=name, **given)


def players(count: int) -> list[Player]:
    return [make_player() for _ in range(count)]


def queue_up(queue: Queue, player: Player | None = None, at: float = 0, **wish) -> Ticket:
    return queueing.queue_player(player or make_player(), queue, wish=queueing.Wish(**wish), now=later(at))


def form(queue: Queue, at: float = 1) -> list[Lobby]:
    """The lobbies that a tick finds."""
    ticked = tick(queue, now=later(at))
    assert ticked is not None
    return list(Lobby.objects.filter(pk__in=ticked.lobbies).order_by("formed_at", "pk"))


def people_of(lobby: Lobby) -> list[Player]:
    return [Player.objects.get(pk=player) for player in lobby.players]


def make_lobby(queue: Queue, at: float = 1) -> tuple[Lobby, list[Player]]:
    """A lobby of players who just queued, and they, by team."""
    for _ in range(queue.players_a_team * queue.mode.team_count):
        queue_up(queue, at=at - 1)
    [lobby] = form(queue, at)
    return lobby, people_of(lobby)


def accept_all(lobby: Lobby, at: float = 2) -> Lobby:
    for player in people_of(lobby):
        accepting.accept(lobby.pk, player, now=later(at))
    lobby.refresh_from_db()
    return lobby


def start(lobby: Lobby, present: list[Player] | None = None, at: float = 3) -> Lobby:
    there = people_of(lobby) if present is None else present
    playing.start_match(lobby.pk, source=make_source(), present=[player.key for player in there], now=later(at))
    lobby.refresh_from_db()
    return lobby


def make_server(mode: Mode, *, region: str = "eu", at: float = 0, **more):
    given = {"name": "", "address": "10.0.0.1:7000", "capacity": 1, "modes": [mode], **more}
    return servers.register_server(make_source(), region=region, now=later(at), **given)


def states(*rows) -> list[str]:
    """The states of lobbies or tickets as they are now."""
    for row in rows:
        row.refresh_from_db()
    return [row.state for row in rows]


def endings(*rows) -> list[tuple[str, dict]]:
    """How lobbies or tickets ended, as they are now: the code of the sentence, and the values in it."""
    for row in rows:
        row.refresh_from_db()
    return [(row.ending_code, row.ending_values) for row in rows]


__all__ = ["NOW", "settle", "sweep"]
