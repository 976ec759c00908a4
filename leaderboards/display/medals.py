"""Medals: the first three ranks of an archived season."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboards.display.numbers import ordinal
from ranking.wording.translation import gettext, ngettext

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
        more = len(self.seasons) - NAMED
        names = ", ".join(self.seasons[:NAMED])
        if self.rank == 1:
            if more > 0:
                text = ngettext(
                    "Champion of %(names)s and %(more)s more", "Champion of %(names)s and %(more)s more", more
                )
            else:
                text = gettext("Champion of %(names)s")
        elif more > 0:
            text = ngettext("%(rank)s in %(names)s and %(more)s more", "%(rank)s in %(names)s and %(more)s more", more)
        else:
            text = gettext("%(rank)s in %(names)s")
        if more <= 0 and len(self.seasons) > 1:
            names = gettext("%(names)s and %(last)s") % {
                "names": ", ".join(self.seasons[:-1]),
                "last": self.seasons[-1],
            }
        return text % {"names": names, "more": more, "rank": ordinal(self.rank)}


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
