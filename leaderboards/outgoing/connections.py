"""Connections over HTTP to addresses that somebody else gave: public ones only, if not told otherwise.

Each is bounded in time, too. Runs in threads, without Django.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

from leaderboards.outgoing.allowed_addresses import open_socket


class NotFetched(OSError):
    """Nothing usable came from an address."""


class Connection(http.client.HTTPConnection):
    """Connects to public addresses only, if not told otherwise."""

    allow_private = False
    patience = 0.0

    def connect(self) -> None:
        self.sock = open_socket(self.host, self.port, self.patience, allow_private=self.allow_private)


class _Secure(Connection):
    default_port = http.client.HTTPS_PORT

    def connect(self) -> None:
        super().connect()
        context = ssl.create_default_context()
        # In two steps, so that `_give_up` finds the socket during the handshake.
        self.sock = context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock.do_handshake()


def connection_to(url: str, *, allow_private: bool, timeout: float) -> Connection:
    """Return a connection to a URL's host, which connects when it is first used."""
    parts = urlsplit(url)
    kind = _Secure if parts.scheme == "https" else Connection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout)
    connection.allow_private, connection.patience = allow_private, timeout
    return connection


def path_of(url: str) -> str:
    """Return what a request line asks the URL's host for."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


@contextlib.contextmanager
def ended_after(seconds: float, connection: http.client.HTTPConnection) -> Iterator[threading.Event]:
    """Break the connection off if the block takes longer; the event is set then."""
    late = threading.Event()
    timer = threading.Timer(seconds, _give_up, [connection, late])
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def fetch(url: str, *, most: int, allow_private: bool, timeout: float) -> bytes:
    """Return what an address gives, without following redirects.

    Raises NotFetched if it gives nothing, more than `most` bytes, or takes more than `timeout` seconds.
    """
    connection = connection_to(url, allow_private=allow_private, timeout=timeout)
    try:
        with ended_after(timeout, connection):
            connection.request("GET", path_of(url), headers={"User-Agent": "Rungs/1.0"})
            with connection.getresponse() as response:
                if response.status != 200:
                    raise NotFetched(f"The answer was {response.status}.")
                body = response.read(most + 1)
    except NotFetched:
        raise
    except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
        raise NotFetched(f"{type(error).__name__}: {error}"[:300]) from error
    finally:
        connection.close()
    if len(body) > most:
        raise NotFetched(f"The answer is longer than {most} bytes.")
    return body


def _give_up(connection: http.client.HTTPConnection, late: threading.Event) -> None:
    """End a request that takes too long in all, even if bytes still arrive."""
    late.set()
    if connection.sock is not None:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)  # the TLS socket's own would send a close first
