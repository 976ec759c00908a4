"""Rank tables as columns: how they are counted, changed and stored.

A publication handles tables of hundreds of thousands of ratings this way, none of which becomes a Python object. The
stored form is a header, then the gaps between ratings and the counts, compressed.
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

# Magic, version, rows, first rating, checksum of the rest; little-endian.
_HEADER = struct.Struct("<4sHxxIqI")
_MAGIC, _VERSION = b"RNKT", 1


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
        distinct, index = np.unique(np.asarray(values, np.int64), return_inverse=True)
        sums = np.zeros(len(distinct), np.int64)
        np.add.at(sums, index, np.asarray(counts, np.int64))
        if (sums < 0).any():
            raise ValueError(f"{sums.min()} players can't have a rating.")
        return cls(distinct[sums > 0], sums[sums > 0])

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
        values = np.concatenate([self.values, before.values, after.values])
        return TableColumns.counted(values, np.concatenate([self.counts, -before.counts, after.counts]))

    def to_bytes(self) -> bytes:
        """The table in its stored form."""
        # As unsigned numbers, gaps that cross the whole range of 64 bits fit, too.
        gaps = np.diff(self.values.view(np.uint64))
        body = zlib.compress(np.concatenate([gaps, self.counts.view(np.uint64)]).astype("<u8").tobytes())
        first = int(self.values[0]) if len(self.values) else 0
        return _HEADER.pack(_MAGIC, _VERSION, len(self.values), first, zlib.crc32(body)) + body

    @classmethod
    def from_bytes(cls, stored: bytes | memoryview) -> TableColumns:
        """The table that `to_bytes` stored; raises ValueError for anything else."""
        data = bytes(stored)
        if len(data) < _HEADER.size or data[: len(_MAGIC)] != _MAGIC:
            raise ValueError("These bytes are no rank table.")
        _, version, rows, first, checksum = _HEADER.unpack_from(data)
        if version != _VERSION:
            raise ValueError(f"This rank table has format {version}; this program reads format {_VERSION}.")
        body = data[_HEADER.size :]
        if zlib.crc32(body) != checksum:
            raise ValueError("This rank table is damaged: its checksum doesn't match.")
        numbers = np.frombuffer(zlib.decompress(body), "<u8").astype(np.uint64)
        if len(numbers) != max(0, 2 * rows - 1):
            raise ValueError("This rank table is damaged: its length doesn't match.")
        start = np.array([first] if rows else [], np.int64).view(np.uint64)
        values = np.cumsum(np.concatenate([start, numbers[: max(0, rows - 1)]]), dtype=np.uint64)
        return cls(values.view(np.int64), numbers[max(0, rows - 1) :].view(np.int64))
