"""Calling a match off: it counts for nothing, nobody is punished, and its players may queue again at once.

The server that hosts the lobby calls it off, or a moderator does. Every change locks the lobby's row first, then its
tickets, then its server.
"""

from __future__ import annotations

import datetime as dt

from django.db import transaction

from matchmaking import lifecycle
from matchmaking.lobbies.accepting import close_played, fall_through, lock_lobby
from matchmaking.lobbies.announcing import announce_aborted
from matchmaking.lobbies.hosting import check_hosts
from matchmaking.lobbies.silence import record_unreported
from matchmaking.models import Lobby
from matchmaking.refusals import Refusal
from matchmaking.server_failures import note_failed_start
from matchmaking.transitions import Ending, transition_lobby
from matchmaking.wording import CALLED_OFF
from ranking.database.retries import retried
from ranking.models import Source


@retried
@transaction.atomic
def abort_lobby(key: str, *, source: Source, name: str | None = None, reason: str, now: dt.datetime) -> Lobby:
    """Call a match off for the server that hosts it, which is of this source, and has this name if one is given.

    Before the match has begun, this counts as a failed start of the server.
    Doing it twice does nothing. Raises Refusal, and ValueError without a reason.
    """
    lobby = lock_lobby(key)
    check_hosts(lobby, source, name)
    if lobby.state == lifecycle.ABORTED:
        return lobby
    begun = lobby.state == lifecycle.LIVE
    if not call_off(lobby, called_off(reason), now):
        raise Refusal(f"over:{lobby.state}" if lobby.state in lifecycle.LOBBY.ends else "not-ready")
    if not begun:
        note_failed_start(lobby.server_id, now)
    return lobby


def called_off(reason: str, code: str = CALLED_OFF) -> Ending:
    """How a lobby ends that is called off, and its tickets. Raises ValueError without a reason."""
    if not reason.strip():
        raise ValueError("Say why.")
    return Ending(code, {"reason": reason})


def call_off(lobby: Lobby, ending: Ending, now: dt.datetime, *, played: bool = False) -> bool:
    """Call a lobby off that the caller has locked. False if it is over, or not everybody has accepted yet.

    `played`: its match began, though nobody said so.
    """
    if lobby.state == lifecycle.READY and not played:
        done = _call_off_start(lobby, ending, now)
    elif lobby.state in (lifecycle.READY, lifecycle.LIVE):
        done = _call_off_match(lobby, ending, now)
    else:
        return False
    if done:
        announce_aborted(lobby, ending.values["reason"], now)
    return done


def _call_off_start(lobby: Lobby, ending: Ending, now: dt.datetime) -> bool:
    """Call off a match that hasn't begun. Everybody waits on, in their old places."""
    return fall_through(lobby, lifecycle.ABORTED, ending, {}, now)


def _call_off_match(lobby: Lobby, ending: Ending, now: dt.datetime) -> bool:
    """Call off a match that runs. Its players get back the time that they waited if they queue again soon.

    See find_time_given_back of matchmaking.queues.queueing. Who was behind when its server fell silent is recorded, as
    of a lost match: a server that was crashed and started again calls its matches off, too.
    """
    if not transition_lobby(lobby, lifecycle.ABORTED, now=now, **ending.fields):
        return False
    close_played([lobby], ending, now)
    record_unreported(lobby)
    return True
