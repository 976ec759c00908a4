"""The form field for a mode's named tiers: one tier a line, its first percentile and its name."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from ranking.admin.base.name_fields import names_in_words, words_of_names
from ranking.rules.tiers import DEFAULT_TIERS, read_named_tiers

_LINE = re.compile(r"(\d{1,3})\s+(\S.*)")


class TiersField(forms.CharField):
    """Reads lines such as "20 Silver"; an empty field means the default tiers."""

    def __init__(self, **kwargs: Any) -> None:
        default = "\n".join(f"{tier.first} {tier.name}" for tier in DEFAULT_TIERS)
        super().__init__(
            required=False,
            widget=forms.Textarea(attrs={"rows": len(DEFAULT_TIERS), "placeholder": default}),
            help_text="One a line, lowest first: the percentile at which it begins, and its name; after commas its name"
            " in other languages, such as de: Silber. Empty: "
            + ", ".join(f"{tier.name} from {tier.first}" for tier in DEFAULT_TIERS)
            + ".",
            **kwargs,
        )

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return "\n".join(f"{tier['from']} {tier['name']}{words_of_names(tier.get('names', {}))}" for tier in value)

    def to_python(self, value: Any) -> Any:
        lines = [line.strip() for line in str(value or "").splitlines() if line.strip()]
        if not lines:
            return []
        try:
            tiers = read_named_tiers([_read_line(line) for line in lines])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        return [
            {"name": tier.name, "from": tier.first} | ({"names": dict(tier.names)} if tier.names else {})
            for tier in tiers
        ]

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool((initial or []) != self.to_python(data))
        except forms.ValidationError:
            return True


def _read_line(line: str) -> dict[str, object]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(f'"{line}" is no tier; write its first percentile and its name, such as "20 Silver".')
    words, names = names_in_words(match[2].split(","))
    return {"from": int(match[1]), "name": ",".join(words), "names": names}
