"""Forms in HTML, and what a browser would send of them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

SENDING = ("submit", "image")
TICKED = ("checkbox", "radio")


@dataclass
class Form:
    """`values`: by name, what is sent if nobody touches the form. `buttons`: the names of those that send it."""

    method: str
    action: str
    values: dict[str, list[str]] = field(default_factory=dict)
    buttons: list[str] = field(default_factory=list)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._inside: Form | None = None
        self._sent: list[str] | None = None  # by the list of options or the text area that is being read
        self._options: list[str] = []  # of a list of which one is chosen

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = {name: value or "" for name, value in attrs}
        name, value, kind = at.get("name", ""), at.get("value", ""), at.get("type", "")
        if tag == "form":
            self._inside = Form(at.get("method", "get").lower(), at.get("action", ""))
            self.forms.append(self._inside)
        elif tag == "option" and self._sent is not None:
            self._options.append(value)
            if "selected" in at:
                self._sent.append(value)
        elif self._inside is None or "disabled" in at:
            return
        elif kind in SENDING or (tag == "button" and kind != "button"):
            self._inside.buttons.append(name)
        elif name and tag in ("input", "select", "textarea"):
            sent = self._inside.values.setdefault(name, [])
            if tag == "select":
                self._sent, self._options = sent, [""] if "multiple" in at else []
            elif tag == "textarea":
                self._sent = sent
            elif kind not in TICKED or "checked" in at:
                sent.append(at.get("value", "on" if kind in TICKED else ""))

    def handle_data(self, data: str) -> None:
        if self.lasttag == "textarea" and self._sent is not None:
            self._sent.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "select" and not self._sent and self._sent is not None and self._options and self._options[0]:
            self._sent.append(self._options[0])  # what a browser shows if none is marked
        if tag == "textarea" and self._sent is not None:
            self._sent[:] = ["".join(self._sent).removeprefix("\n")]
        if tag in ("select", "textarea"):
            self._sent = None
        if tag == "form":
            self._inside = None


def forms_of(html: str) -> list[Form]:
    page = _Page()
    page.feed(html)
    return page.forms
