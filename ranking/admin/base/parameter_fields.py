"""Form fields for the parameters of rating systems: typed, each with its meaning and default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from ranking.systems.registry import SYSTEMS, describe_params, refusals_of
from ranking.systems.shared.params import Parameter

LONGEST_TEXT = 100
NULL = "null"  # what stands for None in a field: an empty one means the default


class NullableNumber(forms.FloatField):
    """A number, or the word null."""

    def to_python(self, value: Any) -> Any:
        return NULL if str(value).strip().lower() == NULL else super().to_python(value)

    def validate(self, value: Any) -> None:
        if value != NULL:
            super().validate(value)


def field_name(system: str, parameter: str) -> str:
    return f"{system}__{parameter}"


def field_names(system: str) -> list[str]:
    """Return the names of a system's form fields, in the order of its parameters."""
    return [field_name(system, parameter.name) for parameter in describe_params(system)]


def parameter_fields(values: Mapping[str, object], system: str | None) -> dict[str, forms.Field]:
    """Return the form fields of every system. `values`: those in force, parameters of `system`.

    Without a system they are those of a new mode: what a parameter proposes stands in its field, and is marked.
    """
    return {
        field_name(key, parameter.name): _field(parameter, values if key == system else {}, new=system is None)
        for key in SYSTEMS
        for parameter in describe_params(key)
    }


def _field(parameter: Parameter, values: Mapping[str, Any], new: bool) -> forms.Field:
    default, label = parameter.default, parameter.label
    proposed = parameter.proposed if new else None
    mark = "" if proposed is None else f" Proposed: {_value_text(proposed)}. {parameter.why}"
    if default is True:
        return _switch(parameter, label, values)
    if isinstance(default, bool):
        help_text = f"{parameter.meaning} Default: {_value_text(default)}.{mark}"
        initial = values.get(parameter.name, default if proposed is None else proposed)
        return forms.BooleanField(label=label, help_text=help_text, initial=initial, required=False)
    common: dict[str, Any] = {
        "label": label,
        "help_text": f"{parameter.meaning} Default: {_value_text(default)}.{mark}",
        "initial": values.get(parameter.name, proposed),
        "required": False,
    }
    if parameter.nullable:
        if parameter.name in values and values[parameter.name] is None:
            common["initial"] = NULL
        return NullableNumber(**common, widget=forms.TextInput(attrs={"placeholder": _value_text(default)}))
    if isinstance(default, int):
        return forms.IntegerField(**common, widget=_number_input(default))
    if isinstance(default, float):
        return forms.FloatField(**common, widget=_number_input(default))
    if parameter.options:
        choices = [("", f"Default ({default})"), *[(option, option.capitalize()) for option in parameter.options]]
        return forms.TypedChoiceField(
            **{**common, "help_text": f"{parameter.meaning} Default: {default}."}, choices=choices, empty_value=None
        )
    if isinstance(default, str):
        common["help_text"] = f"{parameter.meaning} Default: {default or 'none'}."
        return forms.CharField(**common, max_length=LONGEST_TEXT, empty_value=None)
    return forms.JSONField(**common)


def _switch(parameter: Parameter, label: str, values: Mapping[str, object]) -> forms.Field:
    """A choice for what is on by default: a box that isn't ticked would turn it off."""
    given = values.get(parameter.name)
    return forms.TypedChoiceField(
        label=label,
        help_text=f"{parameter.meaning} Default: on.",
        choices=[("", "Default (on)"), ("on", "On"), ("off", "Off")],
        initial="" if given is None else "on" if given else "off",
        coerce=lambda text: text == "on",
        empty_value=None,
        required=False,
    )


def _number_input(default: float) -> forms.NumberInput:
    return forms.NumberInput(attrs={"step": "any", "placeholder": _value_text(default)})


def _value_text(default: object) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    return f"{default:.6g}" if isinstance(default, float) else str(default)


def params_from(system: str, cleaned: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters entered for a system. Empty fields mean the defaults and are left out."""
    entered = {parameter: cleaned.get(field_name(system, parameter.name)) for parameter in describe_params(system)}
    return {
        parameter.name: None if parameter.nullable and value == NULL else value
        for parameter, value in entered.items()
        if value is not None and not (isinstance(parameter.default, bool) and value == parameter.default)
    }


def find_refusals(system: str, params: Mapping[str, object]) -> dict[str | None, str]:
    """Return, by form field, why a system refuses the parameters; None for parameters that don't go together."""
    refusals = refusals_of(system, params)
    return {name and field_name(system, name): sentence for name, sentence in refusals.items()}
