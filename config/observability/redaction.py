"""Removes secrets from text that is logged or printed: the settings' own by value, other people's by their shape."""

import json
import re
from collections.abc import Iterable
from urllib.parse import quote, unquote, urlsplit

MASK = "***"
_SHORTEST = 4  # characters of a secret; the site's text is full of shorter ones
_GUESSABLE = 12  # a shorter secret may be a word or a part of one, so it is replaced only if it stands alone

# What each begins with, so that most text isn't searched for it; the shape; what takes its place.
_SHAPES = [
    ("://", re.compile(r"(://[^\s:/@]*):[^\s/@]+@"), rf"\1:{MASK}@"),  # a URL's password
    ("rungs_", re.compile(r"\b(rungs_[0-9a-f]{8})_[\w-]{20,}"), rf"\1_{MASK}"),  # an API key; its prefix may be shown
    ("whsec_", re.compile(r"\bwhsec_[\w+/=-]+"), f"whsec_{MASK}"),  # a webhook's secret
    ("", re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/:=-]{8,}"), rf"\1 {MASK}"),
    ("/account/", re.compile(r"(/account/(?:confirm-email|password/reset/key)/)[^/\s'\"?]+"), rf"\1{MASK}"),
    # PostgreSQL quotes the values of a row that it refuses.
    ("DETAIL: ", re.compile(r"^DETAIL: .*?(?=^(?:HINT|CONTEXT|Traceback|The above|During)|\n\n|\Z)",
                            re.MULTILINE | re.DOTALL), f"DETAIL: {MASK}\n"),
]  # fmt: skip


class Redactor:
    """Replaces secrets by `***`."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets if len(secret) >= _SHORTEST for form in _forms(secret)}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._known = re.compile("|".join(map(_pattern, longest_first))) if forms else None

    def __call__(self, text: str) -> str:
        if self._known:
            text = self._known.sub(MASK, text)
        for beginning, shape, replacement in _SHAPES:
            if beginning in text:
                text = shape.sub(replacement, text)
        return text


def password_of(url: str) -> str:
    """Return the password in a URL, or "" if it has none."""
    try:
        return unquote(urlsplit(url).password or "")
    except ValueError:
        return ""


def _forms(secret: str) -> set[str]:
    """The ways in which a library may write a secret: as it is, in a URL, and as a string of Python or JSON."""
    return {secret, quote(secret), quote(secret, safe=""), repr(secret)[1:-1], json.dumps(secret)[1:-1]}


def _pattern(form: str) -> str:
    escaped = re.escape(form)
    return escaped if len(form) >= _GUESSABLE else rf"(?<!\w){escaped}(?!\w)"
