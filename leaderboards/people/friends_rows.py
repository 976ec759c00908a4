"""The ratings of a page of a friends board: light rows of those listed, models of the others; one statement."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from django.db.models import BigIntegerField

from leaderboards.boards.boards import Board
from leaderboards.boards.published import Published, Superseded
from leaderboards.boards.queries import COLUMNS, listed_row, with_columns
from ranking.database.prepared_queries import Placeholder, Prepared, prepare
from ranking.models import Rating

_OTHERS = ("listed", "active_until", "recent_completions")  # what tells why somebody isn't listed


def read_ratings(board: Board, wanted: Collection[int], shown: Published | None) -> dict[int, Any]:
    """These ratings by player, of the publication that is shown; raises Superseded."""
    if not wanted:
        return {}
    ids = {_name(number): pk for number, pk in enumerate(wanted)}
    rows = _query(len(ids)).rows(mode=board.mode.pk, season=board.season.pk, generation=board.mode.generation, **ids)
    ratings = [_rating(row, None if shown is None else shown.snapshot_id) for row in rows]
    return {rating.player_id: rating for rating in ratings}


@cache
def _query(count: int) -> Prepared:
    whole = BigIntegerField()
    mode, season = Placeholder("mode", whole), Placeholder("season", whole)
    found = Rating.objects.filter(pk__in=[Placeholder(_name(number), whole) for number in range(count)])
    found = with_columns(found, mode, season, Placeholder("generation", whole))
    return prepare(found.values_list(*COLUMNS, *_OTHERS))


def _name(number: int) -> str:
    return f"id{number}"


def _rating(row: Any, snapshot_id: int | None) -> Any:
    shown = listed_row(row[: len(COLUMNS)])
    listed, active_until, recent_completions = row[len(COLUMNS) :]
    if shown.snapshot_id != snapshot_id:
        raise Superseded
    if listed:
        return shown
    return Rating(
        pk=shown.pk, player_id=shown.player_id, display_hundredths=shown.display_hundredths, wins=shown.wins,
        draws=shown.draws, losses=shown.losses, leaves=shown.leaves, active_until=active_until,
        recent_completions=recent_completions,
    )  # fmt: skip
