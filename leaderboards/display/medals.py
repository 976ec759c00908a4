"""Medals: the first three ranks of an archived season."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboards.display.numbers import ordinal

LAST = 3  # the last rank with a medal
NAMED = 3  # seasons named in words


@dataclass(frozen=True, slots=True)
class Medal:
    """A rank from 1 to LAST, and the names of the seasons that a player ended there, newest first."""

    rank: int
    seasons: tuple[str, ...]

    @property
    def words(self) -> str:
        """“Champion of Season 3 and Season 1”, “2nd in Season 2”."""
        named = list(self.seasons[:NAMED])
        more = len(self.seasons) - len(named)
        last = f"{more} more" if more else named.pop()
        listed = f"{', '.join(named)} and {last}" if named else last
        return f"{'Champion of' if self.rank == 1 else f'{ordinal(self.rank)} in'} {listed}"


def medal_of(rank: int | None, *, struck: bool) -> int | None:
    """Return the rank if it wins a medal; a player who was struck from the season wins none."""
    return None if rank is None or rank > LAST or struck else rank


def medals_of(ranks: Iterable[tuple[int | None, str]]) -> list[Medal]:
    """Return the medals, the best first, of (rank with a medal or None, name of the season), newest first."""
    seasons: dict[int, list[str]] = {}
    for rank, name in ranks:
        if rank is not None:
            seasons.setdefault(rank, []).append(name)
    return [Medal(rank, tuple(seasons[rank])) for rank in sorted(seasons)]
