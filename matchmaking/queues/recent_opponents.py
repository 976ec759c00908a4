"""Loads who have met in their last match, and whether that was a re-match: they are kept apart for a while."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

import numpy as np
from django.db.models import F, Window
from django.db.models.functions import RowNumber

from matchmaking import lifecycle
from matchmaking.matcher.pool import Bools, Ints
from matchmaking.matcher.widening import Floats
from matchmaking.models import Queue, TicketMember
from ranking.models import Participation

_LATEST = 4  # matches of each player: the last shared one is nearly always among them


def load_recents(queue: Queue, now: dt.datetime, ticket_of: Mapping[int, int]) -> tuple[Ints, Floats, Bools]:
    """Pairs of tickets with players who were opponents in the last match of one of them; when it ended; and whether
    the match before it, of both of them, was against each other, too. One query.
    """
    longest = queue.rematch_after if queue.rematches == Queue.ANY else max(queue.rematch_after, queue.rematch_memory)
    players = TicketMember.objects.filter(ticket__queue=queue, ticket__state=lifecycle.WAITING).values("player")
    since = now - dt.timedelta(seconds=2 * longest)  # the match before the last one may be older
    parts = Participation.objects.filter(
        match__mode=queue.mode_id, match__ended_at__gt=since, match__uncounted="", player__in=players
    )
    newest_first = [F("match__ended_at").desc(), F("match_id").desc()]
    parts = parts.annotate(nth=Window(RowNumber(), partition_by="player", order_by=newest_first))
    rows: Any = parts.filter(nth__lte=_LATEST).order_by("match__ended_at", "match_id")
    played = rows.values_list("match_id", "player_id", "team", "match__ended_at")
    return _pairs([row for row in played if row[1] in ticket_of], ticket_of)


def _pairs(played: list[Any], ticket_of: Mapping[int, int]) -> tuple[Ints, Floats, Bools]:
    """`played`: match, player, team and end of each participation, in the order of the matches' ends."""
    if not played:
        return np.empty((0, 2), np.int64), np.empty(0), np.empty(0, np.bool_)
    columns: list[Any] = list(zip(*played, strict=True))
    match, player, team = (np.array(column, np.int64) for column in columns[:3])
    ticket = np.array([ticket_of[number] for number in columns[1]], np.int64)
    before, last = _neighbours(player)
    one, other = _within_matches(match, np.flatnonzero(last))
    met = (team[one] != team[other]) & (ticket[one] != ticket[other])
    one, other = one[met], other[met]
    first, second = before[one], before[other]
    again = (first >= 0) & (second >= 0) & (match[first] == match[second]) & (team[first] != team[second])
    ended_at = np.array([columns[3][row].timestamp() for row in one.tolist()], float)
    return np.stack([ticket[one], ticket[other]], 1), ended_at, again


def _neighbours(player: Ints) -> tuple[Ints, Bools]:
    """The row of the same player before each row, −1 if there is none; and whether none comes after it."""
    order = np.argsort(player, kind="stable")
    same = player[order[1:]] == player[order[:-1]]
    before, last = np.full(len(player), -1, np.int64), np.ones(len(player), np.bool_)
    before[order[1:][same]] = order[:-1][same]
    last[order[:-1][same]] = False
    return before, last


def _within_matches(match: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Each of these rows beside each row of its match. The rows of a match stand together."""
    starts = np.flatnonzero(np.r_[True, match[1:] != match[:-1]])
    sizes = np.diff(np.r_[starts, len(match)])
    index = np.repeat(np.arange(len(starts)), sizes)[rows]
    count = sizes[index]
    shift = starts[index] - (np.cumsum(count) - count)
    return np.repeat(rows, count), np.repeat(shift, count) + np.arange(int(count.sum()))
