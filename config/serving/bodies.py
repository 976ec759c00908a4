"""Bodies of requests: how long the site waits for one, and how much memory all of them have.

While a body comes, it occupies no thread, but the memory of what has come, until the request is answered. Each body
has `ALWAYS` bytes of its own: results and forms are smaller. What is beyond shares `SHARED`, of which strangers may
use half. So whoever sends large bodies slowly holds up nobody but other strangers with large bodies: a game server's
key has the rest to itself. A player's token is a stranger's, because every player has one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

LARGEST = 5_000_000  # bytes; of a larger body nothing is read. No more than the Caddyfile lets through
ALWAYS = 64_000
SHARED = 64_000_000
SECONDS = 60.0  # in which a body must have come


class BodyNotReceived(Exception):
    """`code`: that of the problem."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Bodies:
    """The bodies of one process. Only the event loop's thread may use them."""

    def __init__(self, shared: int = SHARED, seconds: float = SECONDS) -> None:
        self.shared, self.seconds, self.used = shared, seconds, 0

    @contextmanager
    def room(self, *, by_key: bool) -> Iterator[Room]:
        """Room for one body, until its request is answered. `by_key`: a game server's key was proven before."""
        room = Room(self, self.shared if by_key else self.shared // 2)
        try:
            yield room
        finally:
            self.used -= room.used


class Room:
    """What one body takes of what all share; `used` bytes."""

    def __init__(self, bodies: Bodies, most: int) -> None:
        self._bodies, self._most, self.used = bodies, most, 0

    async def receive(self, protocol: Any, environ: MutableMapping[str, Any]) -> bytes:
        """Return the body, and set its length, which a body in chunks doesn't say; nothing of one over LARGEST.

        Raises BodyNotReceived if it doesn't come whole and in time, or if there is no room for it.
        """
        chunked = environ.pop("HTTP_TRANSFER_ENCODING", None) is not None
        length = int(environ.get("CONTENT_LENGTH", 0))
        if not (chunked or 0 < length <= LARGEST):
            return b""
        try:
            async with asyncio.timeout(self._bodies.seconds):
                body = await self._collect(protocol, LARGEST + 1 if chunked else length)
        except TimeoutError:
            raise BodyNotReceived("request-timeout") from None
        if not chunked and len(body) < length:  # the client is gone
            raise BodyNotReceived("request-timeout")
        environ["CONTENT_LENGTH"] = str(len(body))
        return body if len(body) <= LARGEST else b""

    async def _collect(self, protocol: Any, most: int) -> bytes:
        """Return the body. Without room the rest is thrown away: a client that still sends would miss the answer.

        Granian ends each body with one empty piece. A second one is all that it tells of chunks that break off or are
        malformed; of trailers, too, so a body with trailers is refused.
        """
        pieces: list[bytes] = []
        size, fits, is_at_end = 0, True, False
        async for piece in protocol:
            if not piece and is_at_end:
                raise BodyNotReceived("request-timeout")
            is_at_end = not piece
            size += len(piece)
            fits = fits and self._take(size)
            if fits:
                pieces.append(piece)
            else:
                pieces.clear()
            if size >= most:
                break
        if not fits:
            raise BodyNotReceived("too-many-slow-requests")
        return b"".join(pieces)

    def _take(self, size: int) -> bool:
        """Grow with the body, if there is room; otherwise give back what it has."""
        more = max(0, size - ALWAYS) - self.used
        fits = not more or self._bodies.used + more <= self._most
        if not fits:
            more = -self.used
        self._bodies.used += more
        self.used += more
        return fits
