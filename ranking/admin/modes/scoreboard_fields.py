"""The form field for a mode's scoreboard: one column a line."""

from __future__ import annotations

from typing import Any

from django import forms

from ranking.admin.base.name_fields import names_in_words, words_of_names
from ranking.rules.scoreboard import FORMS, NUMBER, Column, columns_data, read_columns

_LEAST = "least is best"
_EXAMPLE = (
    "kills = Kills\ndeaths = Deaths, least is best\nkills / deaths = K/D, 2 decimals\ndamage / rounds = ADR, 1 decimal"
)


class ScoreboardField(forms.CharField):
    """Reads lines such as "kills / deaths = K/D, 2 decimals"; an empty field means a column for each statistic."""

    def __init__(self, **kwargs: Any) -> None:
        forms_of_numbers = ", ".join(name for name in FORMS if name != NUMBER)
        super().__init__(
            required=False,
            widget=forms.Textarea(attrs={"rows": 6, "placeholder": _EXAMPLE}),
            help_text="One column a line, in order: the statistic as servers report it, = and its name. A statistic can"
            " be divided by another, by rounds or by minutes. After the name, each after a comma:"
            f' {forms_of_numbers}; "{_LEAST}"; its name in another language, such as'
            " de: Abschüsse. Empty: every statistic that was reported.",
            **kwargs,
        )

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return "\n".join(_line(column) for column in read_columns(value))

    def to_python(self, value: Any) -> Any:
        lines = [line.strip() for line in str(value or "").splitlines() if line.strip()]
        try:
            return columns_data(read_columns([_read_line(line) for line in lines]))
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool((initial or []) != self.to_python(data))
        except forms.ValidationError:
            return True


def _line(column: Column) -> str:
    what = f"{column.stat} / {column.per}" if column.per else column.stat
    more = [column.form] if column.form != NUMBER else []
    return ", ".join([f"{what} = {column.name}", *more, *([_LEAST] if column.least else [])]) + words_of_names(
        dict(column.names)
    )


def _read_line(line: str) -> dict[str, object]:
    what, equals, rest = line.partition("=")
    words, names = names_in_words(word.strip() for word in rest.split(","))
    name, *more = words or [""]
    stat, slash, per = (word.strip() for word in what.partition("/"))
    if not equals or not stat or not name or (slash and not per):
        raise ValueError(f'"{line}" is no column; write a statistic, = and its name, such as "kills = Kills".')
    fields: dict[str, object] = {"stat": stat, "name": name, "per": per, "names": names}
    for word in more:
        if word == _LEAST:
            fields["least"] = True
        elif word in FORMS and "form" not in fields:
            fields["form"] = word
        else:
            raise ValueError(f'"{word}" of the column {name} is none of: {", ".join(FORMS)}, {_LEAST}.')
    return fields
