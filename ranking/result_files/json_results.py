"""Splits JSON Lines and JSON arrays into the text of each result, a piece of the file at a time. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from ranking.result_files.options import BadFile

_CHUNK = 65_536
_TOKENS = re.compile(rb'\\.|["\[\]{}]', re.DOTALL)
_BLANK = b" \t\r\n,"


def split_lines(file: IO[bytes], longest: int) -> Iterator[tuple[int, bytes | None]]:
    """The number and the text of each line that isn't blank; None instead of a text of more than `longest` bytes."""
    number = 0
    while line := file.readline(longest + 2):
        number += 1
        whole = len(line) <= longest + 1
        while not line.endswith(b"\n") and (rest := file.readline(longest)):
            line, whole = rest, False
        if not whole:
            yield number, None
        elif line.strip():
            yield number, line


def split_array(file: IO[bytes], longest: int) -> Iterator[tuple[int, bytes]]:
    """The number of the line in which each object of an array begins, and its text.

    Raises BadFile if this isn't an array of objects, or if one has more than `longest` bytes.
    """
    data, number, depth, in_text, done = b"", 1, 0, False, 0
    start = place = 0
    while chunk := file.read(_CHUNK):
        cut = start if depth > 1 else done
        number += data.count(b"\n", 0, cut)
        data, start, place, done = data[cut:] + chunk, start - cut, place - cut, max(done - cut, 0)
        if len(data) - _CHUNK > longest:
            raise BadFile(f"line {number}: an object has over {longest:,} bytes.")
        end = len(data) - (len(data) - len(data.rstrip(b"\\"))) % 2  # what a last backslash escapes comes next
        for token in _TOKENS.finditer(data, place, end):
            sign = token[0]
            if in_text:
                in_text = sign != b'"'
            elif sign == b'"':
                in_text = True
            elif sign in b"[{":
                depth += 1
                if depth == 2:
                    start = token.start()
                    _check_between(data[done:start], number + data.count(b"\n", 0, start))
            elif sign in b"]}":
                depth -= 1
                if depth == 0:
                    _check_between(data[done : token.start()], number + data.count(b"\n", 0, done))
                elif depth == 1:
                    yield number + data.count(b"\n", 0, start), data[start : token.end()]
                    done = token.end()
            if depth == 1 and sign == b"[":
                done = token.end()
        place = end
    if depth > 0:
        last = number + data.rstrip().count(b"\n")
        raise BadFile(f"line {last}: the file ends before the array does, so it isn't whole.")


def _check_between(text: bytes, number: int) -> None:
    if text.strip(_BLANK):
        raise BadFile(f"line {number}: an array of results has objects, and commas between them; this isn't one.")
