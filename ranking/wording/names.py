"""Names that a studio gives in several languages beside the plain name: {"de": "Silber"}, by the language's code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ranking.wording.translation import gettext, language

StoredName = str | Mapping[str, str]
PLAIN = ""
_CODE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*")


def local_name(name: str, names: Mapping[str, str]) -> str:
    """The name in the language of the reader, else the plain name."""
    return names.get(language(), name)


def stored_name(name: str, names: Mapping[str, str]) -> StoredName:
    """A name as rows keep it to be worded later: the plain name, beside those by language if there are any."""
    return {PLAIN: name, **names} if names else name


def stored_name_text(stored: StoredName) -> str:
    """A stored name in the language of the reader."""
    return stored if isinstance(stored, str) else local_name(stored[PLAIN], stored)


def numbered_name(number: int) -> str:
    """The name of a season that was given none."""
    return f"Season {number}"


def season_name(name: str, names: Mapping[str, str], number: int) -> str:
    """A season's name in the language of the reader; one without a name of its own is named by its number."""
    if name == numbered_name(number):
        name = gettext("Season %(number)s") % {"number": number}
    return local_name(name, names)


def stored_season_text(stored: StoredName, number: int) -> str:
    """`season_name` of a stored name."""
    return season_name(stored, {}, number) if isinstance(stored, str) else season_name(stored[PLAIN], stored, number)


def read_names(value: Any, longest: int) -> dict[str, str]:
    """Names by language from JSON; raises ValueError with a sentence."""
    if not isinstance(value, dict):
        raise ValueError('Names are an object such as {"de": "Silber"}.')
    for code, name in value.items():
        if not _CODE.fullmatch(code):
            raise ValueError(f'"{code}" is no code of a language, such as de.')
        if not isinstance(name, str) or not name.strip() or len(name) > longest or not name.isprintable():
            raise ValueError(f"The name in the language {code} needs 1 to {longest} printable characters.")
    return {code: name.strip() for code, name in value.items()}
