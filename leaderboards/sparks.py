"""The last ten changes of every row of a board, in one query that reads no more than those."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from leaderboards.boards import Board
from ranking.models import Change, Rating

LAST = 10


def with_spark_start(ratings: QuerySet[Rating, Any], board: Board) -> QuerySet[Rating, Any]:
    """These ratings with `spark_from`, the event of their tenth newest change; None where there are fewer."""
    changes = _changes(board).filter(player=OuterRef("player")).order_by("-event")
    return ratings.annotate(spark_from=Subquery(changes.values("event")[LAST - 1 : LAST]))


def last_ratings(ratings: Sequence[Any], board: Board) -> dict[int, list[int]]:
    """By player, the display ratings before and after each of the last changes, oldest first."""
    if not ratings or not board.mode.shows_rating:
        return {}
    wanted = Q()
    for rating in ratings:
        wanted |= Q(player=rating.player_id, event__gte=rating.spark_from or 0)
    steps = _changes(board).filter(wanted).order_by("event").values_list("player", "display_before", "display_after")
    series: dict[int, list[int]] = defaultdict(list)
    for player, before, after in steps:
        if not series[player]:
            series[player].append(before)
        series[player].append(after)
    return series


def _changes(board: Board) -> QuerySet[Change]:
    return Change.objects.filter(mode=board.mode, season=board.season, generation=board.mode.generation)
