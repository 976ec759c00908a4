"""Sentences for players who wait, about what keeps a match from being found."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence

from matchmaking import lifecycle
from matchmaking.models import Queue, Ticket, TicketMember
from matchmaking.queues.match_rules import rules_of
from matchmaking.queues.recent_opponents import load_recents
from matchmaking.queues.skills import count_within, load_skills
from matchmaking.queues.waits import find_crowd, find_server_problem
from ranking.seasons.reset_tables import SeasonRanks

PAIR = 2  # players of a match of one against one


def find_warnings(
    ticket: Ticket, members: Sequence[TicketMember], ranks: SeasonRanks | None, now: dt.datetime
) -> Iterator[str]:
    """What keeps a match from being found for a waiting ticket: a sentence for each reason that there is.

    `ranks`: of the mode's season; None if the queue has no rank filter. Without a rank table the sentence about filters
    says that they are off.
    """
    sentences = (
        find_server_problem(ticket.queue, now),
        ranks and (tell_filters_off(ticket.queue, ranks) or find_filter_warning(ticket, members, ranks)),
        find_rematch_warning(ticket.queue, now),
    )
    yield from filter(None, sentences)


def tell_filters_off(queue: Queue, ranks: SeasonRanks) -> str:
    """Why a queue has no rank filter for now, in a sentence; "" if it has one."""
    if ranks.table is not None:
        return ""
    players = f"{ranks.needed} player{'' if ranks.needed == 1 else 's'}"
    return (
        "Rank filters are off for now, so anybody may meet anybody. They come back when this season’s board of"
        f" {queue.mode.name} lists {players}; now it lists {ranks.listed}."
    )


def find_filter_warning(ticket: Ticket, members: Sequence[TicketMember], ranks: SeasonRanks) -> str:
    """A warning if the players' filter, as wide as it may get, holds fewer listed players than a match needs; else "".

    While a board lists nobody, there is nothing to warn of: all players count as in its middle.
    """
    queue: Queue = ticket.queue
    if not ranks.table:
        return ""
    strict = all(member.strict for member in members)
    low = min(member.percentile - member.width for member in members) if strict else -math.inf
    high = max(member.percentile + member.width for member in members) if strict else math.inf
    held = count_within(ranks.table, low, high)
    needed = _players(queue)
    if held >= needed:
        return ""
    own = load_skills(queue.mode, [member.player_id for member in members])
    held += sum(own[member.player_id].own is None for member in members)
    if held >= needed:
        return ""
    others = max(0, held - len(members))
    whom = f"{others} other listed player{'' if others == 1 else 's'}" if others else "no other listed player"
    sentence = f"Your rank filter holds {whom} of {queue.mode.name}, and a match needs {needed - len(members)}"
    return f"{sentence}: choose a wider one, or a loose one." if strict else f"{sentence}: it may take long."


def find_rematch_warning(queue: Queue, now: dt.datetime) -> str:
    """A warning if two players wait alone in a queue of duels and the limit of re-matches keeps them apart; else ""."""
    if _players(queue) != PAIR or find_crowd(queue.pk, now).total != PAIR:
        return ""
    waiting = TicketMember.objects.filter(ticket__queue=queue, ticket__state=lifecycle.WAITING).order_by("player")
    players = list(waiting.values_list("player", flat=True)[: PAIR + 1])
    if len(players) != PAIR:
        return ""
    _, ended_at, again = load_recents(queue, now, {player: number for number, player in enumerate(players)})
    if not len(ended_at):
        return ""
    rules = rules_of(queue)
    ends = [(end + rules.pause_of(twice), twice) for end, twice in zip(ended_at.tolist(), again.tolist(), strict=True)]
    end, twice = max(ends)
    until = dt.datetime.fromtimestamp(end, dt.UTC)
    if until <= now:
        return ""
    limited = twice and queue.rematches == Queue.ONCE
    met = "You two have met twice in a row and aren’t" if limited else "You two aren’t"
    return (
        f"Only a recent opponent of yours waits besides you. {met} matched again before {until:%H:%M} UTC on"
        f" {until.day} {until:%B}, unless each of you plays another match first."
    )


def _players(queue: Queue) -> int:
    """How many players a match needs."""
    return int(queue.players_a_team * queue.mode.team_count)
