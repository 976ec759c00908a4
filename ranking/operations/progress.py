"""Tells how far a long command is: by a bar on a terminal, by a line now and then in a file."""

from __future__ import annotations

import sys
import time
from typing import Any

from tqdm import tqdm

EVERY = 30.0  # seconds between two lines


class _Lines(tqdm):  # type: ignore[type-arg]
    """A bar that is written as lines, for files, in which a carriage return doesn't overwrite anything."""

    _told_at = 0.0

    def display(self, msg: str | None = None, pos: int | None = None) -> None:
        if self.n and time.monotonic() - self._told_at >= EVERY:
            self._told_at = time.monotonic()
            self.fp.write(f"{msg or self}\n")

    def clear(self, nolock: bool = False) -> None:
        """Lines stay."""


def progress_bar(*, unit: str, **options: Any) -> tqdm[Any]:
    """A bar on the standard error, for a `with`; `unit`: what is counted. In a file, a short command has none."""
    if sys.stderr.isatty():
        return tqdm(unit=f" {unit}", file=sys.stderr, **options)
    return _Lines(unit=f" {unit}", file=sys.stderr, mininterval=EVERY, delay=EVERY, ncols=0, **options)
