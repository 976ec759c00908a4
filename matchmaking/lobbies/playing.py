"""Lobbies from ready to their end: begun, dropped out of, finished by a result, lost. From the conduct rules.

A drop-out is a forfeit, which is rated: rating rows are locked before the lobby's, as when a result is recorded.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence

from django.db import transaction

from matchmaking import lifecycle
from matchmaking.lobbies.accepting import OVER, TicketEnding, close_played, fall_through, get_lobby, lock_lobby
from matchmaking.models import Lobby, Ticket, TicketMember
from matchmaking.refusals import Refusal
from matchmaking.servers import SILENCE
from matchmaking.transitions import transition_lobby
from ranking.matches.forfeits import record_forfeit
from ranking.models import Match, Player, Source
from ranking.moderation.incidents import record_dropout
from ranking.systems.base import Refused


def start_match(key: str, *, source: Source, present: Collection[str], now: dt.datetime) -> Lobby:
    """The match begins, with these players (keys of the game) present. Who isn't has dropped out: then the lobby is
    forfeited instead, and the others go back to the queue. Again does nothing. Raises Refusal."""
    lobby = get_lobby(key)
    if lobby.server is not None and lobby.server.source_id != source.pk:
        raise Refusal("not-yours", "Another server hosts this lobby.")
    if lobby.state == lifecycle.LIVE:
        return lobby
    if lobby.state != lifecycle.READY:
        raise Refusal("not-ready", OVER.get(lobby.state, "Not everybody has accepted yet."))
    members = list(TicketMember.objects.filter(ticket__lobby=lobby).select_related("player"))
    there = _owners(present)
    if strangers := there.keys() - {member.player_id for member in members}:
        raise Refusal("stranger", f"{there[min(strangers)]!r} isn’t in this lobby.")
    absent = [member.player for member in members if member.player_id not in there]
    if absent:
        return _forfeit(lobby, absent, "Not there when the match began.", now)
    with transaction.atomic():
        lobby = lock_lobby(key)
        if not transition_lobby(lobby, lifecycle.LIVE, started_at=now):
            raise Refusal("not-ready", OVER.get(lobby.state, "This lobby has begun already."))
        Ticket.objects.filter(lobby=lobby, state=lifecycle.MATCHED).update(state=lifecycle.PLAYING)
    return lobby


def _owners(keys: Collection[str]) -> dict[int, str]:
    """By the id of each player who is meant, the key that was given. Raises Refusal for an unknown one."""
    rows = Player.objects.select_related("merged_into").filter(key__in=keys)
    found = {row.key: row.owner.pk for row in rows}
    if unknown := sorted(set(keys) - found.keys()):
        raise Refusal("stranger", f"{unknown[0]!r} isn’t in this lobby.")
    return {owner: key for key, owner in found.items()}


def leave_lobby(key: str, player: Player, *, now: dt.datetime) -> Lobby:
    """Drop out of a lobby that everybody accepted: a forfeit; the others go back to the queue. Raises Refusal."""
    lobby = get_lobby(key)
    if lobby.state in OVER:
        raise Refusal("over", OVER[lobby.state])
    if not TicketMember.objects.filter(ticket__lobby=lobby, player=player).exists():
        raise Refusal("not-yours", "You aren’t in this lobby.")
    if lobby.state == lifecycle.ACCEPTING:
        raise Refusal("not-accepted", "Not everybody has accepted yet: decline instead.")
    if lobby.state == lifecycle.LIVE:
        raise Refusal("running", "The match is running: whoever leaves it leaves in the game, and its result says so.")
    return _forfeit(lobby, [player], "Left the lobby.", now)


@transaction.atomic
def _forfeit(lobby: Lobby, droppers: Sequence[Player], reason: str, now: dt.datetime) -> Lobby:
    """Record that these dropped out, then close the lobby; all of it or nothing."""
    rows = Player.objects.in_bulk(lobby.players)
    teams = [[rows[player] for player in team] for team in lobby.teams]
    mode = lobby.queue.mode
    for player in sorted(droppers, key=lambda player: player.pk):
        try:
            with transaction.atomic():
                record_forfeit(mode, lobby=lobby.pk, teams=teams, player=player, reason=reason, now=now)
        except Refused:  # the system rates no forfeits of such teams: it stays an incident
            record_dropout(player.pk, mode, lobby=lobby.pk, happened_at=now)
    lobby = lock_lobby(lobby.pk)
    members = TicketMember.objects.filter(ticket__lobby=lobby, player__in=droppers).select_related("ticket", "player")
    outs = {}
    for member in members:
        who = "You" if member.ticket.size == 1 else member.player.name
        outs[member.ticket_id] = TicketEnding(lifecycle.CANCELLED, f"{who} dropped out of the lobby."[:200])
    if not fall_through(lobby, lifecycle.FORFEITED, "Somebody dropped out.", outs, now):
        raise Refusal("over", OVER.get(lobby.state, "The match has begun."))
    return lobby


def finish_lobbies(matches: Sequence[Match], now: dt.datetime) -> None:
    """Close the lobbies of results that name one, in the transaction that records them; see settings.RESULT_FOLLOWERS.

    A result whose lobby is unknown, of another mode or over already is a result like any other.
    """
    by_lobby = {match.lobby: match for match in matches if match.lobby}
    if not by_lobby:
        return
    held = Lobby.objects.select_for_update(of=("self",)).select_related("queue").order_by("pk")
    finished = []
    for lobby in held.filter(pk__in=by_lobby, state__in=lifecycle.LOBBY.sources(lifecycle.FINISHED)):
        match = by_lobby[lobby.pk]
        if match.mode_id == lobby.queue.mode_id and transition_lobby(lobby, lifecycle.FINISHED, now=now, match=match):
            finished.append(lobby)
    if finished:
        close_played(finished, "The match is over.", now)


@transaction.atomic
def lose_match(key: str, *, now: dt.datetime) -> bool:
    """Close a match without a result after its longest time: nobody's rating changes, nobody is a leaver."""
    lobby = lock_lobby(key)
    longest = dt.timedelta(seconds=lobby.queue.longest_match)
    if lobby.state != lifecycle.LIVE or lobby.started_at is None or now < lobby.started_at + longest:
        return False
    if not transition_lobby(lobby, lifecycle.LOST, now=now, ending="No result came."):
        return False
    close_played([lobby], "No result came; nothing changes.", now)
    return True


@transaction.atomic
def give_up_start(key: str, *, now: dt.datetime) -> bool:
    """Close a ready lobby whose server is gone or doesn't begin: all players go back to the queue."""
    lobby = lock_lobby(key)
    if lobby.state != lifecycle.READY or lobby.ready_at is None:
        return False
    gone = lobby.server is not None and lobby.server.heard_at < now - SILENCE
    late = now >= lobby.ready_at + dt.timedelta(seconds=lobby.queue.start_seconds)
    if not (gone or late):
        return False
    return fall_through(lobby, lifecycle.CANCELLED, "The game server is gone." if gone else "It never began.", {}, now)


@transaction.atomic
def give_up_server(key: str, *, now: dt.datetime) -> bool:
    """Close a lobby that everybody accepted and for which no server became free in time: all go back to the queue."""
    lobby = lock_lobby(key)
    since = lobby.accept_until or lobby.formed_at
    if lobby.state != lifecycle.ACCEPTING or now < since + dt.timedelta(seconds=lobby.queue.start_seconds):
        return False
    return fall_through(lobby, lifecycle.CANCELLED, "No game server was free.", {}, now)
