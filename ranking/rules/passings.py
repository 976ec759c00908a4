"""Who passed whom by a match, without anybody's name: what lies between two ranks of it. Pure.

A match's ranks before and after compare its players by their display ratings, and everybody else as the board has them.
So somebody is passed who was ranked above the player before and isn't afterwards: drawing level is passing. Somebody
passes the player who wasn't ranked above them before, and is afterwards. Ranks move by exactly those two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ranking.rules.rank_table import RankTable


class Mover(NamedTuple):
    """A player of a match. `before`, `after`: display ratings, None while unranked; `published`: None if not listed.

    All are in hundredths.
    """

    player: int
    before: int | None
    after: int | None
    published: int | None


@dataclass(frozen=True, slots=True)
class Passed:
    """Whom a player passed, or who passed them: `others` of the board, and `mates`, who played in the match."""

    others: int
    mates: tuple[Mover, ...]
    at: int  # the player's display rating afterwards

    @property
    def count(self) -> int:
        return self.others + len(self.mates)

    def closest(self, others: Iterable[tuple[int, int]], most: int) -> list[int]:
        """The ids of at most so many of them, those first who stand closest to the player afterwards.

        `others`: ids and published ratings of those who didn't play.
        """
        found = [*others, *((mate.player, mate.after or 0) for mate in self.mates)]
        return [player for player, _ in sorted(found, key=lambda one: abs(one[1] - self.at))[:most]]


def passings_of(movers: Sequence[Mover], table: RankTable) -> Iterator[tuple[Passed, Passed] | None]:
    """Whom each player of a match passed, and who passed them; None for those who weren't ranked before and after.

    `table`: the board, on which they may stand, too.
    """
    listed = [mover.published for mover in movers if mover.published is not None]
    for own in movers:
        before, after = own.before, own.after
        if before is None or after is None:
            yield None
            continue
        ranked = [(mate, mate.before, mate.after) for mate in movers if mate is not own and mate.after is not None]
        above = [mate for mate, old, new in ranked if old is not None and old > before and new <= after]
        below = [mate for mate, old, new in ranked if (old is None or old <= before) and new > after]
        yield (
            Passed(_between(table, listed, before, after), tuple(above), after),
            Passed(_between(table, listed, after, before), tuple(below), after),
        )


def _between(table: RankTable, out: Sequence[int], low: int, high: int) -> int:
    """How many of the table have a rating above `low` and up to `high`, without those who are `out`."""
    if low >= high:
        return 0
    return table.above(low) - table.above(high) - sum(low < rating <= high for rating in out)
