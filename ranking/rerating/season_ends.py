"""The seasons of a history that is rated anew: their ends, and the resets by which players enter the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ranking.database.arrays import NO_TIMESTAMP, Column
from ranking.database.microseconds import microseconds_of
from ranking.models import Mode, Season
from ranking.modes.parameters import system_of
from ranking.modes.season_entries import SeasonEnd
from ranking.rerating._order import Versions
from ranking.rerating._rated_players import RatedPlayers
from ranking.systems.batch.states import States
from ranking.systems.replay.resets import reset_states


@dataclass(frozen=True, slots=True)
class Resets:
    """Resets of players by which they enter a season. `entering`: their indices among the players asked about.

    `carried`: no rule since their last season made everybody a newcomer.
    """

    entering: Column
    before: States
    after: States
    carried: Column


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

    def resets(
        self, event: int, players: Column, rated_players: RatedPlayers, in_ledger: Column, states: States
    ) -> Resets:
        """The resets of these players into the season after this end.

        `in_ledger`, `states`: by rated player, after everything up to this end. A player without a row in an earlier
        season has no reset.
        """
        ended = self.events.index(event) + 1
        last, last_season = np.full(len(players), -1), np.zeros(len(players), np.int64)
        for index, season in enumerate(self.seasons[:ended]):
            numbers = rated_players.find_numbers(season.pk, players)
            has_row = (numbers >= 0) & in_ledger[numbers]
            last[has_row], last_season[has_row] = numbers[has_row], index
        entering = np.flatnonzero(last >= 0)
        before = states.take(last[entering])
        after, carried = before.copy(), np.ones(len(entering), bool)
        for index, end in enumerate(self.ends[:ended]):
            passed = np.flatnonzero(last_season[entering] <= index)
            rule = end.season.rule
            after.set(passed, reset_states(system_of(end.parameters), after.take(passed), rule))
            carried[passed] &= not rule.starts_anew
        return Resets(entering, before, after, carried)
