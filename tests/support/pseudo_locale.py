"""A language that brackets every message, and what a page says outside of brackets.

Names, which stay as they are in every language, are marked by `translate="no"`; times are worded elsewhere.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser

from django.conf import settings
from django.test import override_settings
from django.utils.translation import trans_real

CODE = "xx"
OPEN, CLOSE = "⟦", "⟧"
BRACKETS = re.compile(f"([{OPEN}{CLOSE}])")
MESSAGE, NAME = "\N{WHITE SQUARE}", "\N{OBJECT REPLACEMENT CHARACTER}"
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
SILENT = {"script", "style", "time", "code", "pre", "data"}
INLINE = {"a", "abbr", "b", "bdi", "cite", "em", "q", "small", "strong", "time", "data", "code"}
SPOKEN = ("alt", "aria-label", "aria-valuetext", "data-label", "placeholder", "title")
LETTERS = re.compile(r"[^\W\d_]{2,}")
APART = ("·", "|", "/", "–")  # signs between two messages that are no sentence together


class Brackets(trans_real.DjangoTranslation):
    """English in brackets."""

    def __init__(self) -> None:
        super().__init__("en")

    def to_language(self) -> str:
        return CODE

    def gettext(self, message: str) -> str:
        return _bracketed(super().gettext(message), message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return _bracketed(super().ngettext(msgid1, msgid2, n), msgid1)


def _bracketed(text: str, message: str) -> str:
    """Formats, such as a decimal point or "%(day)s %(month)s", aren't sentences."""
    words = text.rpartition("\4")[2]
    context = message.partition("\4")[0] if "\4" in message else ""
    formats = ("separator", "decimal", "percentage", "first day", "date", "month", "moment", "day of", "weekday")
    return words if context.startswith(formats) else f"{OPEN}{words}{CLOSE}"


@contextmanager
def pseudo_locale() -> Iterator[str]:
    """Make the site have the language; yield its code."""
    with override_settings(LANGUAGES=[*settings.LANGUAGES, (CODE, "Brackets")]):
        trans_real._translations[CODE] = Brackets()
        try:
            yield CODE
        finally:
            del trans_real._translations[CODE]


class _Page(HTMLParser):
    """Collects the blocks of a page: what each says in its own text and that of its inline elements.

    A message is one sign, MESSAGE, in the block in which it begins, whatever elements it holds.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[list[str]] = []
        self.attributes: list[str] = []
        self._open: list[tuple[str, bool, list[str]]] = [("html", True, [])]  # name, spoken, block
        self._depth = 0  # of brackets

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        _, spoken, block = self._open[-1]
        in_head = tag == "title" and any(name == "head" for name, _, _ in self._open)  # names can't be marked up there
        spoken = spoken and tag not in SILENT and values.get("translate") != "no" and not in_head
        if spoken:
            self.attributes += [values[name] for name in SPOKEN if values.get(name)]
            if tag == "meta" and values.get("name") == "description":
                self.attributes.append(values.get("content", ""))
            if tag == "input" and values.get("type") == "submit":
                self.attributes.append(values.get("value", ""))
        if self._depth == 0:
            block.append("|" if tag == "br" else f"<{tag}>" if tag in INLINE else "|")
        if tag not in VOID:
            if tag not in INLINE:
                block = []
                self.blocks.append(block)
            self._open.append((tag, spoken, block))

    def handle_endtag(self, tag: str) -> None:
        while len(self._open) > 1:
            name, _, block = self._open.pop()
            if name in INLINE and self._depth == 0:
                block.append(f"</{name}>")
            if name == tag:
                break

    def handle_data(self, data: str) -> None:
        _, spoken, block = self._open[-1]
        outside, self._depth = outside_messages(data, self._depth)
        block.append(outside if spoken else NAME)


def outside_messages(text: str, depth: int = 0) -> tuple[str, int]:
    """Return the text with MESSAGE for each message, which may hold others, and the depth of brackets after it."""
    kept = []
    for piece in BRACKETS.split(text):
        depth += piece == OPEN
        if piece == OPEN and depth == 1:
            kept.append(MESSAGE)
        elif not depth:
            kept.append(piece)
        depth -= piece == CLOSE
    return "".join(kept), depth


def faults_of(body: str) -> Iterator[str]:
    """Yield each text of a page that isn't a message, and each block in which two messages make one sentence."""
    page = _Page()
    page.feed(body.replace("Rungs", NAME))
    for text in page.attributes:
        if LETTERS.search(outside_messages(text)[0]):
            yield f"attribute: {text.strip()}"
    for block in page.blocks:
        text = re.sub(r"\s+", " ", "".join(block)).strip()
        plain = re.sub(r"</?\w+>", " ", text)
        if LETTERS.search(plain):
            yield f"not a message: {text}"
        alone = re.sub(r"</?\w+>", " ", re.sub(r"<(a|time)>[^<]*</\1>", " ", text))  # links stand for themselves
        if any(part.count(MESSAGE) > 1 for part in re.split("|".join(map(re.escape, APART)), alone)):
            yield f"two messages in one block: {text}"
