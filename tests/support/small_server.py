"""Granian with the application of small_site.py, and a client that speaks to it."""

import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from tests.support import small_site
from tests.support.paths import ROOT
from tests.support.patience import wait_until
from tests.support.servers import free_port

HANGS = 60  # seconds after which a connection is given up


class SmallServer:
    """`name`: the application's, in small_site.py. End it with `close`."""

    def __init__(self, name: str) -> None:
        self.port = free_port()
        command = ["-m", "granian", "--interface", "rsgi", "--http", "1", "--loop", "asyncio", "--no-ws"]
        target = f"{small_site.__name__}:{name}"
        self.process = subprocess.Popen([sys.executable, *command, "--port", str(self.port), target], cwd=ROOT)
        assert wait_until(self.answers)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()

    def answers(self) -> bool:
        try:
            return self.ask("/")[0] == 200
        except OSError:
            return False

    def ask(self, path: str, body: Any = None, method: str = "", **headers: str) -> tuple[int, dict[str, str], bytes]:
        """The status, headers and body of an answer. A body that isn't bytes is sent in chunks."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGS)) as connection:
            chunked = body is not None and not isinstance(body, bytes)
            connection.putrequest(method or ("GET" if body is None else "POST"), path)
            for name, value in headers.items():
                connection.putheader(name, value)
            if chunked:
                connection.putheader("Transfer-Encoding", "chunked")
            elif body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body, encode_chunked=chunked)
            answer = connection.getresponse()
            return answer.status, dict(answer.headers), answer.read()

    def told(self, path: str, body: Any = None, **headers: str) -> dict[str, Any]:
        """The variables of the request, and the length and digest of its body."""
        variables: dict[str, Any] = json.loads(self.ask(path, body, **headers)[2])
        return variables

    @contextmanager
    def slow(self, number: int, head: str, body: bytes = b"x") -> Iterator[list[socket.socket]]:
        """So many clients who have sent this head and a part of the body."""
        clients = [socket.create_connection(("127.0.0.1", self.port), timeout=HANGS) for _ in range(number)]
        try:
            for client in clients:
                client.sendall(head.encode().replace(b"\n", b"\r\n") + b"\r\n\r\n" + body)
            yield clients
        finally:
            for client in clients:
                client.close()
