"""Searches players by their names: conditions and an order that indexes serve.

A text of PART or more characters is found in any part of a name, a shorter one at its beginning.
"""

import datetime as dt
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Expression, F, Func, Max, Q, QuerySet, Value
from django.db.models.expressions import OrderBy
from django.db.models.sql.compiler import SQLCompiler

from ranking.database.keyset import Order, RowCompared
from ranking.models import Player, Rating
from ranking.rules.names import fold

PART = 3  # characters: an index of trigrams finds no fewer
MOST_FOUND = 500


class NameCompared(RowCompared):
    """A condition on rows behind a name and id, in the order of ByName."""

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: object
    ) -> tuple[str, list[object]]:
        parts = [compiler.compile(part) for part in self.get_source_expressions()]
        (name, row), (text, number) = [sql for sql, _ in parts[:2]], [sql for sql, _ in parts[2:]]
        after, last = list(parts[2][1]), list(parts[3][1])
        return f"({name} ~>=~ {text} AND ({name} ~>~ {text} OR {row} > {number}))", [*after, *after, *last]


_LAST_CHARACTER = "\U0010ffff"  # sorts behind every character of a name
PLAYERS = Order((("search_name", "text"), ("id", "whole")), compared=NameCompared)


def find_players(beginning: str = "") -> QuerySet[Player]:
    """Return the people whose name begins so, in the order PLAYERS; merged players and bots are left out."""
    players = Player.objects.filter(name_begins(beginning)) if beginning else Player.objects.all()
    return players.filter(merged_into=None, is_bot=False).order_by(ByName(), "id")


class ByName(OrderBy):
    """Sorts names by code point in any locale, so that an index finds all names with the same beginning."""

    def __init__(self) -> None:
        super().__init__(F("search_name"))

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Any]:
        # The order of the index player_by_name (varchar_pattern_ops). Django searches the SQL for ASC or DESC, so
        # the comment holds one.
        return super().as_sql(compiler, connection, template="%(expression)s USING ~<~ /* ASC */")


class _ByCodePoint(Func):
    """Compares a column with a text by code point; the index serves it for any text."""

    template, output_field = "%(expressions)s", BooleanField()

    def __init__(self, operator: str, text: Expression, column: str = "search_name") -> None:
        super().__init__(F(column), text, arg_joiner=f" {operator} ")

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: str) -> tuple[str, Any]:
        joiner = f" ~{self.extra['arg_joiner'].strip()}~ "
        return self.as_sql(compiler, connection, arg_joiner=joiner, **context)


def name_begins(text: str) -> Q:
    """Return a condition on players whose name begins so. An index serves it; sort by `ByName()`."""
    first, last = name_bounds(text)
    return Q(_ByCodePoint(">=", Value(first)), names_before(Value(last)))


class _NameHolds(Func):
    """True for players whose name holds a text of PART characters or more; the index of trigrams serves it.

    `most`: SQLite, which collects all of them before it goes on, collects so many only.
    """

    output_field = BooleanField()

    def __init__(self, text: str, most: int | None = None) -> None:
        super().__init__(F("pk"), F("search_name"))
        self.text, self.most = text, most

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: object
    ) -> tuple[str, tuple[str | int, ...]]:
        row, _ = compiler.compile(self.get_source_expressions()[0])
        pattern = "".join(f"[{character}]" if character in "*?[" else character for character in self.text)
        names = "SELECT rowid FROM ranking_player_names WHERE search_name GLOB %s"
        limit = "" if self.most is None else f" LIMIT {self.most}"
        return f"{row} IN ({names}{limit})", (f"*{pattern}*",)

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: object
    ) -> tuple[str, list[object]]:
        name, _ = compiler.compile(self.get_source_expressions()[1])
        pattern = "".join(f"\\{character}" if character in "%_\\" else character for character in self.text)
        return f"{name} LIKE %s", [f"%{pattern}%"]


def name_holds(text: str, most: int | None = None) -> Q:
    """Return a condition on players whose name holds a text; if it is shorter than PART, whose name begins so.

    `most`: it may be true of no more than so many.
    """
    folded = fold(text).replace("\0", "")
    return Q(_NameHolds(folded, most)) if len(folded) >= PART else name_begins(text)


def find_best(text: str, *, bots: bool = False) -> list[int]:
    """Return the ids of the MOST_FOUND best players for a text: three queries. With `bots`: not of people only.

    First those of exactly this name, then those whose name begins so, then, for a text of PART characters or more,
    those whose name holds it; each with the latest match first. If there are more, it's those whose names begin so,
    and then any.
    """
    folded = fold(text)
    players = Player.objects.filter(merged_into=None)
    if not bots:
        players = players.filter(is_bot=False)
    begins = players.filter(name_begins(text)).order_by(ByName(), "id").values_list("pk", "search_name")
    found = {pk: 0 if name == folded else 1 for pk, name in begins[:MOST_FOUND]}
    room = MOST_FOUND - len(found)
    if room and len(folded) >= PART:
        holds = players.filter(name_holds(text, 4 * MOST_FOUND)).exclude(name_begins(text)).values_list("pk", flat=True)
        found |= dict.fromkeys(holds[:room], 2)
    matches = Rating.objects.filter(player__in=found).order_by().values("player")
    last = dict(matches.annotate(last=Max("last_match_at")).values_list("player", "last"))
    never = dt.datetime.min.replace(tzinfo=dt.UTC)
    by_last_match = sorted(found, key=lambda pk: last.get(pk) or never, reverse=True)
    return sorted(by_last_match, key=found.__getitem__)


def find_named(text: str) -> list[int]:
    """Return the ids of the player with this key, and of the MOST_FOUND best for this text of their name, bots too."""
    keyed = Player.objects.filter(key=text).values_list("pk", flat=True)
    return [*keyed, *find_best(text, bots=True)]


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
