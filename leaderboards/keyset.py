"""Comparing rows of a board as a whole, so that a page is found by one search of its index, however deep."""

from django.db.models import BigIntegerField, DateTimeField, Value

from leaderboards.cursors import Cursor
from ranking.keyset import RowCompared

AFTER, FROM, BEFORE = ">", ">=", "<"


def row_compared(operator: str, cursor: Cursor) -> RowCompared:
    """(board_order, published_reached_at, id) > (a, b, c), say."""
    values = (
        Value(cursor.board_order, BigIntegerField()),
        Value(cursor.reached_at, DateTimeField()),
        Value(cursor.id, BigIntegerField()),
    )
    return RowCompared(operator, ("board_order", "published_reached_at", "id"), values)
