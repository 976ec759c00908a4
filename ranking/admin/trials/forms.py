"""Forms that ask for an evaluation or a fit, and that make a fit's candidate the mode's parameters."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django import forms
from django.contrib.auth.models import User

from ranking.admin.base.acts.forms import RecordedReasonForm
from ranking.admin.base.parameter_fields import field_names, find_refusals, parameter_fields, params_from
from ranking.admin.trials.advice import title_of
from ranking.models import EvaluationRun, FitRun, Mode
from ranking.modes.changes import has_ratings
from ranking.modes.parameters import changed_params, check_fits, current_parameters, params_of
from ranking.systems.base import Refused
from ranking.systems.registry import SYSTEMS, get_system, system_class
from ranking.trials.candidates import fittable_systems
from ranking.trials.runs import ask_for_evaluation, ask_for_fit

NOW, ANEW = "now", "anew"
WHEN = (
    (NOW, "From now on. Ratings stay as they are, and later matches count by the new parameters."),
    (ANEW, "For the whole history. All matches are rated anew, and ratings change."),
)


class EvaluationForm(forms.Form):
    """Asks which rating systems to try. Once it is valid, `candidates` holds the ticked systems with their parameters.

    `in_force`: the parameters that the mode is rated by. `misfits`: title → reason, of each system that can't rate
    the mode's teams.
    """

    def __init__(self, mode: Mode, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._mode, self.in_force = mode, current_parameters(mode)
        in_force = self.in_force
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

    @property
    def in_force_title(self) -> str:
        return title_of({"system": self.in_force.system, "params": changed_params(self.in_force)})

    def ask(self, *, by: User, now: dt.datetime) -> EvaluationRun:
        return ask_for_evaluation(self._mode, self.candidates, by=by, now=now)

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


class FitForm(forms.Form):
    """Asks which systems to fit; the one in force is ticked."""

    systems = forms.MultipleChoiceField(
        label="Systems", widget=forms.CheckboxSelectMultiple, error_messages={"required": "Tick at least one system."}
    )
    impact = forms.BooleanField(
        required=False,
        label="Weights of statistics",
        help_text="What kills, assists and so on are worth.",
    )

    def __init__(self, mode: Mode, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        in_force, keys = current_parameters(mode).system, fittable_systems(mode)
        field: Any = self.fields["systems"]
        field.choices = [
            (key, system_class(key).title + (" (in force)" if key == in_force else "")) for key in keys
        ]  # fmt: skip
        field.initial = [key for key in keys if key == in_force]
        self._mode = mode

    def ask(self, *, by: User, now: dt.datetime) -> FitRun:
        wishes = self.cleaned_data
        return ask_for_fit(self._mode, wishes["systems"], impact=wishes["impact"], by=by, now=now)


class UseForm(RecordedReasonForm):
    """Asks from when on a candidate counts. `recommended` False: whether it is wanted all the same, too."""

    when = forms.ChoiceField(choices=WHEN, widget=forms.RadioSelect, label="From when on")
    anyway = forms.BooleanField(label="Use these although the fit recommends the defaults")

    def __init__(self, mode: Mode, system: str, recommended: bool, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if system != current_parameters(mode).system and has_ratings(mode):
            field: Any = self.fields["when"]
            field.choices = WHEN[1:]
            field.initial = ANEW
        if recommended:
            del self.fields["anyway"]
