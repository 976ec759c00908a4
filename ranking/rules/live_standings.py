"""Ranks and percentiles of the players of one match, with nothing but this match between two moments.

The newest rank table holds everybody else as published. The players of the match are taken out of it, and put in with
the display ratings that they have at the moment, as far as they are ranked. So their ranks agree with these ratings.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence

from ranking.rules.rank_table import RankTable, TableStanding, percentile_from


def live_standings(
    table: RankTable, published: Iterable[int], live: Sequence[int | None]
) -> list[TableStanding | None]:
    """The standing of each player of a match, in the order of `live`; None for those who aren't ranked.

    `published`: the published ratings of those who are listed, in any order. `live`: everybody's live display rating,
    None for those who aren't ranked. All ratings are in hundredths.
    """
    out = [value for value, count in sorted(Counter(published).items()) for _ in range(min(count, table.count(value)))]
    ranked = sorted(value for value in live if value is not None)
    listed = len(table) - len(out) + len(ranked)

    def standing(value: int) -> TableStanding:
        below = table.below(value) - bisect_left(out, value) + bisect_left(ranked, value)
        above = table.above(value) - (len(out) - bisect_right(out, value)) + len(ranked) - bisect_right(ranked, value)
        return TableStanding(above + 1, percentile_from(below, above), listed)

    return [None if value is None else standing(value) for value in live]
