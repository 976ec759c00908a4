"""A ready lobby until its end: the match begins, a player drops out, or no result ever comes. results.py has results.

From the conduct rules. Dropping out is a forfeit, which is rated. So rating rows are locked before the lobby's row, in
the same order as when a result is recorded.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence

from django.db import transaction

from matchmaking import lifecycle
from matchmaking.lobbies.accepting import (
    TicketEnding,
    close_played,
    fall_through,
    get_lobby,
    is_accepted,
    lock_lobby,
)
from matchmaking.lobbies.failed_starts import cancel_unattended
from matchmaking.lobbies.hosting import check_hosts
from matchmaking.lobbies.silence import record_unreported
from matchmaking.models import Lobby, Ticket, TicketMember
from matchmaking.refusals import Refusal
from matchmaking.server_failures import note_start
from matchmaking.transitions import Ending, transition_lobby
from ranking.database.retries import retried
from ranking.matches.forfeits import record_forfeit
from ranking.models import Player, Source
from ranking.moderation.incidents import record_dropout
from ranking.systems.base import Refused


def start_match(
    key: str, *, source: Source, name: str | None = None, present: Collection[str], now: dt.datetime
) -> Lobby:
    """Begin the match with the `present` players (the game's keys). Beginning twice does nothing. Raises Refusal.

    Players who are absent have dropped out: the lobby is forfeited instead, and the others go back to the queue. If all
    are absent, it is cancelled. `name`: of the server, if it says so.
    """
    # Read before the state: if the lobby is called off meanwhile, its players are gone, and the state says why.
    members = list(TicketMember.objects.filter(ticket__lobby=key).select_related("player"))
    lobby = get_lobby(key)
    check_hosts(lobby, source, name)
    if lobby.state == lifecycle.LIVE:
        return lobby
    if lobby.state != lifecycle.READY:
        raise Refusal(f"not-ready:{lobby.state}" if lobby.state in lifecycle.LOBBY.ends else "not-ready")
    keys = _keys_by_player(present)
    if strangers := keys.keys() - {member.player_id for member in members}:
        raise Refusal("stranger", key=repr(keys[min(strangers)]))
    absent = [member.player for member in members if member.player_id not in keys]
    if len(absent) == len(members):
        return cancel_unattended(lobby, now)
    if absent:
        return _forfeit(lobby, absent, "Not there when the match began.", now, host=lobby.server_id)
    host = lobby.server_id
    with transaction.atomic():
        lobby = lock_lobby(key)
        if lobby.server_id != host:
            raise Refusal("moved")
        if lobby.state == lifecycle.LIVE:  # the same call was quicker
            return lobby
        if not transition_lobby(lobby, lifecycle.LIVE, started_at=now):
            raise Refusal(f"not-ready:{lobby.state if lobby.state in lifecycle.LOBBY.ends else 'begun'}")
        Ticket.objects.filter(lobby=lobby, state=lifecycle.MATCHED).update(state=lifecycle.PLAYING)
        note_start(host)
    return lobby


def _keys_by_player(keys: Collection[str]) -> dict[int, str]:
    """The keys by player id. A merged player's key counts for the kept player. Raises Refusal for unknown keys."""
    rows = Player.objects.select_related("merged_into").filter(key__in=keys)
    players = {row.key: row.owner.pk for row in rows}
    if unknown := sorted(set(keys) - players.keys()):
        raise Refusal("stranger", key=repr(unknown[0]))
    return {player: key for key, player in players.items()}


def leave_lobby(key: str, player: Player, *, now: dt.datetime) -> Lobby:
    """Drop out of a lobby that everybody has accepted. This is a forfeit; the others go back to the queue.

    Raises Refusal.
    """
    is_member = TicketMember.objects.filter(ticket__lobby=key, player=player).exists()  # before the state, as above
    lobby = get_lobby(key)
    if lobby.state in lifecycle.LOBBY.ends:
        raise Refusal(f"over:{lobby.state}")
    if not is_member:
        raise Refusal("not-yours:lobby")
    if lobby.state == lifecycle.ACCEPTING and not is_accepted(lobby):
        raise Refusal("not-accepted")
    if lobby.state == lifecycle.LIVE:
        raise Refusal("running")
    return _forfeit(lobby, [player], "Left the lobby.", now)


@retried
@transaction.atomic
def _forfeit(
    lobby: Lobby, droppers: Sequence[Player], reason: str, now: dt.datetime, *, host: int | None = None
) -> Lobby:
    """Record the forfeits of players who dropped out, then close the lobby, in one transaction.

    `host`: the id of the server that says so. Raises Refusal if the lobby has moved to another server meanwhile.
    """
    rows = Player.objects.in_bulk(lobby.players)
    teams = [[rows[player] for player in team] for team in lobby.teams]
    mode = lobby.queue.mode
    for player in sorted(droppers, key=lambda player: player.pk):
        try:
            with transaction.atomic():
                record_forfeit(mode, lobby=lobby.pk, teams=teams, player=player, reason=reason, now=now)
        except Refused:  # the system doesn't rate forfeits of such teams: record the incident only
            record_dropout(player.pk, mode, lobby=lobby.pk, happened_at=now)
    lobby = lock_lobby(lobby.pk)
    if host is not None and lobby.server_id != host:
        raise Refusal("moved")
    members = TicketMember.objects.filter(ticket__lobby=lobby, player__in=droppers).select_related("ticket", "player")
    endings = {}
    for member in members:
        ending = Ending("you-dropped" if member.ticket.size == 1 else "dropped", {"player": member.player.name})
        endings[member.ticket_id] = TicketEnding(lifecycle.CANCELLED, ending)
    if not fall_through(lobby, lifecycle.FORFEITED, Ending("somebody-dropped"), endings, now):
        raise Refusal(f"over:{lobby.state if lobby.state in lifecycle.LOBBY.ends else 'begun'}")
    note_start(host)  # somebody was there
    return lobby


@transaction.atomic
def lose_match(key: str, *, now: dt.datetime) -> bool:
    """Close a running match whose result hasn't come within the longest time, or that its server has forgotten.

    No rating changes, nobody is a leaver.
    """
    lobby = lock_lobby(key)
    if lobby.state != lifecycle.LIVE or lobby.started_at is None:
        return False
    late = now >= lobby.started_at + dt.timedelta(seconds=lobby.queue.longest_match)
    patience = dt.timedelta(seconds=lobby.queue.lost_seconds)
    forgotten = lobby.missing_at is not None and now >= lobby.missing_at + patience
    if not (late or forgotten):
        return False
    ending = Ending("server-forgot" if forgotten else "no-result")
    if not transition_lobby(lobby, lifecycle.LOST, now=now, **ending.fields):
        return False
    close_played([lobby], Ending("match-lost"), now)
    record_unreported(lobby)
    return True


@transaction.atomic
def give_up_server(key: str, *, now: dt.datetime) -> bool:
    """Close a lobby that everybody accepted if no server became free in time. All players go back to the queue."""
    lobby = lock_lobby(key)
    since = lobby.failed_at or lobby.accept_until or lobby.formed_at
    if lobby.state != lifecycle.ACCEPTING or now < since + dt.timedelta(seconds=lobby.queue.start_seconds):
        return False
    return fall_through(lobby, lifecycle.CANCELLED, Ending("no-server"), {}, now)
