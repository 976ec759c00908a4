"""The last ten changes of every row of a board, read with the row."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery, TextField

from ranking.models import Change, Rating

LAST = 10


class Listed(Subquery):
    """One column of a subquery's rows, in its order, as text with commas."""

    def __init__(self, queryset: QuerySet[Any, Any], column: str) -> None:
        super().__init__(queryset.values(column), output_field=TextField())
        self.extra["column"] = column

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, "(SELECT group_concat(%(column)s) FROM (%(subquery)s))", **more)

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, "array_to_string(ARRAY(%(subquery)s), ',')", **more)


def with_last_ratings(ratings: QuerySet[Rating, Any], mode: Any, season: Any, generation: Any) -> QuerySet[Rating, Any]:
    """These ratings with `befores`: the display ratings before each of the last changes, newest first.

    They are of this mode, its generation and season, which may be `Given`.
    """
    changes = Change.objects.live(generation).filter(player=OuterRef("player"), mode=mode, season=season)
    return ratings.annotate(befores=Listed(changes.order_by("-event")[:LAST], "display_before"))


def last_ratings(rating: Any) -> list[int]:
    """The display ratings that the last changes led through, oldest first."""
    befores = map(int, rating.befores.split(",")) if rating.befores else ()
    return [*reversed([*befores]), rating.display_hundredths]
