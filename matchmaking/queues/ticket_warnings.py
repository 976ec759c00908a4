"""Sentences for players who wait, about what keeps a match from being found."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext, ngettext

from matchmaking import lifecycle
from matchmaking.models import Queue, Ticket, TicketMember
from matchmaking.queues._skills import count_within, load_skills
from matchmaking.queues.match_rules import rules_of
from matchmaking.queues.recent_opponents import load_recents
from matchmaking.queues.waits import find_crowd, find_server_problem
from ranking.moderation.wording import clock_text, day_text
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
    sentence = ngettext(
        "Rank filters are off for now, so anybody may meet anybody. They come back when this season’s board of %(mode)s"
        " lists %(needed)d player; now it lists %(listed)d.",
        "Rank filters are off for now, so anybody may meet anybody. They come back when this season’s board of %(mode)s"
        " lists %(needed)d players; now it lists %(listed)d.",
        ranks.needed,
    )
    return sentence % {"mode": queue.mode.local_name, "needed": ranks.needed, "listed": ranks.listed}


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
    values = {"mode": queue.mode.local_name, "others": others, "needed": needed - len(members)}
    return (_strict_filter(others) if strict else _loose_filter(others)) % values


def _strict_filter(others: int) -> str:
    if not others:
        return gettext(
            "Your rank filter holds no other listed player of %(mode)s, and a match needs %(needed)d: choose a wider"
            " one, or let the search widen."
        )
    return ngettext(
        "Your rank filter holds %(others)d other listed player of %(mode)s, and a match needs %(needed)d: choose a"
        " wider one, or let the search widen.",
        "Your rank filter holds %(others)d other listed players of %(mode)s, and a match needs %(needed)d: choose a"
        " wider one, or let the search widen.",
        others,
    )


def _loose_filter(others: int) -> str:
    if not others:
        return gettext(
            "Your rank filter holds no other listed player of %(mode)s, and a match needs %(needed)d: it may take long."
        )
    return ngettext(
        "Your rank filter holds %(others)d other listed player of %(mode)s, and a match needs %(needed)d: it may take"
        " long.",
        "Your rank filter holds %(others)d other listed players of %(mode)s, and a match needs %(needed)d: it may take"
        " long.",
        others,
    )


def find_rematch_warning(queue: Queue, now: dt.datetime) -> str:
    """A warning if two players wait alone in a queue of duels and the limit of re-matches keeps them apart; else ""."""
    if _players(queue) != PAIR or find_crowd(queue, now).total != PAIR:
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
    sentence = gettext(
        "Only a recent opponent of yours waits besides you. You two aren’t matched again before %(time)s on %(day)s,"
        " unless each of you plays another match first."
    )
    if limited:
        sentence = gettext(
            "Only a recent opponent of yours waits besides you. You two have met twice in a row and aren’t matched"
            " again before %(time)s on %(day)s, unless each of you plays another match first."
        )
    return sentence % {"time": clock_text(until), "day": day_text(until)}


def _players(queue: Queue) -> int:
    """How many players the smallest match needs."""
    return int(queue.players_a_team * queue.mode.fewest_teams)
