"""Static files on the embedded profile: each address carries a digest of its file, so that browsers may keep it."""

import functools
import hashlib
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage


class DigestedStaticFilesStorage(StaticFilesStorage):
    """Adds `?v=` and a digest of the content to addresses; collectstatic isn't needed."""

    def url(self, name: str | None, *args: Any, **kwargs: Any) -> str:
        address = super().url(name, *args, **kwargs)
        digest = digest_of(name) if name else ""
        return f"{address}?v={digest}" if digest else address


@functools.cache
def digest_of(name: str) -> str:
    """The first 12 digits of a static file's digest; nothing if there is no such file. A process reads a file once."""
    path = finders.find(name.split("#")[0].split("?")[0])
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12] if path and Path(path).is_file() else ""
