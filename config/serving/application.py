"""Granian's interface RSGI, before the site's WSGI application.

Granian can speak WSGI itself. But then it gives a request to a thread before the body is there, and the thread also
waits for clients that read slowly: as many slow clients as there are threads would stop the site. And it doesn't tell
which name of a header a variable comes from. Here the event loop receives bodies, a thread works on the request, and
Granian sends the answer.
"""

import asyncio
import hashlib
import io
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from wsgiref.util import FileWrapper

from config.serving.answers import OPENED_WITHIN, Answer, answer_of
from config.serving.bodies import Bodies, BodyNotReceived

NOT_RECEIVED = "rungs.body_not_received"  # the code of the problem with which the site refuses the request
PROVEN_KEY = "rungs.proven_key"  # the site sets it if the request held a valid key
_MOST_KEYS = 10_000

Environ = dict[str, Any]
WSGIApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class Application:
    """A WSGI application as an RSGI application. `threads`: requests at once."""

    def __init__(
        self,
        application: WSGIApplication,
        threads: int,
        bodies: Bodies | None = None,
    ) -> None:
        self._application, self._bodies = application, bodies or Bodies()
        self._threads = ThreadPoolExecutor(threads, "web")
        self._keys: set[bytes] = set()  # digests of headers that held a valid key lately

    async def __rsgi__(self, scope: Any, protocol: Any) -> None:
        environ = environ_of(scope)
        key = _digest(environ.get("HTTP_AUTHORIZATION", ""))
        with self._bodies.room(by_key=key in self._keys) as room:
            try:
                body = await room.receive(protocol, environ)
            except BodyNotReceived as error:
                environ[NOT_RECEIVED], body = error.code, b""
            environ["wsgi.input"] = io.BytesIO(body)
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(self._threads, self._respond, environ, protocol)
        if PROVEN_KEY in environ:
            if len(self._keys) >= _MOST_KEYS:
                self._keys.clear()
            self._keys.add(key)
        if not isinstance(answer.body, bytes | str):
            loop.call_later(OPENED_WITHIN, answer.body.close)

    def _respond(self, environ: Environ, protocol: Any) -> Answer:
        """In a thread: have the site answer, and send the answer."""
        answer = answer_of(self._application, environ)
        answer.send(protocol)
        return answer


def environ_of(scope: Any) -> Environ:
    """Return the WSGI variables of a request.

    A header whose name has a `_` is left out, as nginx and Apache do: its variable is that of the name with `-`.
    Granian gives only values of ASCII. If a header has no other, its variable is empty, so it isn't taken for missing.
    """
    host, _, port = scope.server.rpartition(":")
    environ: Environ = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": host.strip("[]"),
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "HTTP_HOST": scope.authority or "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": FileWrapper,
    }
    headers = scope.headers
    for name in headers.keys():  # noqa: SIM118 - no dictionary
        if "_" not in name:
            separator = "; " if name == "cookie" else ","
            environ[_variable(name)] = separator.join(headers.get_all(name))
    return environ


def _variable(name: str) -> str:
    variable = name.upper().replace("-", "_")
    return variable if variable in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{variable}"


def _digest(header: str) -> bytes:
    return hashlib.sha256(header.encode()).digest()
