"""Clients that send their bodies slowly hold up at most half of a process's threads.

The web server gives a request to a thread before the request's body is there, and the thread waits for it as long as
the client likes. As many slow clients as there are threads would stop the process. So strangers' bodies are waited for
by half of the threads; if these wait already, the next stranger with a body is refused at once. A client that has
proven a key is always waited for: results come in meanwhile, and pages and liveness are answered. A proxy that reads
whole requests before it passes them on, as nginx does, lets no slow client through.

A request may be refused before its body is read. The web server would close the connection then, and a client that is
still sending would see it break instead of the answer; a proxy would answer 502. So the rest of a body is read and
thrown away, as long as there is room to wait for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.handlers.wsgi import LimitedStream
from django.http import HttpRequest, HttpResponse, HttpResponseBase, UnreadablePostError
from rest_framework.exceptions import APIException

from config.errors import error_response, is_api
from config.security.request_sizes import said_length
from ranking.api.authentication import has_proven_key

LARGEST_REST = 5_000_000  # bytes that are read for nothing; no more than the Caddyfile lets through
_PIECE = 65_536
RETRY_AFTER = 2  # seconds
SENTENCE = "Too many requests are arriving slowly just now; nothing was changed. Send it again."


class TooManySlow(APIException):
    status_code = 503
    default_detail = SENTENCE
    default_code = "too-many-slow-requests"
    wait = RETRY_AFTER


class SlowBodies:
    """Middleware: responds 503 to a body that can't be waited for, and throws away what nobody read of a body."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._free = threading.BoundedSemaphore(max(1, settings.WEB_THREADS // 2))

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        rest = _unread(request)
        response = self.get_response(request)
        if rest:
            with suppress(TooManySlow, OSError):
                self._throw_away(rest, request)
        return response

    def _throw_away(self, rest: IO[bytes], request: HttpRequest) -> None:
        """Read up to LARGEST_REST. Raises TooManySlow, and OSError if the client is gone."""
        body = _Body(rest, request, self)
        left = LARGEST_REST
        while left > 0 and (piece := body.read(min(_PIECE, left))):
            left -= len(piece)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """Read the body of a form now. A view of the API learns first who asks, and reads through a `_Body`."""
        if is_api(request):
            for holder, name in ((vars(request), "_stream"), (request.META, "wsgi.input")):
                if name in holder:
                    holder[name] = _Body(holder[name], request, self)
            return None
        try:
            if request.META.get("CONTENT_LENGTH"):
                with self.waiting():
                    _ = request.body
        except TooManySlow:
            response = error_response(request, "too-many-slow-requests", SENTENCE)
            response["Retry-After"] = str(RETRY_AFTER)
            return response
        except (RequestDataTooBig, UnreadablePostError):
            return None  # whoever reads it finds out, too
        return None

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Wait for a stranger's body, unless too many are waited for. Raises TooManySlow."""
        if not self._free.acquire(blocking=False):
            raise TooManySlow
        try:
            yield
        finally:
            self._free.release()


def _unread(request: HttpRequest) -> IO[bytes] | None:
    """Return the stream of the request's body, as the server gave it; None without a body or if it is too long."""
    if length := said_length(request):
        return request._stream if length <= LARGEST_REST else None
    if request.META.get("HTTP_TRANSFER_ENCODING"):
        return LimitedStream(request.META["wsgi.input"], LARGEST_REST)  # type: ignore[return-value]
    return None


class _Body:
    """A body on its way: whoever reads it waits only if there is room, or if a key was proven."""

    def __init__(self, stream: Any, request: HttpRequest, bodies: SlowBodies) -> None:
        self._stream, self._request, self._bodies = stream, request, bodies

    def read(self, *size: int) -> bytes:
        return self._when_free(self._stream.read, *size)

    def readline(self, *size: int) -> bytes:
        return self._when_free(self._stream.readline, *size)

    def _when_free(self, read: Callable[..., bytes], *size: int) -> bytes:
        if has_proven_key(self._request):
            return read(*size)
        with self._bodies.waiting():
            return read(*size)
