"""Ready lobbies whose match can't begin: the server never starts it, or nobody comes. Both count against the server.

From the rules of played matches. Nobody's rating changes, and nobody has an incident.
"""

from __future__ import annotations

import datetime as dt

from django.db import transaction

from matchmaking import lifecycle
from matchmaking.lobbies.accepting import fall_through, lock_lobby
from matchmaking.models import Lobby, Server
from matchmaking.refusals import Refusal
from matchmaking.server_failures import is_rested, note_failed_start
from matchmaking.servers import free_server, is_gone, online_servers
from matchmaking.transitions import Ending, transition_lobby


@transaction.atomic
def give_up_start(key: str, *, now: dt.datetime) -> bool:
    """Take a ready lobby from a server that is gone or hasn't begun the match in time.

    Everybody has accepted, so the lobby waits for another server. If there is none, or if this was the second one, it
    is closed, and all players go back to the queue.
    """
    lobby = lock_lobby(key)
    if lobby.state != lifecycle.READY or lobby.ready_at is None:
        return False
    gone = lobby.server_id is not None and Server.objects.filter(is_gone(now), pk=lobby.server_id).exists()
    late = now >= lobby.ready_at + dt.timedelta(seconds=lobby.queue.start_seconds)
    if not (gone or late):
        return False
    failed = lobby.server_id
    if _has_other_server(lobby, now):
        _look_for_another_server(lobby, now)
    else:
        fall_through(lobby, lifecycle.CANCELLED, Ending("server-gone" if gone else "never-began"), {}, now)
    note_failed_start(failed, now)
    return True


def _has_other_server(lobby: Lobby, now: dt.datetime) -> bool:
    """True if a server is connected that the lobby may be given to. A second failure is enough: people wait in it."""
    if lobby.server_id is None or lobby.failed_server_id is not None:
        return False
    others = online_servers(lobby.queue, now, lobby.region).filter(is_rested(now)).exclude(pk=lobby.server_id)
    return others.exists()


def _look_for_another_server(lobby: Lobby, now: dt.datetime) -> None:
    """Take the lobby, which the caller has locked, from its server. The next server is claimed in a transaction of its
    own: two lobbies that change their servers crosswise would wait for each other."""
    failed = lobby.server
    transition_lobby(lobby, lifecycle.ACCEPTING, server=None, ready_at=None, failed_server=failed, failed_at=now)
    free_server(failed.pk if failed else None)


@transaction.atomic
def cancel_unattended(lobby: Lobby, now: dt.datetime) -> Lobby:
    """Close a lobby whose server says that nobody has come: the server is the likelier culprit than all players.

    All players go back to the queue. Raises Refusal.
    """
    locked = lock_lobby(lobby.pk)
    if locked.server_id != lobby.server_id:
        raise Refusal("moved")
    if locked.state != lifecycle.READY:
        raise Refusal(f"not-ready:{locked.state if locked.state in lifecycle.LOBBY.ends else 'begun'}")
    fall_through(locked, lifecycle.CANCELLED, Ending("nobody-came"), {}, now)
    note_failed_start(locked.server_id, now)
    return locked
