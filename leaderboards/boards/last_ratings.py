"""The last ten changes of each row of a board, read in the same statement as the row."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery, TextField

from ranking.models import Change

LAST = 10


class JoinedColumn(Subquery):
    """One column of a subquery's rows, in the subquery's order, as one text with commas."""

    def __init__(self, queryset: QuerySet[Any, Any], column: str) -> None:
        super().__init__(queryset.values(column), output_field=TextField())
        self.extra["column"] = column

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, "(SELECT group_concat(%(column)s) FROM (%(subquery)s))", **more)

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, "array_to_string(ARRAY(%(subquery)s), ',')", **more)


def with_last_ratings(ratings: QuerySet[Any, Any], mode: Any, season: Any, generation: Any) -> QuerySet[Any, Any]:
    """Add `befores`: the display ratings before each of the last ten changes, newest first, as one text.

    All ratings are of this mode, generation and season, which may be placeholders of a prepared query.
    """
    changes = Change.objects.live(generation).filter(player=OuterRef("player"), mode=mode, season=season)
    befores = JoinedColumn(changes.order_by("-event")[:LAST], "display_before")
    rows: QuerySet[Any, Any] = ratings.annotate(befores=befores)
    return rows


def last_ratings(befores: str | None, display_hundredths: int) -> list[int]:
    """Return the display ratings that the last changes led through, oldest first, up to the one of now."""
    values = map(int, befores.split(",")) if befores else ()
    return [*reversed([*values]), display_hundredths]
