"""Clients that send their bodies slowly hold up at most half of a process's threads.

The web server gives a request to a thread before the request's body is there, and the thread waits for it as long as
the client likes. As many slow clients as there are threads would stop the process. So strangers' bodies are waited for
by half of the threads; if these wait already, the next stranger with a body is refused at once. A client that has
proven a key is always waited for: results come in meanwhile, and pages and liveness are answered. A proxy that reads
whole requests before it passes them on, as nginx does, lets no slow client through.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseBase, UnreadablePostError
from rest_framework.exceptions import APIException

from config.errors import error_response, is_api
from ranking.api.authentication import has_proven_key

RETRY_AFTER = 2  # seconds
SENTENCE = "Too many requests are arriving slowly just now; nothing was changed. Send it again."


class TooManySlow(APIException):
    status_code = 503
    default_detail = SENTENCE
    default_code = "too-many-slow-requests"
    wait = RETRY_AFTER


class SlowBodies:
    """Middleware: responds 503 to a body that can't be waited for."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._free = threading.BoundedSemaphore(max(1, settings.WEB_THREADS // 2))

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

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
