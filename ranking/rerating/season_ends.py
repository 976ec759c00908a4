"""The seasons of a history that is rated anew: their ends, and the resets by which players enter the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ranking.database.arrays import NO_TIMESTAMP, Column
from ranking.database.microseconds import microseconds_of
from ranking.models import Mode, Season
from ranking.modes.season_entries import Entry, SeasonEnd, enter
from ranking.rerating.order import Versions
from ranking.rerating.rated_players import RatedPlayers
from ranking.systems.batch.states import States


@dataclass(frozen=True, slots=True)
class Seasons:
    """A mode's seasons, oldest first, and the ends of all but the current one in the same order."""

    seasons: Sequence[Season]
    ends: Sequence[SeasonEnd]

    @classmethod
    def of(cls, mode: Mode, versions: Versions) -> Seasons:
        """`versions`: those of the generation that is computed."""
        seasons = list(Season.objects.filter(mode=mode).order_by("number"))
        ended = [season for season in seasons if season.event_id is not None]
        events = np.array([season.event_id for season in ended], np.int64)
        in_force = versions.at(versions.order.sequence_of(events))
        ends = [
            SeasonEnd(season.event_id or 0, season.ends_at or season.starts_at, season, versions.versions[version])
            for season, version in zip(ended, in_force.tolist(), strict=True)
        ]
        return cls(seasons, ends)

    @property
    def events(self) -> list[int]:
        """The events of the ends, as recorded."""
        return [end.event for end in self.ends]

    def end_of(self, event: int) -> SeasonEnd:
        return self.ends[self.events.index(event)]

    def following(self, event: int) -> int:
        """The id of the season that began when the one of this event ended."""
        return self.seasons[self.events.index(event) + 1].pk

    def starts_of(self, seasons: Column) -> Column:
        """When these seasons, by id, began: a match of an earlier time came late. The first has no such time."""
        begun = {season.pk: microseconds_of(season.starts_at) for season in self.seasons[1:]}
        return np.array([begun.get(pk, NO_TIMESTAMP) for pk in seasons.tolist()], np.int64)

    def entries(
        self, event: int, players: Column, rated_players: RatedPlayers, in_ledger: Column, states: States
    ) -> dict[int, Entry]:
        """The resets of these players into the season after this end, by their index in `players`.

        `in_ledger`, `states`: by rated player, after everything up to this end. A player without a row in an earlier
        season has no reset.
        """
        ended = self.events.index(event) + 1
        last, last_season = np.full(len(players), -1), np.zeros(len(players), np.int64)
        for index, season in enumerate(self.seasons[:ended]):
            numbers = rated_players.find_numbers(season.pk, players)
            has_row = (numbers >= 0) & in_ledger[numbers]
            last[has_row], last_season[has_row] = numbers[has_row], index
        return {
            index: enter(states[int(last[index])], self.ends[int(last_season[index]) : ended])
            for index in np.flatnonzero(last >= 0).tolist()
        }
