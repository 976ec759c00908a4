"""Webhooks, and a receiver on this machine that answers as it is told."""

import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from leaderboards.models import Webhook
from tests.support.factories import NOW


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """Answers one after the other from `answers`, then 204; a number is a status, a function does as it likes."""

    port: int = 0
    answers: list[int | Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    connections: set[int] = field(default_factory=set)
    by_path: dict[str, Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict)  # before `answers`

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?x=1"

    @property
    def ids(self) -> list[str]:
        return [request.headers["webhook-id"] for request in self.requests]


def make_hook(**fields: object) -> Webhook:
    given = {"name": "game", "kind": "game", "url": "https://example.org/", "created_at": NOW, **fields}
    given.setdefault("events", ["match.rated", "player.promoted"])
    modes = given.pop("modes", [])
    hook = Webhook.objects.create(**given)
    hook.modes.set(modes)
    return hook


def hang(request: BaseHTTPRequestHandler) -> None:
    """Says nothing until the other side gives up."""
    request.rfile.read(1)


def drip(request: BaseHTTPRequestHandler, beginning: bytes = b"") -> None:
    """Keeps the connection lively without ever finishing."""
    try:
        request.wfile.write(beginning)
        while True:
            request.wfile.write(b"H")
            time.sleep(0.02)
    except OSError:
        request.close_connection = True


drip_head = partial(drip, beginning=b"HTTP/1.1 200 OK\r\nX: ")
drip_body = partial(drip, beginning=b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n")


def cut_head(request: BaseHTTPRequestHandler) -> None:
    """Hangs up after the status and a header."""
    request.wfile.write(b"HTTP/1.1 200 OK\r\nX: y\r\n")
    request.close_connection = True


def flood(request: BaseHTTPRequestHandler) -> None:
    """An answer without end."""
    request.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    try:
        while True:
            request.wfile.write(b"x" * 65_536)
    except OSError:
        request.close_connection = True


def hang_up(request: BaseHTTPRequestHandler) -> None:
    request.close_connection = True


@contextmanager
def receive(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver that listens, for as long as the context lasts."""
    told = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            told.connections.add(self.client_address[1])
            told.requests.append(Request(self.path, headers, body))
            answer = told.by_path.get(self.path) or (told.answers.pop(0) if told.answers else 204)
            if callable(answer):
                answer(self)
                return
            self.send_response(answer)
            if answer in (301, 307):
                self.send_header("Location", f"http://127.0.0.1:{told.port}/elsewhere")
            if answer == 429:
                self.send_header("Retry-After", "90")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:  # the handshake happens in the connection's thread
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    told.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield told
    server.shutdown()
    server.server_close()
    thread.join()
