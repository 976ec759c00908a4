"""What a player asks of their matches, on the page of a queue."""

from __future__ import annotations

from typing import Any

from django import forms

from matchmaking.matcher.widening import LADDER
from matchmaking.models import Queue
from matchmaking.queues.queueing import Wish

LOOSE, STRICT = "loose", "strict"


class JoinForm(forms.Form):
    """Regions chosen here are taken as good: a page can't measure pings, which games do."""

    width = forms.TypedChoiceField(label="How close to your own rank?", coerce=int, required=False, empty_value=None,
                                   widget=forms.RadioSelect(attrs={"aria-describedby": "width-hint"}))  # fmt: skip
    strict = forms.ChoiceField(label="While you wait", required=False, widget=forms.RadioSelect,
                               choices=[(LOOSE, "Widen it"), (STRICT, "Keep it")])  # fmt: skip
    regions = forms.MultipleChoiceField(label="Regions you can play in", required=False,
                                        widget=forms.CheckboxSelectMultiple)  # fmt: skip

    def __init__(self, queue: Queue, data: Any = None) -> None:
        widths = sorted({*(int(step) for step in LADDER), queue.default_width})
        initial = {"width": queue.default_width, "strict": LOOSE, "regions": queue.regions}
        super().__init__(data, initial=initial)
        choices = {"width": [(str(width), "Anyone" if width == 100 else f"±{width}") for width in widths],
                   "regions": [(region, region) for region in queue.regions]}  # fmt: skip
        for name, said in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 - as declared above
            field.choices = said

    def wish(self) -> Wish:
        """What a valid form asks for."""
        said = self.cleaned_data
        pings = dict.fromkeys(said["regions"], 0.0)
        return Wish(width=said["width"] or None, strict=said["strict"] == STRICT, pings=pings)
