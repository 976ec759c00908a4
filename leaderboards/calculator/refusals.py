"""Words why a match can't be rated, in the reader's language: systems by their titles, fields by their labels."""

from __future__ import annotations

import re

from ranking.systems.base import Refused
from ranking.systems.registry import system_class
from ranking.wording.translation import gettext, pgettext


def labels() -> dict[str, str]:
    """The labels of the sheet's fields, by their names in JSON. A parameter has none: its name is a word of its own."""
    return {
        "mu": pgettext("of a skill", "Mean"),
        "sigma": pgettext("of a skill", "Sigma"),
        "mmr": pgettext("of a skill", "MMR"),
        "rating": gettext("Rating"),
        "deviation": pgettext("of a skill", "Deviation"),
        "volatility": pgettext("of a skill", "Volatility"),
        "matches": gettext("Matches"),
        "duration": gettext("Match length"),
        "seconds": gettext("Seconds"),
        "idle_days": gettext("Idle days"),
        "place": gettext("Place"),
        "score": gettext("Score"),
    }


def team_title(index: int) -> str:
    """Team A, Team B …"""
    return gettext("Team %(letter)s") % {"letter": letter(index)}


def letter(index: int) -> str:
    return chr(ord("A") + index)


def refusal_text(refused: Refused) -> str:
    """The sentence in the page's words. It stands beside its field, so that of a path only the field's name is left."""
    cause = refused.__cause__
    refused = cause if isinstance(cause, Refused) else refused
    values = dict(refused.values)
    if "system" in values:
        values["system"] = system_class(str(values["system"])).title
    if isinstance(values.get("team"), int):
        values["team"] = letter(int(str(values["team"])) - 1)
    if "field" in values:
        name = re.split(r"[.: ]", refused.path)[-1]
        parameter = refused.path.removeprefix("params.")
        values["field"] = labels().get(name, name) if parameter == refused.path else parameter
    sentence = gettext(refused.sentence)
    return sentence % values if values else sentence
