"""Rank tables as columns: how they are counted, changed and stored.

A publication handles tables of hundreds of thousands of ratings this way, none of which becomes a Python object. The
stored form is a header, then the gaps between ratings and the counts, compressed. In a table of more than FEW ratings
all numbers' first bytes come before all second bytes, of which most are zero: those of ten million players are
compressed in a tenth of the time. A smaller one is written as version 0.2.0 reads it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Unsigned = npt.NDArray[np.uint64]

# Magic, version, rows, first rating, checksum of the rest; little-endian.
_HEADER = struct.Struct("<4sHxxIqI")
_MAGIC, _VERSION = b"RNKT", 2
_WHOLE_NUMBERS = 1  # writes all numbers in eight bytes each, one after the other
FEW = 20_000  # ratings
_WIDTHS = struct.Struct("<BB")  # of a gap and of a count, in bytes; before them in the body


@dataclass(frozen=True, slots=True, eq=False)
class TableColumns:
    """Distinct ratings in hundredths, ascending, and the number of players with each, at least one."""

    values: Ints
    counts: Ints

    def __len__(self) -> int:
        """The number of players."""
        return int(self.counts.sum())

    def __eq__(self, other: object) -> bool:
        """True for a table of the same ratings and numbers of players."""
        if not isinstance(other, TableColumns):
            return False
        return np.array_equal(self.values, other.values) and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]  # as of its arrays

    @classmethod
    def counted(cls, values: Any, counts: Any) -> TableColumns:
        """The table of these ratings and numbers of players, in any order; numbers of the same rating are added.

        Raises ValueError if fewer than no players have a rating.
        """
        return cls._with_players(*_added_up(values, counts))

    @classmethod
    def _with_players(cls, values: Ints, counts: Ints) -> TableColumns:
        """The table of those of these ratings, distinct and ascending, that players have."""
        least = int(counts.min(initial=1))
        if least < 0:
            raise ValueError(f"{least} players can't have a rating.")
        if least > 0:
            return cls(values, counts)
        held = counts > 0
        return cls(values[held], counts[held])

    @classmethod
    def joined(cls, tables: Iterable[TableColumns]) -> TableColumns:
        """The table of all players of these tables."""
        parts = [*tables, cls.counted([], [])]
        return cls.counted(
            np.concatenate([part.values for part in parts]), np.concatenate([part.counts for part in parts])
        )

    def moved(self, before: TableColumns, after: TableColumns) -> TableColumns:
        """The table in which the players of `before` have become those of `after`.

        Raises ValueError if they aren't in this table.
        """
        moves, numbers = _added_up(
            np.concatenate([before.values, after.values]), np.concatenate([-before.counts, after.counts])
        )
        places = np.searchsorted(self.values, moves)
        known = places < len(self.values)
        known[known] = self.values[places[known]] == moves[known]
        counts = self.counts.copy()
        counts[places[known]] += numbers[known]
        new = ~known
        return TableColumns._with_players(
            np.insert(self.values, places[new], moves[new]), np.insert(counts, places[new], numbers[new])
        )

    def to_bytes(self) -> bytes:
        """The table in its stored form."""
        # As unsigned numbers, gaps that cross the whole range of 64 bits fit, too.
        values = self.values.view(np.uint64)
        gaps, counts = values[1:] - values[:-1], self.counts.view(np.uint64)
        if len(values) <= FEW:
            version, body = _WHOLE_NUMBERS, zlib.compress(np.concatenate([gaps, counts]).astype("<u8").tobytes(), 1)
        else:
            version, body = _VERSION, _in_runs(gaps, counts)
        first = int(self.values[0]) if len(self.values) else 0
        return _HEADER.pack(_MAGIC, version, len(self.values), first, zlib.crc32(body)) + body

    @classmethod
    def from_bytes(cls, stored: bytes | memoryview) -> TableColumns:
        """The table that `to_bytes` stored; raises ValueError for anything else."""
        data = bytes(stored)
        if len(data) < _HEADER.size or data[: len(_MAGIC)] != _MAGIC:
            raise ValueError("These bytes are no rank table.")
        _, version, rows, first, checksum = _HEADER.unpack_from(data)
        if version not in (_WHOLE_NUMBERS, _VERSION):
            raise ValueError(f"This rank table has format {version}; this program reads format {_VERSION}.")
        body = data[_HEADER.size :]
        if zlib.crc32(body) != checksum:
            raise ValueError("This rank table is damaged: its checksum doesn't match.")
        gaps, counts = _whole_numbers(body, rows) if version == _WHOLE_NUMBERS else _unpacked(body, rows)
        start = np.array([first] if rows else [], np.int64).view(np.uint64)
        values = np.cumsum(np.concatenate([start, gaps]), dtype=np.uint64)
        return cls(values.view(np.int64), counts.view(np.int64))


def _added_up(values: Any, counts: Any) -> tuple[Ints, Ints]:
    """The distinct ones of these values, ascending, and the sum of the counts of each."""
    distinct, index = np.unique(np.asarray(values, np.int64), return_inverse=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, index, np.asarray(counts, np.int64))
    return distinct, sums


def _in_runs(gaps: Unsigned, counts: Unsigned) -> bytes:
    """The body of a large table."""
    parts = [_packed(numbers) for numbers in (gaps, counts)]
    # Most bytes are zeros in a row: as runs they are compressed in half the time, and smaller.
    runs = zlib.compressobj(1, strategy=zlib.Z_RLE)
    widths = _WIDTHS.pack(*(width for width, _ in parts))
    return widths + runs.compress(b"".join(packed for _, packed in parts)) + runs.flush()


def _packed(numbers: Unsigned) -> tuple[int, bytes]:
    """The bytes that each of these numbers gets, and the numbers: all first bytes, then all second ones."""
    width = max(1, (int(numbers.max(initial=0)).bit_length() + 7) // 8)
    return width, numbers.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :width].T.tobytes()


def _unpacked(body: bytes, rows: int) -> tuple[Unsigned, Unsigned]:
    """The gaps and the counts of a body."""
    parts, sizes = [], (max(0, rows - 1), rows)
    widths, data = _WIDTHS.unpack_from(body), zlib.decompress(body[_WIDTHS.size :])
    _check_length(len(data), sum(width * size for width, size in zip(widths, sizes, strict=True)))
    at = 0
    for width, size in zip(widths, sizes, strict=True):
        numbers = np.zeros((size, 8), np.uint8)
        for place in range(width):
            numbers[:, place] = np.frombuffer(data, np.uint8, size, at)
            at += size
        parts.append(numbers.view("<u8").ravel())
    return parts[0], parts[1]


def _whole_numbers(body: bytes, rows: int) -> tuple[Unsigned, Unsigned]:
    """The gaps and the counts of a small table's body."""
    numbers = np.frombuffer(zlib.decompress(body), "<u8").astype(np.uint64)
    gaps = max(0, rows - 1)
    _check_length(len(numbers), gaps + rows)
    return numbers[:gaps], numbers[gaps:]


def _check_length(length: int, wanted: int) -> None:
    if length != wanted:
        raise ValueError("This rank table is damaged: its length doesn't match.")
