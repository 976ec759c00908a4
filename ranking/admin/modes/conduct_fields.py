"""Form fields for a mode's conduct settings, each with its meaning and default; an empty field means the default."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django import forms

from ranking.rules.conduct import DEFAULTS, read_settings

PREFIX = "conduct__"
_LINE = re.compile(r"(\d+(?:\.\d+)?)\s*:\s*(\d+(?:\.\d+)?)")
_NUMBERS = {
    "points": ("Points for leaving", "What leaving a match, or a lobby after all accepted, costs."),
    "decay_percent": ("Decay a day", "Per cent of the points that go each day, continuously."),
    "missed_hours": ("Missed accepts are counted for", "Hours."),
}


class ConductNumberField(forms.FloatField):
    """A conduct setting that is one number."""

    def __init__(self, name: str, label: str, meaning: str) -> None:
        self.name = name
        default = f"{getattr(DEFAULTS, name):g}"
        widget = forms.NumberInput(attrs={"placeholder": default, "step": "any"})
        super().__init__(required=False, label=label, help_text=f"{meaning} Default: {default}", widget=widget)

    def clean(self, value: Any) -> Any:
        return _checked(self.name, super().clean(value))


class LockoutsField(forms.CharField):
    """Reads the lockouts from lines such as "1.5: 10": from 1.5 points on, 10 minutes."""

    def __init__(self) -> None:
        lines = "\n".join(_line(step) for step in DEFAULTS.lockouts)
        super().__init__(
            required=False,
            label="Lockouts",
            widget=forms.Textarea(attrs={"rows": len(DEFAULTS.lockouts), "placeholder": lines}),
            help_text="One a line, rising: from so many points right after leaving on, so many minutes without"
            " queueing. Default: " + ", ".join(_line(step) for step in DEFAULTS.lockouts),
        )

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(_line(step) for step in value) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> Any:
        lines = [line.strip() for line in super().clean(value).splitlines() if line.strip()]
        return _checked("lockouts", [_read_line(line) for line in lines] or None)


class MinutesField(forms.CharField):
    """Reads numbers separated by commas: the minutes of the first, second … missed accept."""

    def __init__(self) -> None:
        default = ", ".join(f"{minutes:g}" for minutes in DEFAULTS.missed_minutes)
        super().__init__(
            required=False,
            label="Missed accepts",
            widget=forms.TextInput(attrs={"placeholder": default}),
            help_text="Minutes without queueing for the first, the second … missed accept; the last holds for every"
            f" further one. Default: {default}",
        )

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(f"{minutes:g}" for minutes in value) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> Any:
        words = [word.strip() for word in super().clean(value).split(",") if word.strip()]
        try:
            numbers = [float(word) for word in words]
        except ValueError as error:
            raise forms.ValidationError("Write numbers with commas between, such as 0, 3, 10.") from error
        return _checked("missed_minutes", numbers or None)


def conduct_fields(values: Mapping[str, object]) -> dict[str, forms.Field]:
    """Return the fields by their names in the form; `values` are the mode's present settings."""
    fields: dict[str, forms.Field] = {
        "points": ConductNumberField("points", *_NUMBERS["points"]),
        "decay_percent": ConductNumberField("decay_percent", *_NUMBERS["decay_percent"]),
        "lockouts": LockoutsField(),
        "missed_minutes": MinutesField(),
        "missed_hours": ConductNumberField("missed_hours", *_NUMBERS["missed_hours"]),
    }
    for name, field in fields.items():
        field.initial = values.get(name)
    return {PREFIX + name: field for name, field in fields.items()}


FIELD_NAMES = tuple(PREFIX + name for name in ("points", "decay_percent", "lockouts", "missed_minutes", "missed_hours"))


def conduct_from(cleaned: Mapping[str, object]) -> dict[str, object]:
    """Return the settings that a mode keeps: those that were entered."""
    values = {name: cleaned.get(name) for name in FIELD_NAMES}
    return {name.removeprefix(PREFIX): value for name, value in values.items() if value is not None}


def _line(step: Any) -> str:
    return f"{step[0]:g}: {step[1]:g}"


def _read_line(line: str) -> list[float]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise forms.ValidationError(f'"{line}" is no lockout; write points and minutes, such as "4.5: 30".')
    return [float(match[1]), float(match[2])]


def _checked(name: str, value: Any) -> Any:
    """Return the value if it is a valid setting; None if nothing was entered."""
    if value is None:
        return None
    try:
        read_settings({name: value})
    except ValueError as error:
        raise forms.ValidationError(str(error)) from error
    return value
