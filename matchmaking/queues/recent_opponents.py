"""Loads who have met in their last match, and whether that was a re-match: they are kept apart for a while."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping
from itertools import groupby, pairwise
from operator import itemgetter
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
    parts = Participation.objects.filter(match__mode=queue.mode_id, match__ended_at__gt=since, player__in=players)
    newest_first = [F("match__ended_at").desc(), F("match_id").desc()]
    parts = parts.annotate(nth=Window(RowNumber(), partition_by="player", order_by=newest_first))
    rows: Any = parts.filter(nth__lte=_LATEST).order_by("match__ended_at", "match_id")
    played = rows.values_list("match_id", "player_id", "team", "match__ended_at")
    return _pairs([row for row in played if row[1] in ticket_of], ticket_of)


def _pairs(played: list[Any], ticket_of: Mapping[int, int]) -> tuple[Ints, Floats, Bools]:
    """`played`: match, player, team and end of each participation, in the order of the matches' ends."""
    courses: dict[int, list[int]] = defaultdict(list)
    teams: dict[tuple[int | None, int], int] = {}
    for match, player, team, _ in played:
        courses[player].append(match)
        teams[match, player] = team
    before = {(match, player): earlier for player, course in courses.items()
              for earlier, match in pairwise(course)}  # fmt: skip
    pairs: list[tuple[int, int]] = []
    moments: list[float] = []
    again: list[bool] = []
    for match, group in groupby(played, itemgetter(0)):
        roster = list(group)
        for _, player, team, ended_at in roster:
            if courses[player][-1] != match:
                continue
            for _, other, other_team, _ in roster:
                if other_team != team and ticket_of[player] != ticket_of[other]:
                    earlier = before.get((match, player))
                    shared = earlier is not None and earlier == before.get((match, other))
                    pairs.append((ticket_of[player], ticket_of[other]))
                    moments.append(ended_at.timestamp())
                    again.append(shared and teams.get((earlier, player)) != teams.get((earlier, other)))
    return np.array(pairs, np.int64).reshape(-1, 2), np.array(moments, float), np.array(again, np.bool_)
