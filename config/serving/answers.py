"""Answers on their way to the client, who may read slowly: no thread waits for it.

A file that is there, as static files are, is sent by Granian. Everything else is first made whole: in memory, or if it
is large, such as a player's data or a season's standings, in a temporary file, which Granian sends, too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import SEEK_END
from typing import IO, Any
from wsgiref.util import FileWrapper

LARGEST_IN_MEMORY = 1_000_000  # bytes
OPENED_WITHIN = 60.0  # seconds; Granian opens the file at once, and keeps it open while the client reads

Headers = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """`body`: bytes, the path of a file, or a temporary file, which has to be closed `OPENED_WITHIN` later."""

    status: int
    headers: Headers
    body: bytes | str | IO[bytes]

    def send(self, protocol: Any) -> None:
        if isinstance(self.body, bytes):
            protocol.response_bytes(self.status, self.headers, self.body)
        else:
            path = self.body if isinstance(self.body, str) else f"/dev/fd/{self.body.fileno()}"
            protocol.response_file(self.status, self.headers, path)


def answer_of(application: Callable[..., Iterable[bytes]], environ: dict[str, Any]) -> Answer:
    """Have the WSGI application answer, and end the request."""
    status, headers = "", Headers()

    def start_response(line: str, sent: Headers, exc_info: Any = None) -> None:
        nonlocal status, headers
        status, headers = line, sent

    pieces = application(environ, start_response)
    try:
        path = getattr(pieces.filelike, "name", None) if isinstance(pieces, FileWrapper) else None
        body = path if isinstance(path, str) else _collect(pieces)
    finally:
        if close := getattr(pieces, "close", None):
            close()
    if not isinstance(body, bytes | str) and "Content-Length" not in dict(headers):
        headers = [*headers, ("Content-Length", str(body.seek(0, SEEK_END)))]
        body.seek(0)
    return Answer(int(status.partition(" ")[0]), headers, body)


def _collect(pieces: Iterable[bytes]) -> bytes | IO[bytes]:
    whole, size = [], 0
    iterator = iter(pieces)
    for piece in iterator:
        whole.append(piece)
        size += len(piece)
        if size > LARGEST_IN_MEMORY:
            return _write(whole, iterator)
    return b"".join(whole)


def _write(begin: list[bytes], rest: Iterable[bytes]) -> IO[bytes]:
    """Return a file of all pieces that has no name, so it ends with this process in any case."""
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - whoever sends it closes it
    try:
        file.writelines(begin)
        file.writelines(rest)
        file.seek(0)  # which writes what is still in memory
    except BaseException:
        file.close()
        raise
    return file
