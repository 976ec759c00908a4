"""Names of tiers: the default ones in the language of the reader, the studio's as they are."""

from __future__ import annotations

from ranking.wording.translation import pgettext


def tier_text(label: str) -> str:
    """Gold II → Gold II; Silver → Silber in German. A name that isn't a default tier's stays as it is."""
    name, _, division = label.rpartition(" ")
    if division not in ("I", "II", "III"):
        name, division = label, ""
    names = {
        "Bronze": pgettext("tier", "Bronze"),
        "Silver": pgettext("tier", "Silver"),
        "Gold": pgettext("tier", "Gold"),
        "Platinum": pgettext("tier", "Platinum"),
        "Diamond": pgettext("tier", "Diamond"),
        "Master": pgettext("tier", "Master"),
    }
    return f"{names[name]} {division}".rstrip() if name in names else label
