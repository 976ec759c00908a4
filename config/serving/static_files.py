"""Static files: which ones there are, and their addresses with digests; in the embedded profile also compression."""

import functools
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.finders import AppDirectoriesFinder
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage


class AppFiles(AppDirectoriesFinder):
    """Finds the static files of apps, without 7 MB of libraries' files that no page loads."""

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Any]]:
        return ((path, storage) for path, storage in super().list(ignore_patterns) if not _is_unused(path))

    def find_in_app(self, app: str, path: str) -> Any:
        return None if _is_unused(path) else super().find_in_app(app, path)


def _is_unused(path: str) -> bool:
    return path.endswith(".map") or "/redoc/" in path


class CollectedFiles(CompressedManifestStaticFilesStorage):
    """The scaled profile's files: compressed, with digests in their names. Links to source maps stay as they are."""

    patterns = (("*.css", CompressedManifestStaticFilesStorage.patterns[0][1][:2]),)


class Compression(GZipMiddleware):
    """Middleware that compresses pages, and those static files that become smaller.

    BREACH guesses a secret from the length of compressed pages that also repeat the attacker's text. The secret in our
    pages is the CSRF token, and Django masks it anew in each response; Django's middleware also adds up to 100 random
    bytes to each response, so lengths of similar pages can't be compared.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Static files are streamed: a HEAD or 304 has nothing to compress, and fonts and pictures are compressed."""
        kind = response.get("Content-Type", "").partition(";")[0]
        if response.streaming and (
            request.method != "GET" or response.status_code != 200 or not kind.startswith(("text/", "image/svg"))
        ):
            return response
        tag = response.get("ETag")
        compressed = super().process_response(request, response)
        if (
            tag and response.streaming
        ):  # WhiteNoise knows its own tag again, but not the weak one that Django makes of it
            compressed["ETag"] = tag
        return compressed


class DigestedStaticFilesStorage(StaticFilesStorage):
    """Adds `?v=` and a digest of the content to addresses; collectstatic isn't needed.

    Fonts keep the addresses that style sheets write, so that a page's preload of a font is the font it uses.
    """

    def url(self, name: str | None, *args: Any, **kwargs: Any) -> str:
        address = super().url(name, *args, **kwargs)
        digest = digest_of(name) if name and not name.endswith(".woff2") else ""
        return f"{address}?v={digest}" if digest else address


@functools.cache
def digest_of(name: str) -> str:
    """The first 12 digits of a static file's digest; nothing if there is no such file. A process reads a file once."""
    path = finders.find(name.split("#")[0].split("?")[0])
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12] if path and Path(path).is_file() else ""
