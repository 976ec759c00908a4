"""The parameters of rating systems as form fields: typed, each with its meaning and default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from ranking.systems.base import Refused
from ranking.systems.registry import SYSTEMS, describe_params, get_system
from ranking.systems.shared.params import Parameter


def field_name(system: str, parameter: str) -> str:
    return f"{system}__{parameter}"


def names_of(system: str) -> list[str]:
    """The names of a system's fields, in the order of its parameters."""
    return [field_name(system, parameter.name) for parameter in describe_params(system)]


def parameter_fields(given: Mapping[str, Any], system: str | None) -> dict[str, forms.Field]:
    """Fields for every system, or for one; `given` are the values in force of `system`."""
    return {
        field_name(key, parameter.name): _field(parameter, given if key == system else {})
        for key in SYSTEMS
        for parameter in describe_params(key)
    }


def _field(parameter: Parameter, given: Mapping[str, Any]) -> forms.Field:
    default, label = parameter.default, parameter.name.replace("_", " ").capitalize()
    if isinstance(default, bool):
        told = f"{parameter.meaning} Default: {'on' if default else 'off'}."
        initial = given.get(parameter.name, default)
        return forms.BooleanField(label=label, help_text=told, initial=initial, required=False)
    common: dict[str, Any] = {
        "label": label,
        "help_text": f"{parameter.meaning} Default: {_shown(default)}.",
        "initial": given.get(parameter.name),
        "required": False,
    }
    if isinstance(default, int):
        return forms.IntegerField(**common, widget=_number(default))
    if isinstance(default, float):
        return forms.FloatField(**common, widget=_number(default))
    return forms.JSONField(**common)


def _number(default: float) -> forms.NumberInput:
    return forms.NumberInput(attrs={"step": "any", "placeholder": _shown(default)})


def _shown(default: object) -> str:
    return f"{default:.6g}" if isinstance(default, float) else str(default)


def params_from(system: str, cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """What was entered for a system; empty fields stand at their defaults and are left out."""
    entered = {parameter: cleaned.get(field_name(system, parameter.name)) for parameter in describe_params(system)}
    return {
        parameter.name: value
        for parameter, value in entered.items()
        if value is not None and not (isinstance(parameter.default, bool) and value == parameter.default)
    }


def refusals(system: str, params: Mapping[str, Any]) -> dict[str | None, str]:
    """Sentences by the field they concern: None for parameters that don't go together."""
    try:
        get_system(system, params)
    except Refused as refused:
        whole = str(refused)
    else:
        return {}
    found: dict[str | None, str] = {}
    for name, value in params.items():
        try:
            get_system(system, {name: value})
        except Refused as refused:
            found[field_name(system, name)] = str(refused)
    return found or {None: whole}
