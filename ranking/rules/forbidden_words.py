"""Words that a site forbids in names: how the lines of its file are read, and which names hold one.

A line is a word, which is found where it stands by itself: between it and other letters and digits there is something
else, such as a space, a full stop or an underscore. So `rat` leaves Strategist alone. A `*` at either end of the line
lets the word go on there: `*rat*` is found anywhere. What stands behind a # is a comment.

Name and word are compared without case, accents and compatibility forms (NFKD), and by how they look (the skeletons of
UTS #39, section 4): Cyrillic letters, 0 for O, and 1 for l and I don't hide a word. Other spellings, such as 3 for e,
are lines of their own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ranking.rules.names import skeleton

_NEITHER = r"[^\W_]"  # a letter or a digit


class BadLine(ValueError):
    """A line of the file that forbids nothing; the message says which one and why."""


class ForbiddenWords:
    """The words of a file. Raises BadLine."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: dict[str, re.Pattern[str]] = {}
        for number, line in enumerate(lines, 1):
            word = line.partition("#")[0].strip()
            if word:
                self._words[word] = _pattern_of(word, number)
        self._any = re.compile("|".join(pattern.pattern for pattern in self._words.values()) or r"(?!)")

    def __len__(self) -> int:
        return len(self._words)

    def find_in(self, name: str) -> str:
        """The line that forbids the name, as it stands in the file; "" if none does."""
        forms = _forms_of(name)
        if not any(map(self._any.search, forms)):
            return ""
        return next(word for word, pattern in self._words.items() if any(map(pattern.search, forms)))


def _pattern_of(line: str, number: int) -> re.Pattern[str]:
    word = line.removeprefix("*").removesuffix("*")
    if "*" in word:
        raise BadLine(f"line {number}: a * stands only at the beginning or the end of a word.")
    # A word in capitals looks otherwise: a capital I looks like an l.
    forms = _forms_of(word) | _forms_of(word.upper())
    if not all(any(map(str.isalnum, form)) for form in forms):
        raise BadLine(f"line {number}: {line!r} has no letter or digit.")
    either = "|".join(map(re.escape, sorted(forms)))
    before = "" if line.startswith("*") else f"(?<!{_NEITHER})"
    after = "" if line.endswith("*") else f"(?!{_NEITHER})"
    return re.compile(f"{before}(?:{either}){after}")


def _forms_of(text: str) -> set[str]:
    """The text without case and accents, and how it looks as it is and in small letters."""
    return {_plain(text), _plain(skeleton(text)), _plain(skeleton(text.casefold()))}


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(character for character in decomposed if unicodedata.category(character)[0] != "M")
