"""The last ten changes of each row of a board, read in the same statement as the row: ratings and outcomes."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Concat
from django.db.models.sql.compiler import SQLCompiler

from ranking.models import Change

LAST = 10
FORM = 5  # matches


class JoinedColumn(Subquery):
    """One column of a subquery's rows, in the subquery's order, as one text with commas."""

    def __init__(self, queryset: QuerySet[Any, Any], column: str) -> None:
        super().__init__(queryset.values(column), output_field=TextField())
        self.extra["column"] = column

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: str) -> tuple[str, Any]:
        return self.as_sql(compiler, connection, "(SELECT group_concat(%(column)s) FROM (%(subquery)s))", **more)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: str) -> tuple[str, Any]:
        return self.as_sql(compiler, connection, "array_to_string(ARRAY(%(subquery)s), ',')", **more)


def with_last_changes(ratings: QuerySet[Any, Any], mode: Any, season: Any, generation: Any) -> QuerySet[Any, Any]:
    """Add `last_changes`: the display rating before each of the last ten changes, and the outcome, newest first.

    It is one text, "126:win,131:loss,120:"; a change that is no match has no outcome. All ratings are of this mode,
    generation and season, which may be placeholders of a prepared query.
    """
    changes = Change.objects.live(generation).filter(player=OuterRef("player"), mode=mode, season=season)
    entry = Concat(Cast("display_before", TextField()), Value(":"), "outcome", output_field=TextField())
    rows: QuerySet[Any, Any] = ratings.annotate(
        last_changes=JoinedColumn(changes.annotate(entry=entry).order_by("-event")[:LAST], "entry")
    )
    return rows


def read_changes(last_changes: str | None, display_hundredths: int) -> tuple[list[int], list[str]]:
    """Return the display ratings that the last changes led through, up to the one of now, and the outcomes of the last
    FORM matches among them. Both oldest first.
    """
    pairs = [entry.partition(":") for entry in reversed(last_changes.split(","))] if last_changes else []
    outcomes = [outcome for _, _, outcome in pairs if outcome]
    return [*(int(before) for before, _, _ in pairs), display_hundredths], outcomes[-FORM:]
