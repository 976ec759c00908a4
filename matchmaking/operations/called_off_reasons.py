"""Forgets why matches were called off: in the words of a server or a moderator, which may name players."""

from __future__ import annotations

import datetime as dt

from django.db.models import QuerySet

from matchmaking.models import Lobby, Ticket
from matchmaking.wording import CALLS_OFF
from ranking.models import Player

KEPT = dt.timedelta(days=30)
_LONGEST = dt.timedelta(days=3)  # from a lobby's forming to its end; the longest match takes a day


def forget_reasons(player: Player, now: dt.datetime) -> None:
    """Forget the reasons in lobbies that this player was in, and on all tickets of these.

    Players are looked for in the lobbies' teams: tickets that went back to their queue have left the lobby.
    """
    rows = _with_reason().filter(formed_at__gte=now - KEPT - _LONGEST).values_list("pk", "teams")
    lobbies = [key for key, teams in rows.iterator() if any(player.pk in team for team in teams)]
    Lobby.objects.filter(pk__in=lobbies).update(ending_values={})
    Ticket.objects.filter(lobby__in=lobbies, ending_code__in=CALLS_OFF).update(ending_values={})


def forget_old_reasons(now: dt.datetime) -> None:
    """Forget the reasons in lobbies that are kept longer. Tickets are deleted after that time."""
    _with_reason().filter(closed_at__lt=now - KEPT).update(ending_values={})


def _with_reason() -> QuerySet[Lobby]:
    return Lobby.objects.filter(ending_code__in=CALLS_OFF).exclude(ending_values={})
