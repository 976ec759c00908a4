"""Sends one message over HTTP: follows no redirects, takes ten seconds at most, reads a bounded response.

Runs in threads, without Django.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
from dataclasses import dataclass

from leaderboards.outgoing.connections import connection_to, path_of

TIMEOUT = 10.0  # seconds from the look-up of the host's name to the last byte that is read
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
        self._path, self._timeout = path_of(url), timeout
        self._connection = connection_to(url, allow_private=allow_private)

    def send(self, message: Message) -> Outcome:
        """Send one message. Every failure becomes an outcome; its text names the host at most, not the whole URL."""
        self._connection.deadline.set(self._timeout)
        kept_open = self._connection.sock is not None
        outcome = self._try(message)
        if outcome is None and kept_open:  # the receiver had closed the connection meanwhile
            outcome = self._try(message)
        return outcome or Outcome(None, "The connection was closed without an answer.")

    def close(self) -> None:
        self._connection.close()

    def _try(self, message: Message) -> Outcome | None:
        """Send once. None: the connection broke before a response came."""
        try:
            return self._exchange(message)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            if isinstance(error, TimeoutError):
                return Outcome(None, f"No answer within {self._timeout:g} seconds.")
            if isinstance(error, (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)):
                return None
            return Outcome(None, _sentence_of(error))

    def _exchange(self, message: Message) -> Outcome:
        """Return what the head of the response says. The body tells nothing; it is read to keep the connection."""
        self._connection.request("POST", self._path, message.body, {"User-Agent": _USER_AGENT, **message.headers})
        with self._connection.getresponse() as response:
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                response.read(_MOST)
            if not response.isclosed():  # the response is longer than what is read, or didn't come whole
                self.close()
            return _outcome_of(response)


def _outcome_of(response: http.client.HTTPResponse) -> Outcome:
    """The header Retry-After asks us to wait."""
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
