"""Decides who may queue: bans and lockouts, one live ticket a player, a mode's conditions for newcomers.

From the conduct rules. A player can't queue while their match is still running, even if they left it: the ticket stays
live until the result comes, or until the match is closed as lost.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence

from matchmaking import lifecycle
from matchmaking.models import Queue, TicketMember
from matchmaking.refusals import Refusal
from ranking.hooks import RunningMatch
from ranking.models import Player
from ranking.moderation.eligibility import MayNotQueue, find_entry_restrictions, find_restrictions
from ranking.wording.names import stored_name


def check_may_enter(queue: Queue, players: Sequence[Player], now: dt.datetime) -> None:
    """Check that these players may queue together; the first one asks. Raises Refusal, or MayNotQueue for the first."""
    if not queue.open:
        raise Refusal("closed", mode=queue.mode.local_name)
    if len(players) > queue.party_limit:
        most = queue.party_limit
        case = "party-too-large:alone" if most == 1 else "party-too-large"
        raise Refusal(case, count=len(players), mode=queue.mode.local_name, most=most)
    for player in players:
        if player.anonymised_at is not None or player.merged_into_id is not None:
            raise Refusal("gone", player=player.name)
    _check_free(players)
    _check_restrictions(queue, players, now)


def check_unrestricted(queue: Queue, player: Player, now: dt.datetime) -> None:
    """Raise MayNotQueue if the player is banned or locked out."""
    if restriction := find_restrictions([player.pk], now).get(player.pk):
        raise MayNotQueue(restriction, queue.mode)


def _check_restrictions(queue: Queue, players: Sequence[Player], now: dt.datetime) -> None:
    ids = [player.pk for player in players]
    restrictions = find_entry_restrictions(ids, queue.mode, now) | find_restrictions(ids, now)
    for number, player in enumerate(players):
        if player.pk in restrictions:
            if number == 0:
                raise MayNotQueue(restrictions[player.pk], queue.mode)
            raise Refusal("member-barred", player=player.name)


def _check_free(players: Sequence[Player]) -> None:
    names = {player.pk: player.name for player in players}
    busy = TicketMember.objects.filter(live=True, player__in=names).select_related("ticket__queue__mode")
    for member in sorted(busy.order_by("player"), key=lambda member: member.player_id != players[0].pk):
        own = member.player_id == players[0].pk
        case = f"{'you-' if own else ''}{member.ticket.state}"
        raise Refusal(
            f"busy:{case}",
            player=names[member.player_id],
            mode=member.ticket.queue.mode.local_name,
            ticket=member.ticket_id if own else None,  # others' tickets are nobody's business
        )


def find_running(players: Collection[int], now: dt.datetime) -> dict[int, RunningMatch]:
    """Find these players' matches that still run, by player; see settings.LOCK_INS."""
    playing = TicketMember.objects.filter(live=True, player__in=players, ticket__state=lifecycle.PLAYING)
    named = "ticket__queue__mode__name", "ticket__queue__mode__names"
    rows = playing.values_list("player", "ticket", *named, "ticket__lobby__started_at")
    return {
        player: RunningMatch(ticket, stored_name(name, names), since or now)
        for player, ticket, name, names, since in rows
    }
