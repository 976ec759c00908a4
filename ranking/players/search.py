"""Searches players by the beginning of their name: conditions and an order that an index serves."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Expression, F, Func, Q, QuerySet, Value
from django.db.models.expressions import OrderBy
from django.db.models.sql.compiler import SQLCompiler

from ranking.database.keyset import Order, RowCompared
from ranking.models import Player
from ranking.rules.names import fold


class NameCompared(RowCompared):
    """A condition on rows behind a name and id, in the order of ByName."""

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: Any
    ) -> tuple[str, list[Any]]:
        parts = [compiler.compile(part) for part in self.get_source_expressions()]
        (name, row), (text, number) = [sql for sql, _ in parts[:2]], [sql for sql, _ in parts[2:]]
        after, last = list(parts[2][1]), list(parts[3][1])
        return f"({name} ~>=~ {text} AND ({name} ~>~ {text} OR {row} > {number}))", [*after, *after, *last]


_LAST_CHARACTER = "\U0010ffff"  # sorts behind every character of a name
PLAYERS = Order((("search_name", "text"), ("id", "whole")), compared=NameCompared)


def find_players(beginning: str = "") -> QuerySet[Player]:
    """Return the players whose name begins so, in the order PLAYERS; merged players are left out."""
    players = Player.objects.filter(name_begins(beginning)) if beginning else Player.objects.all()
    return players.filter(merged_into=None).order_by(ByName(), "id")


class ByName(OrderBy):
    """Sorts names by code point in any locale, so that an index finds all names with the same beginning."""

    def __init__(self) -> None:
        super().__init__(F("search_name"))

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        # The order of the index player_by_name (varchar_pattern_ops). Django searches the SQL for ASC or DESC, so
        # the comment holds one.
        return super().as_sql(compiler, connection, template="%(expression)s USING ~<~ /* ASC */")


class _ByCodePoint(Func):
    """Compares a column with a text by code point; the index serves it for any text."""

    template, output_field = "%(expressions)s", BooleanField()

    def __init__(self, operator: str, text: Expression, column: str = "search_name") -> None:
        super().__init__(F(column), text, arg_joiner=f" {operator} ")

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, Any]:
        joiner = f" ~{self.extra['arg_joiner'].strip()}~ "
        return self.as_sql(compiler, connection, arg_joiner=joiner, **context)


def name_begins(text: str) -> Q:
    """Return a condition on players whose name begins so. An index serves it; sort by `ByName()`."""
    first, last = name_bounds(text)
    return Q(_ByCodePoint(">=", Value(first)), names_before(Value(last)))


def name_bounds(text: str) -> tuple[str, str]:
    """Return the bounds of `search_name` for names that begin so: at least the first, below the second."""
    folded = fold(text).replace("\0", "")
    return folded, folded + _LAST_CHARACTER


def begins(column: str, text: str) -> Q:
    """Return a case-sensitive condition on rows whose text begins so; Django's index for LIKE serves it."""
    text = text.replace("\0", "")
    return Q(_ByCodePoint(">=", Value(text), column), _ByCodePoint("<", Value(text + _LAST_CHARACTER), column))


def names_before(last: Expression) -> Func:
    """Return a condition on players whose `search_name` is before the text, in the order of ByName."""
    return _ByCodePoint("<", last)
