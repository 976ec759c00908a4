"""What players had played before each match of a history that is rated anew: how many matches, and how long ago."""

from __future__ import annotations

import numpy as np

from ranking.database.arrays import NO_TIMESTAMP, SECOND, Column
from ranking.models import NextPlace
from ranking.rerating._blocks import Block
from ranking.rerating._counts import Counts
from ranking.rerating._rated_players import Starts
from ranking.rerating.season_ends import Seasons
from ranking.systems.batch.history import latest_before

_DAY = 86_400 * SECOND


class EarlierMatches:
    """Columns by participation; the blocks of a replay are asked for in order. `moved`: steps get new places."""

    def __init__(self, starts: Starts, counts: Counts, seasons: Seasons, moved: bool) -> None:
        self._starts, self._counts, self._seasons, self._moved = starts, counts, seasons, moved
        self._last_match = starts.last_match.copy()

    def idle_days(self, block: Block, rated: Column) -> Column:
        """The days since each player's last match.

        Also marks new places as late if their match ended before the last match of one of its players, or before its
        season.
        """
        number = block.parts["number"]
        ended_at = block.ended_at[number]
        last = latest_before(rated, ended_at, self._last_match)
        np.maximum.at(self._last_match, rated, ended_at)
        straggled = ended_at < self._seasons.starts_of(block.season[number])
        late = np.unique(block.event[number[(last > ended_at) | straggled]])
        if self._moved and len(late):
            NextPlace.objects.filter(event__in=late.tolist()).update(late=True)
        return np.where(last == NO_TIMESTAMP, 0.0, np.maximum(ended_at - last, 0) / _DAY)

    def matches_before(self, rated: Column) -> Column:
        """The rated matches of each player before, for the participations of the block that comes next."""
        order = np.argsort(rated, kind="stable")
        ordered = rated[order]
        earlier = np.empty(len(rated), np.int64)
        earlier[order] = np.arange(len(rated)) - np.searchsorted(ordered, ordered)
        return earlier + self.matches_of(rated)

    def matches_of(self, rated: Column) -> Column:
        """The rated matches that these players have so far."""
        matches: Column = self._starts.matches[rated] + self._counts.counts[rated].sum(axis=1)
        return matches
