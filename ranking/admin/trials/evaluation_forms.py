"""The form that asks for an evaluation: rating systems to try on a mode's history, each with its parameters."""

from __future__ import annotations

from typing import Any

from django import forms

from ranking.admin.base.parameter_fields import field_names, find_refusals, parameter_fields, params_from
from ranking.models import Mode
from ranking.modes.parameters import check_fits, current_parameters, params_of
from ranking.systems.base import Refused
from ranking.systems.registry import SYSTEMS, get_system


class EvaluationForm(forms.Form):
    """Asks which rating systems to try. Once it is valid, `candidates` holds the ticked systems with their parameters.

    `in_force`: the parameters that the mode is rated by. `misfits`: title → reason, of each system that can't rate
    the mode's teams.
    """

    def __init__(self, mode: Mode, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.in_force = in_force = current_parameters(mode)
        self.misfits: dict[str, str] = {}
        self._keys: list[str] = []
        for key, system in SYSTEMS.items():
            try:
                check_fits(get_system(key), mode)
            except Refused as refused:
                self.misfits[system.title] = str(refused)
                continue
            self._keys.append(key)
            suffix = " (in force)" if key == in_force.system else ""
            self.fields[_use(key)] = forms.BooleanField(label=f"{system.title}{suffix}", required=False)
        fields = parameter_fields(params_of(in_force), in_force.system)
        self.fields.update({name: fields[name] for key in self._keys for name in field_names(key)})

    def rows(self) -> list[dict[str, Any]]:
        """Return, for each system, its tick box and the fields of its parameters."""
        return [{"use": self[_use(key)], "fields": [self[name] for name in field_names(key)]} for key in self._keys]

    def clean(self) -> None:
        super().clean()
        ticked = [key for key in self._keys if self.cleaned_data.get(_use(key))]
        entered = {key: params_from(key, self.cleaned_data) for key in ticked}
        self.candidates = [{"system": key, "params": params} for key, params in entered.items()]
        for key, params in entered.items():
            for field, sentence in find_refusals(key, params).items():
                self.add_error(field, sentence)


def _use(key: str) -> str:
    return f"use__{key}"
