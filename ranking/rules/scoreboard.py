"""The columns of a match's scoreboard: which statistics it shows, under which names, and how their numbers are written.

A column shows a statistic that servers report, or a quotient of one by another, by the rounds or by the minutes that
the player played. A mode chooses its columns; without a choice there is one for each statistic reported.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ranking.wording.names import local_name, read_names
from ranking.wording.translation import gettext

ROUNDS, MINUTES = "rounds", "minutes"
NUMBER, PERCENT, TIME = "number", "percent", "time"
# How numbers are written, with the decimals of those that have a fixed number of them.
FORMS: Mapping[str, int | None] = {
    NUMBER: None, "1 decimal": 1, "2 decimals": 2, "3 decimals": 3, PERCENT: 0, TIME: None,
}  # fmt: skip
MOST_COLUMNS = 32
LONGEST_STAT = 64
LONGEST_NAME = 32
_FIELDS = {"stat", "name", "per", "form", "least", "names"}
_FIRST = ("score", "kills", "deaths", "assists")  # where a mode chose no columns, these come first


@dataclass(frozen=True, slots=True)
class Column:
    """A column of `stat`, divided by `per` if that isn't empty. `least`: the least number is the best one.

    `names`: those by language, as pairs.
    """

    stat: str
    name: str
    per: str = ""
    form: str = NUMBER
    least: bool = False
    names: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The name in the language of the reader."""
        return local_name(self.name, dict(self.names))

    @property
    def key(self) -> str:
        """What tells the column from others: kills, kills/deaths."""
        return f"{self.stat}/{self.per}" if self.per else self.stat

    def value(self, stats: Mapping[str, float], rounds: int | None, seconds: float | None) -> float | None:
        """The column's number for a player; None if what it needs wasn't reported.

        A quotient by a statistic that is 0 is the one by 1, as players count kills without a death.
        """
        number = stats.get(self.stat)
        if number is None or not self.per:
            return number
        if self.per == ROUNDS:
            return number / rounds if rounds else None
        if self.per == MINUTES:
            return 60 * number / seconds if seconds else None
        by = stats.get(self.per)
        return None if by is None else number / (by or 1.0)


def columns_for(chosen: tuple[Column, ...], reported: Collection[str], *, with_rounds: bool) -> tuple[Column, ...]:
    """The columns of a match in which these statistics were reported: those chosen, else one for each of them.

    The latter come with kills by deaths and kills a round, where they are known.
    """
    if chosen:
        return tuple(column for column in chosen if column.stat in reported)
    named = [stat for stat in _FIRST if stat in reported]
    named += sorted(set(reported) - set(_FIRST))
    columns = [Column(stat, _name_of(stat), least=stat == "deaths") for stat in named[:MOST_COLUMNS]]
    if "kills" in reported and "deaths" in reported:
        place = 1 + next(index for index, column in enumerate(columns) if column.stat == "deaths")
        columns.insert(place, Column("kills", "K/D", "deaths", "2 decimals"))
    if "kills" in reported and with_rounds:
        columns.append(Column("kills", gettext("Kills a round"), ROUNDS, "2 decimals"))
    return tuple(columns)


def _name_of(stat: str) -> str:
    words = stat.replace("_", " ").strip() or stat
    return words[:1].upper() + words[1:]


def read_columns(value: object) -> tuple[Column, ...]:
    """Columns from JSON, [{"stat": "kills", "name": "Kills"}, …]; raises ValueError with a sentence."""
    if not isinstance(value, list):
        raise ValueError('Columns are a list such as [{"stat": "kills", "name": "Kills"}].')
    if len(value) > MOST_COLUMNS:
        raise ValueError(f"A scoreboard has at most {MOST_COLUMNS} columns; these are {len(value)}.")
    columns = tuple(_read_column(number, fields) for number, fields in enumerate(value, 1))
    seen: set[str] = set()
    for column in columns:
        if column.key in seen:
            raise ValueError(f"Two columns show {column.key}; one is enough.")
        seen.add(column.key)
    return columns


def _read_column(number: int, fields: object) -> Column:
    if not isinstance(fields, dict) or not {"stat", "name"} <= set(fields) <= _FIELDS:
        raise ValueError(
            f'Column {number} needs a "stat" and a "name", and may have "per", "form", "least" and "names".'
        )
    column = Column(
        _text(number, "statistic", fields["stat"], LONGEST_STAT),
        _text(number, "name", fields["name"], LONGEST_NAME),
        _text(number, "divisor", fields["per"], LONGEST_STAT) if fields.get("per") else "",
        fields.get("form", NUMBER),
        fields.get("least", False),
        tuple(read_names(fields.get("names", {}), LONGEST_NAME).items()),
    )
    if not isinstance(column.form, str) or column.form not in FORMS:
        raise ValueError(f"Column {number} is written as one of: {', '.join(FORMS)}.")
    if not isinstance(column.least, bool):
        raise ValueError(f'"least" of column {number} is true or false.')
    return column


def _text(number: int, what: str, value: object, longest: int) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > longest or not value.isprintable():
        raise ValueError(f"Column {number} needs a {what} of 1 to {longest} printable characters.")
    return value.strip()


def columns_data(columns: Collection[Column]) -> list[dict[str, object]]:
    """Columns as JSON, which read_columns reads; what is as usual is left out."""
    usual = Column("", "")
    names = ("per", "form", "least")
    return [
        {"stat": column.stat, "name": column.name}
        | {name: getattr(column, name) for name in names if getattr(column, name) != getattr(usual, name)}
        | ({"names": dict(column.names)} if column.names else {})
        for column in columns
    ]
