"""Results that name a lobby: which lobby that is, how a result ends it, and which results come too late to count.

From the matchmaking and conduct rules. `ranking` calls these functions; see ranking/hooks.py. Rating rows are locked
before the lobbies' rows.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence

from matchmaking import lifecycle
from matchmaking.lobbies.aborting import call_off, called_off
from matchmaking.lobbies.accepting import close_played
from matchmaking.lobbies.silence import forget_unreported
from matchmaking.models import Lobby
from matchmaking.transitions import Ending, transition_lobby
from ranking.hooks import NamedLobby
from ranking.models import Match

# Why a result counts for nothing, by the state in which its lobby was closed before.
LATE = {
    lifecycle.LOST: "It came after the match was closed as lost.",
    lifecycle.CANCELLED: "It came after the lobby fell through.",
    lifecycle.FORFEITED: "It came after the lobby was forfeited.",
    lifecycle.ABORTED: "It came after the match was called off.",
}
_EARLY = "Not everybody has accepted, or no server is free."


def find_named_lobbies(keys: Collection[str]) -> dict[str, NamedLobby]:
    """Find the lobbies with these keys; see settings.LOBBIES."""
    rows = Lobby.objects.filter(pk__in=keys).values_list("pk", "queue__mode__slug", "teams", "state")
    return {
        key: NamedLobby(mode, teams, _EARLY if state == lifecycle.ACCEPTING else "") for key, mode, teams, state in rows
    }


def find_late_results(matches: Sequence[Match]) -> dict[str, str]:
    """Find lobbies of these results that were closed otherwise: why the results are void, by the lobby's key.

    See settings.RESULT_VOIDERS.
    """
    closed = Lobby.objects.filter(pk__in={match.lobby for match in matches}, state__in=LATE)
    return {key: LATE[state] for key, state in closed.values_list("pk", "state")}


def finish_lobbies(matches: Sequence[Match], now: dt.datetime) -> dict[str, str]:
    """Close the lobbies that results name, in the transaction that records the results; see settings.RESULT_FOLLOWERS.

    A result without contest calls its lobby off. Returns the lobbies that were closed otherwise before, as
    `find_late_results` does.
    """
    by_lobby = {match.lobby: match for match in matches if match.lobby}
    locked = Lobby.objects.select_for_update(of=("self",)).order_by("pk").filter(pk__in=by_lobby) if by_lobby else ()
    late: dict[str, str] = {}
    finished = []
    for lobby in locked:
        match = by_lobby[lobby.pk]
        if lobby.state in LATE:
            late[lobby.pk] = LATE[lobby.state]
        elif match.uncounted == Match.NO_CONTEST:
            _call_off(lobby, match, now)
        elif transition_lobby(lobby, lifecycle.FINISHED, now=now, match=match):
            finished.append(lobby)
    if finished:
        close_played(finished, Ending("match-over"), now)
    if late:
        forget_unreported(list(late))
    return late


def _call_off(lobby: Lobby, match: Match, now: dt.datetime) -> None:
    """Call a lobby off that its own result calls off: the match began, so its players are free."""
    if call_off(lobby, called_off(match.void_reason), now, played=True):
        Lobby.objects.filter(pk=lobby.pk).update(match=match)


def follow_replacement(old: Match, new: Match, now: dt.datetime) -> None:
    """Name the corrected match as the one of its lobby; see settings.REPLACEMENT_FOLLOWERS."""
    Lobby.objects.filter(match=old).update(match=new)
