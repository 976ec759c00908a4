"""A page as a tree of elements, from which tests read what people see: words and numbers, by class or heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_ROW_ENDS = {"tr", "tbody", "tfoot"}
_CLOSED_BY = {  # elements that may lack their end tags, by what ends them
    "td": {"td", "th"} | _ROW_ENDS,
    "th": {"td", "th"} | _ROW_ENDS,
    "tr": _ROW_ENDS,
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "tbody": {"tbody", "tfoot"},
    "thead": {"tbody", "tfoot"},
}
_READ = ("title", "aria-label", "alt", "content", "value")


@dataclass
class Element:
    """`inside`: texts and elements, in order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    inside: list[str | Element] = field(default_factory=list)

    def walk(self) -> Iterator[Element]:
        yield self
        for each in self.inside:
            if isinstance(each, Element):
                yield from each.walk()

    def all(self, chosen: str) -> list[Element]:
        """The elements below with this tag, or with all of these classes: "td", ".c-rank", "tr.own", "#board"."""
        return [each for each in self.walk() if each is not self and each.is_a(chosen)]

    def one(self, chosen: str) -> Element | None:
        return next(iter(self.all(chosen)), None)

    def is_a(self, chosen: str) -> bool:
        tag, *classes = chosen.split(".")
        tag, _, number = tag.partition("#")
        own = self.attributes.get("class", "").split()
        return tag in ("", self.tag) and {*classes} <= {*own} and number in ("", self.attributes.get("id", ""))

    @property
    def text(self) -> str:
        """What people see, without what is there for screen readers or for the eye alone."""
        return _plain("".join(self._texts()))

    def _texts(self) -> Iterator[str]:
        if self.is_a(".unseen") or self.attributes.get("aria-hidden") or self.tag in ("script", "style", "title"):
            return
        for each in self.inside:
            yield from [each] if isinstance(each, str) else each._texts()

    @property
    def links(self) -> list[str]:
        return [each.attributes["href"] for each in self.all("a") if "href" in each.attributes]

    def everything(self) -> Iterator[str]:
        """All texts, and all attributes that say something, whoever reads them: not the coordinates of drawings."""
        for each in self.walk():
            yield from (text for text in each.inside if isinstance(text, str) and each.tag not in ("script", "style"))
            for name, value in each.attributes.items():
                if name in _READ or name.startswith("data-"):
                    yield value


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        while tag in _CLOSED_BY.get(self.open[-1].tag, ()):
            self.open.pop()
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].inside.append(element)
        if tag not in _EMPTY:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].inside.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag in (element.tag for element in self.open):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def read_page(html: str) -> Element:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.open[0]


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
