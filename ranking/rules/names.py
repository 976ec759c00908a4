"""The rules of players' names: which ones are refused, how they are folded for search, and which look alike."""

import hashlib
import unicodedata
from functools import lru_cache

from confusable_homoglyphs import categories, confusables

LONGEST = 64
_INVISIBLE = "\u115f\u1160\u3164\uffa0\u2800"  # letters and symbols that show nothing
NO_SCRIPT = {"COMMON", "INHERITED"}
# Scripts that people write together; UTS #39, section 5.2, "Highly Restrictive".
_WRITTEN_TOGETHER = (
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)


class BadName(ValueError):
    """A name that nobody may have; the message is for the person who sent it."""


@lru_cache(maxsize=65_536)
def check_name(name: str) -> None:
    """Raise BadName for empty, overlong and unprintable names, and for a mix of alphabets that looks like another."""
    if not name.strip():
        raise BadName("A name needs at least one visible character.")
    if name != name.strip():
        raise BadName("A name can't begin or end with a space.")
    if len(name) > LONGEST:
        raise BadName(f"A name has at most {LONGEST} characters; this one has {len(name)}.")
    if name.isascii() and name.isprintable():
        return
    for character in name:
        if unicodedata.category(character)[0] == "C" or character in "\u2028\u2029" or character in _INVISIBLE:
            raise BadName(f"A name can't hold the invisible character U+{ord(character):04X}.")
    if _mixes_scripts(name) and confusables.is_dangerous(name):
        raise BadName("A name can't mix letters of different alphabets that look alike.")


def _mixes_scripts(name: str) -> bool:
    """True if the letters are of scripts that aren't written together."""
    scripts = {categories.alias(character) for character in name} - NO_SCRIPT
    return len(scripts) > 1 and not any(scripts <= together for together in _WRITTEN_TOGETHER)


def neutral_name(key: str, attempt: int = 0) -> str:
    """A name that says nothing, such as Player 48213907: the same one whenever it is made for this key and attempt.

    Of a thousand such names, two are the same with a chance of 0.5 %: see ranking/players/neutral_names.py.
    """
    digest = hashlib.blake2b(key.encode(), digest_size=8, salt=attempt.to_bytes(8, "big")).digest()
    return f"Player {int.from_bytes(digest, 'big') % 10**8:08}"


def fold(name: str) -> str:
    """The form in which names are searched: compatibility-composed, without case."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())[:128]


def skeleton(name: str) -> str:
    """The same string for all names that look alike: each character's prototype (UTS #39, section 4), without case.

    The case goes last: a capital I looks like an l, a small i doesn't.
    """
    prototypes = "".join(_prototype(character) for character in unicodedata.normalize("NFKC", name))
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", prototypes).casefold())[:128]


def letters_alike(text: str) -> str:
    """The text in prototypes, as in a skeleton, but an m stays one: there it is rn, which other words hold."""
    prototypes = map(_prototype, unicodedata.normalize("NFKC", text))
    return "".join(prototype.replace("rn", "m") for prototype in prototypes)  # that of ɱ is rn with a hook


@lru_cache(maxsize=4_096)
def _prototype(character: str) -> str:
    """A character's prototype.

    The library lists a single lookalike for a character that has a prototype, and all lookalikes for a prototype.
    """
    alike = _alike(character)
    if len(alike) != 1:
        return character
    return min(character, alike[0]) if _alike(alike[0]) == [character] else alike[0]


def _alike(text: str) -> list[str]:
    return [str(entry["c"]).strip("\u200e") for entry in confusables.confusables_data.get(text, ())]
