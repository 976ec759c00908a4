"""Names of regions for the codes that servers send: `eu` is Europe, `us-east` US East."""

from __future__ import annotations

from ranking.wording.translation import gettext, gettext_noop

_AREAS = {
    "eu": gettext_noop("Europe"),
    "na": gettext_noop("North America"),
    "sa": gettext_noop("South America"),
    "us": gettext_noop("US"),
    "ap": gettext_noop("Asia-Pacific"),
    "as": gettext_noop("Asia"),
    "asia": gettext_noop("Asia"),
    "af": gettext_noop("Africa"),
    "me": gettext_noop("Middle East"),
    "oce": gettext_noop("Oceania"),
    "oc": gettext_noop("Oceania"),
    "au": gettext_noop("Australia"),
    "jp": gettext_noop("Japan"),
    "kr": gettext_noop("Korea"),
    "cn": gettext_noop("China"),
    "in": gettext_noop("India"),
    "sea": gettext_noop("Southeast Asia"),
    "br": gettext_noop("Brazil"),
    "latam": gettext_noop("Latin America"),
    "ru": gettext_noop("Russia"),
    "uk": gettext_noop("UK"),
    "ca": gettext_noop("Canada"),
    "tr": gettext_noop("Turkey"),
    "za": gettext_noop("South Africa"),
}
_SIDES = {
    "n": gettext_noop("North"),
    "s": gettext_noop("South"),
    "e": gettext_noop("East"),
    "w": gettext_noop("West"),
    "ne": gettext_noop("Northeast"),
    "nw": gettext_noop("Northwest"),
    "se": gettext_noop("Southeast"),
    "sw": gettext_noop("Southwest"),
    "c": gettext_noop("Central"),
}
_WORDS = {"north", "south", "east", "west", "central", "northeast", "northwest", "southeast", "southwest"}


def is_named(code: str) -> bool:
    """True if a region's code has a name of its own."""
    return region_name(code) != code


def region_name(code: str) -> str:
    """Return the name of a region's code; a code whose parts aren't all known stays as it is."""
    area, *sides = code.lower().replace("_", "-").split("-")
    if area not in _AREAS:
        return code
    words = [
        (gettext(_SIDES[side]) if side in _SIDES else "")
        or (gettext(side.capitalize()) if side in _WORDS or side.isdecimal() else "")
        for side in sides
    ]
    return " ".join([gettext(_AREAS[area]), *words]) if all(words) else code
