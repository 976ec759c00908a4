"""Refusals that people read: an exception with a code for programs and a sentence in the reader's language. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class WordedRefusal(Exception):
    """Somebody may not do something. `str` words its code for the person who tried, in their language.

    A subclass has the `sentences`, by code. They are worded when they are read, so they may be lazy.
    """

    sentences: ClassVar[Mapping[str, Any]]

    def __init__(self, code: str, **values: str) -> None:
        super().__init__(code, values)
        self.code, self.values = code, values

    def __str__(self) -> str:
        return str(self.sentences[self.code] % self.values)
