"""Words that a site forbids in names: how the lines of its file are read, and which names hold one.

A line is a word, which is found where it stands by itself: between it and other letters and digits there is something
else, such as a space, a full stop or an underscore. So `rat` leaves Strategist alone. A `*` at either end of the line
lets the word go on there: `*rat*` is found anywhere. What stands behind a # is a comment.

Name and word are compared without case, accents and compatibility forms (NFKD), and by how they look (the prototypes of
UTS #39, section 4): Cyrillic letters, 0 for O, and 1 for l and I don't hide a word. Signs that make another syllable
stay, such as the vowels of Devanagari and Thai and the voicing of kana. Other spellings, such as 3 for e, are lines of
their own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from confusable_homoglyphs import categories

from ranking.rules.names import NO_SCRIPT, letters_alike

# Canonical combining classes of marks that a word is the same without: overlays, readings of Han and nuktas; points of
# Hebrew, Arabic and Syriac; accents above, below and beside a letter.
_OPTIONAL = {1, 6, 7, *range(10, 37), *range(200, 256)}
_VOICING, _KANA = 8, {"HIRAGANA", "KATAKANA"}
_VARIANTS = "\u180b\u180c\u180d\u180f"  # select the form of a Mongolian letter


class BadLine(ValueError):
    """A line of the file that forbids nothing; the message says which one and why."""


@dataclass(frozen=True, slots=True, order=True)
class _Word:
    """A line of the file; `open_before`, `open_after`: the word may go on there."""

    number: int
    line: str
    open_before: bool
    open_after: bool


class ForbiddenWords:
    """The words of a file. Raises BadLine. A name takes as long however many words there are."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: dict[str, list[_Word]] = {}  # by each of their forms
        known: set[str] = set()
        for number, line in enumerate(lines, 1):
            word = line.partition("#")[0].strip()
            if word and word not in known:
                known.add(word)
                self._add(number, word)
        self._number = len(known)
        self._lengths = sorted(set(map(len, self._words)))

    def __len__(self) -> int:
        return self._number

    def _add(self, number: int, line: str) -> None:
        word = line.removeprefix("*").removesuffix("*")
        if "*" in word:
            raise BadLine(f"line {number}: a * stands only at the beginning or the end of a word.")
        # A word in capitals looks otherwise: a capital I looks like an l.
        forms = _forms_of(word) | _forms_of(word.upper())
        if not all(any(map(str.isalnum, form)) for form in forms):
            raise BadLine(f"line {number}: {line!r} has no letter or digit.")
        for form in forms:
            self._words.setdefault(form, []).append(_Word(number, line, line.startswith("*"), line.endswith("*")))

    def find_in(self, name: str) -> str:
        """The line that forbids the name, as it stands in the file, the first of several; "" if none does."""
        if not self._words:
            return ""
        found = [word for form in _forms_of(name) for word in self._found(form)]
        return min(found).line if found else ""

    def _found(self, form: str) -> Iterator[_Word]:
        inside = [False, *map(_goes_on, form), False]  # by the place before each character
        for start in range(len(form)):
            for length in self._lengths:
                end = start + length
                if end > len(form):
                    break
                for word in self._words.get(form[start:end], ()):
                    if (word.open_before or not inside[start]) and (word.open_after or not inside[end + 1]):
                        yield word


def _goes_on(character: str) -> bool:
    """True for what a word goes on with: letters, digits, and the signs that belong to a letter."""
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _forms_of(text: str) -> set[str]:
    """The text without case and accents, and how it looks as it is and in small letters."""
    return {_plain(text), _plain(letters_alike(text)), _plain(letters_alike(text.casefold()))}


def _plain(text: str) -> str:
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept: list[str] = []
    letter = ""  # the last one, to which the marks after it belong
    for character in decomposed:
        if unicodedata.category(character)[0] != "M":
            letter = character
        elif _is_optional(character, letter):
            continue
        kept.append(character)
    return "".join(kept)


def _is_optional(mark: str, letter: str) -> bool:
    """True for a mark on a letter, or on none, without which a word is the same word."""
    kind = unicodedata.combining(mark)
    if not letter or unicodedata.category(mark) == "Me" or kind in _OPTIONAL or mark in _VARIANTS:
        return True
    script = categories.alias(letter)
    if kind == _VOICING:
        return script not in _KANA
    # Only a mark of the letter's own script makes another syllable; variation selectors and signs of music have none.
    return script in NO_SCRIPT or script != categories.alias(mark)
