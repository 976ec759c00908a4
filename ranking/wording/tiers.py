"""Names of tiers in the language of the reader: the default ones, and those that the studio gave in that language."""

from __future__ import annotations

from collections.abc import Mapping

from ranking.wording.names import local_name
from ranking.wording.translation import once_a_language, pgettext


def tier_text(label: str) -> str:
    """Gold II → Gold II; Silver → Silber in German. A name that isn't a default tier's stays as it is."""
    name, _, division = label.rpartition(" ")
    if division not in ("I", "II", "III"):
        name, division = label, ""
    return f"{_default_name(name)} {division}".rstrip()


def tier_name_text(name: str, names: Mapping[str, str]) -> str:
    """The name of a tier without its division; `names`: those that the studio gave, by language."""
    return local_name(_default_name(name), names)


def _default_name(name: str) -> str:
    """A default tier's name in the language of the reader; another name as it is."""
    return _default_names().get(name, name)


@once_a_language
def _default_names() -> Mapping[str, str]:
    return {
        "Bronze": pgettext("tier", "Bronze"),
        "Silver": pgettext("tier", "Silver"),
        "Gold": pgettext("tier", "Gold"),
        "Platinum": pgettext("tier", "Platinum"),
        "Diamond": pgettext("tier", "Diamond"),
        "Master": pgettext("tier", "Master"),
    }
