"""Sends one message over HTTP: follows no redirects, takes ten seconds at most, reads a bounded response.

Runs in threads, without Django.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
from dataclasses import dataclass
from urllib.parse import urlsplit

from leaderboards.webhooks.allowed_addresses import open_socket

TIMEOUT = 10.0  # seconds to connect, and seconds from the first byte sent to the last that is read
_MOST = 4_096  # bytes of a response that are read
_MOST_WAIT = 3_600  # seconds that a receiver may ask us to wait
_USER_AGENT = "Rungs-Webhooks/1.0"


@dataclass(frozen=True, slots=True)
class Message:
    """The body and headers of a POST request."""

    body: bytes
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of sending one message. `status` None: no response. `wait`: seconds that the receiver asks for."""

    status: int | None
    error: str = ""
    wait: int = 0

    @property
    def delivered(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def reachable(self) -> bool:
        """True if another message has a chance now."""
        return self.status is not None and self.status not in (429, 502, 503, 504)


class WebhookConnection:
    """A connection to one webhook, kept open between messages."""

    def __init__(self, url: str, *, allow_private: bool, timeout: float = TIMEOUT) -> None:
        parts = urlsplit(url)
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        kind = _Secure if parts.scheme == "https" else _Plain
        self._connection = kind(parts.hostname or "", parts.port, timeout=timeout)
        self._timeout = timeout
        self._connection.allow_private, self._connection.patience = allow_private, timeout

    def send(self, message: Message) -> Outcome:
        """Send one message. Every failure becomes an outcome; its text names the host at most, not the whole URL."""
        kept_open = self._connection.sock is not None
        outcome = self._try(message)
        if outcome is None and kept_open:  # the receiver had closed the connection meanwhile
            outcome = self._try(message)
        return outcome or Outcome(None, "The connection was closed without an answer.")

    def close(self) -> None:
        self._connection.close()

    def _try(self, message: Message) -> Outcome | None:
        """Send once. None: the connection broke before a response came."""
        late = threading.Event()
        timer = threading.Timer(self._timeout, _give_up, [self._connection, late])
        timer.daemon = True
        timer.start()
        try:
            self._connection.request("POST", self._path, message.body, {"User-Agent": _USER_AGENT, **message.headers})
            with self._connection.getresponse() as response:
                outcome = _read(response)
                if not response.isclosed():  # the response is longer than what is read
                    self.close()
                return outcome
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            if late.is_set() or isinstance(error, TimeoutError):
                return Outcome(None, f"No answer within {self._timeout:g} seconds.")
            if isinstance(error, (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)):
                return None
            return Outcome(None, _sentence_of(error))
        finally:
            timer.cancel()


class _Plain(http.client.HTTPConnection):
    """Connects to public addresses only, if not told otherwise."""

    allow_private = False
    patience = TIMEOUT

    def connect(self) -> None:
        self.sock = open_socket(self.host, self.port, self.patience, allow_private=self.allow_private)


class _Secure(_Plain):
    default_port = http.client.HTTPS_PORT

    def connect(self) -> None:
        super().connect()
        context = ssl.create_default_context()
        # In two steps, so that `_give_up` finds the socket during the handshake.
        self.sock = context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock.do_handshake()


def _read(response: http.client.HTTPResponse) -> Outcome:
    """Read the response. The header Retry-After asks us to wait."""
    response.read(_MOST)
    if 200 <= response.status < 300:
        return Outcome(response.status)
    seconds = response.headers.get("Retry-After", "")
    wait = min(int(seconds), _MOST_WAIT) if seconds.isascii() and seconds.isdecimal() and len(seconds) < 9 else 0
    what = "redirects aren't followed" if 300 <= response.status < 400 else response.reason[:100]
    return Outcome(response.status, f"{response.status}: {what}", wait)


def _sentence_of(error: Exception) -> str:
    if isinstance(error, socket.gaierror):
        return "The host's name can't be resolved."
    if isinstance(error, ssl.SSLError):
        return f"No secure connection: {error.reason or error}"[:300]
    return f"{type(error).__name__}: {error}"[:300]


def _give_up(connection: http.client.HTTPConnection, late: threading.Event) -> None:
    """End a request that takes too long in all, even if bytes still arrive."""
    late.set()
    if connection.sock is not None:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)  # the TLS socket's own would send a close first
