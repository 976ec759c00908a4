"""A small WSGI application behind the site's own way to the web server: Granian runs it for tests, without Django."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from wsgiref.util import FileWrapper

from config.serving.application import NOT_RECEIVED, PROVEN_KEY, Application
from config.serving.bodies import Bodies

THREADS = 2
SHARED = 1_000_000  # bytes of bodies; strangers have half
LARGE = 10_000_000
KEY = "Bearer the-key"

_let, _bodies = threading.Event(), Bodies(SHARED)


def site(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    if environ.get("HTTP_AUTHORIZATION") == KEY:
        environ[PROVEN_KEY] = True
    if code := environ.get(NOT_RECEIVED):
        return _answer(start_response, code.encode(), "503 No room" if "many" in code else "408 Late")
    if path == "/file":
        start_response("200 OK", [("Content-Type", "text/x-python")])
        return FileWrapper(open(__file__, "rb"))
    if path == "/large":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return _large()
    if path == "/wait":
        _let.wait(60)
    if path == "/go":
        _let.set()
    body = environ["wsgi.input"].read()
    variables = {name: value for name, value in environ.items() if isinstance(value, str)}
    told = {"length": len(body), "digest": hashlib.sha256(body).hexdigest(), "used": _bodies.used, **variables}
    return _answer(start_response, json.dumps(told).encode())


def _answer(start_response: Callable[..., Any], body: bytes, status: str = "200 OK") -> Iterable[bytes]:
    start_response(status, [("Content-Type", "application/json")])
    return [body]


def _large() -> Iterator[bytes]:
    for _ in range(LARGE // 100_000):
        yield b"x" * 100_000


application = Application(site, THREADS, _bodies)
impatient = Application(site, THREADS, Bodies(seconds=0.5))
