"""Announces lobbies to webhooks, in the transaction that changes them."""

from __future__ import annotations

import datetime as dt

from leaderboards.webhooks.queueing import queue_aborted, queue_found
from matchmaking.lifecycle import LIVE, READY
from matchmaking.models import Lobby


def announce_found(lobby: Lobby, now: dt.datetime) -> None:
    """Announce a lobby that has just become ready: from the last accept on, everybody may know who plays where.

    A lobby is announced once, even if it becomes ready again with another server.
    """
    region = lobby.server.region if lobby.server is not None else ""
    queue_found(lobby.pk, lobby.queue.mode, region=region or lobby.region, teams=lobby.teams, now=now)


def announce_aborted(lobby: Lobby, reason: str, now: dt.datetime) -> None:
    """Announce a lobby that has just been aborted. `reason`: as its players read it."""
    state = LIVE if lobby.started_at is not None else READY
    queue_aborted(lobby.pk, lobby.queue.mode, reason=reason, state=state, players=lobby.players, now=now)
