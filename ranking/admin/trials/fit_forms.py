"""Forms that start a fit, and that make a candidate the mode's parameters."""

from __future__ import annotations

from typing import Any

from django import forms

from ranking.admin.base.confirmation import RecordedReasonForm
from ranking.models import Mode
from ranking.modes.changes import has_ratings
from ranking.modes.parameters import current_parameters
from ranking.systems.registry import system_class
from ranking.trials.candidates import fittable_systems

NOW, ANEW = "now", "anew"
WHEN = (
    (NOW, "From now on. Ratings stay as they are, and later matches count by the new parameters."),
    (ANEW, "For the whole history. All matches are rated anew, and ratings change."),
)


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
