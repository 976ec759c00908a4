"""Connections over HTTP to addresses that somebody else gave: public ones only, if not told otherwise.

Each exchange is bounded in time, too. Runs in threads, without Django.
"""

from __future__ import annotations

import http.client
from typing import Any
from urllib.parse import urlsplit

from leaderboards.outgoing.sockets import Deadline, DeadlineSocket, open_socket, secure


class NotFetched(OSError):
    """Nothing usable came from an address."""


class IncompleteHead(http.client.HTTPException):
    """The other side hung up within the head of its answer."""


class _Response(http.client.HTTPResponse):
    """Wants a whole head: http.client takes the end of the stream for the end of the headers."""

    def begin(self) -> None:
        stream = self.fp
        head: Any = _Head(stream)
        self.fp = head
        try:
            super().begin()
        finally:
            if self.fp is head:
                self.fp = stream


class _Head:
    """The lines of a stream. It may end before the first one, as it does if the other side has hung up before."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._begun = stream, False
        self.close = stream.close

    def readline(self, limit: int = -1) -> bytes:
        line: bytes = self._stream.readline(limit)
        if self._begun and not line:
            raise IncompleteHead("the connection was closed within the head of the answer")
        self._begun = True
        return line


class Connection(http.client.HTTPConnection):
    """Connects to public addresses only, if not told otherwise. Set the deadline before each exchange."""

    response_class = _Response
    sock: DeadlineSocket | None

    def __init__(self, host: str, port: int, *, allow_private: bool) -> None:
        super().__init__(host, port)
        self.deadline, self._allow_private = Deadline(), allow_private

    def connect(self) -> None:
        self.sock = open_socket(self.host, self.port, self.deadline, allow_private=self._allow_private)


class _Secure(Connection):
    default_port = http.client.HTTPS_PORT

    def connect(self) -> None:
        super().connect()
        assert self.sock is not None  # noqa: S101 - it is connected
        self.sock = secure(self.sock, self.host)


def connection_to(url: str, *, allow_private: bool) -> Connection:
    """Return a connection to a URL's host, which connects when it is first used."""
    parts = urlsplit(url)
    kind = _Secure if parts.scheme == "https" else Connection
    return kind(parts.hostname or "", parts.port or kind.default_port, allow_private=allow_private)


def path_of(url: str) -> str:
    """Return what a request line asks the URL's host for."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def fetch(url: str, *, most: int, allow_private: bool, timeout: float) -> bytes:
    """Return what an address gives, without following redirects.

    Raises NotFetched if it gives nothing, more than `most` bytes, or takes more than `timeout` seconds.
    """
    connection = connection_to(url, allow_private=allow_private)
    connection.deadline.set(timeout)
    try:
        connection.request("GET", path_of(url), headers={"User-Agent": "Rungs/1.0"})
        with connection.getresponse() as response:
            if response.status != 200:
                raise NotFetched(f"The answer was {response.status}.")
            body = response.read(most + 1)
    except NotFetched:
        raise
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotFetched(f"{type(error).__name__}: {error}"[:300]) from error
    finally:
        connection.close()
    if len(body) > most:
        raise NotFetched(f"The answer is longer than {most} bytes.")
    return body
