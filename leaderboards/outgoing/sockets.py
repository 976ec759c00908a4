"""Sockets to allowed addresses, with one deadline over the whole exchange: name resolution, connection and transfer.

Runs in threads, without Django.
"""

from __future__ import annotations

import ipaddress
import queue
import socket
import ssl
import threading
import time
from typing import Any

from leaderboards.outgoing.allowed_addresses import check_address

# So many threads of a process wait for name servers at most, whose answers may come long after the deadline.
_RESOLVERS = threading.BoundedSemaphore(64)


class Deadline:
    """The moment by which an exchange is over. A connection and its socket share one, which each exchange sets anew."""

    def __init__(self) -> None:
        self._until = 0.0

    def set(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left, more than none. Raises TimeoutError."""
        seconds = self._until - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        return seconds


class DeadlineSocket(socket.socket):
    """A socket that waits until its deadline in all, even if the other side sends or takes a byte now and then."""

    deadline: Deadline

    def recv_into(self, *args: Any) -> int:
        self.settimeout(self.deadline.left())
        return super().recv_into(*args)

    def send(self, *args: Any) -> int:
        self.settimeout(self.deadline.left())
        return super().send(*args)

    def sendall(self, *args: Any) -> None:
        """Send all. Over TCP the timeout bounds the whole call; over TLS it is a loop over `send`."""
        self.settimeout(self.deadline.left())
        super().sendall(*args)


class _SecureSocket(DeadlineSocket, ssl.SSLSocket):
    pass


def open_socket(host: str, port: int, deadline: Deadline, *, allow_private: bool) -> DeadlineSocket:
    """Connect to the first of a host's addresses that accepts. Raises Forbidden and other OSErrors.

    If one address of the host is forbidden, the host is: a receiver has no honest reason to mix them. Each address has
    an equal share of the time that is left, and the exchange has one, too: so an address that doesn't accept leaves
    time for the others.
    """
    addresses = resolve(host, port, deadline)
    for *_, sockaddr in addresses:
        check_address(ipaddress.ip_address(str(sockaddr[0]).partition("%")[0]), allow_private=allow_private)
    failure: OSError = OSError("the name has no address")
    for number, (family, kind, protocol, _, sockaddr) in enumerate(addresses):
        connection = DeadlineSocket(family, kind, protocol)
        connection.deadline = deadline
        try:
            connection.settimeout(deadline.left() / (len(addresses) - number + 1))
            connection.connect(sockaddr)
            # Head and body go out in two pieces; without this, the second waits 40 ms for the first's acknowledgement.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            connection.close()
            failure = error
        else:
            return connection
    raise failure


def secure(connection: DeadlineSocket, host: str) -> DeadlineSocket:
    """Return the socket with TLS, after the handshake. Raises OSError if that fails or isn't over by the deadline."""
    context = ssl.create_default_context()
    context.sslsocket_class = _SecureSocket
    secured: Any = context.wrap_socket(connection, server_hostname=host, do_handshake_on_connect=False)
    try:
        secured.deadline = connection.deadline
        secured.settimeout(connection.deadline.left())
        secured.do_handshake()  # the timeout bounds it as a whole
    except BaseException:
        secured.close()
        raise
    return secured  # type: ignore[no-any-return]


def resolve(
    host: str, port: int, deadline: Deadline, *, resolvers: threading.BoundedSemaphore = _RESOLVERS
) -> list[Any]:
    """Return what getaddrinfo says. It knows no timeout: so it runs in a thread, which is left behind if it is late.

    `resolvers`: bounds the number of these threads; if there are as many, the next look-up waits for one of them to
    end. Raises OSError, UnicodeError.
    """
    answers: queue.SimpleQueue[list[Any] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:  # raised in the thread that waits
            answers.put(error)
        finally:
            resolvers.release()

    if not resolvers.acquire(timeout=deadline.left()):
        raise TimeoutError("timed out")
    try:
        threading.Thread(target=ask, daemon=True).start()
    except RuntimeError:  # there are too many threads already
        resolvers.release()
        raise OSError("no thread could be started to look the name up") from None
    try:
        answer = answers.get(timeout=deadline.left())
    except queue.Empty:
        raise TimeoutError("timed out") from None
    if isinstance(answer, Exception):
        raise answer
    return answer
