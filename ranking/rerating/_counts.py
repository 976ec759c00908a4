"""Columns of what rating rows count beside the rating: outcomes, places, times and recent completions.

They follow the same rules as standings/activity.py, which counts a single match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from ranking.database.arrays import NO_TIMESTAMP, SECOND, Column
from ranking.database.microseconds import microseconds_of, moment_at
from ranking.models import Mode, Rating
from ranking.models.mode import MOST_ACTIVITY_MATCHES
from ranking.rules.places import PODIUM, PODIUM_TEAMS
from ranking.standings.activity import active_until
from ranking.systems.batch.history import LEFT

COUNTED = ("wins", "draws", "losses", "leaves")  # by outcome: WON, DREW, LOST, LEFT
PLACED = ("podiums", "top_halves", "place_sum", "brief_matches")


@dataclass(frozen=True, slots=True)
class Counts:
    """Columns by player; times in microseconds, NO_TIMESTAMP for none."""

    counts: Column  # by player and outcome
    placed: Column  # by player: the counters PLACED
    last_match: Column
    last_completed: Column
    recent: Column  # the newest completed matches, newest first
    reached: Column  # when the display rating last changed
    in_ledger: Column  # True if the player has a row in the ledger

    @classmethod
    def of_nobody(cls, players: int) -> Counts:
        last_match, last_completed, reached = (np.full(players, NO_TIMESTAMP) for _ in range(3))
        recent = np.full((players, MOST_ACTIVITY_MATCHES), NO_TIMESTAMP)
        counts = np.zeros((players, len(COUNTED)), np.int32)
        placed = np.zeros((players, len(PLACED)), np.int64)
        return cls(counts, placed, last_match, last_completed, recent, reached, np.zeros(players, bool))

    @classmethod
    def of_ratings(cls, ratings: Sequence[Rating]) -> Counts:
        """The counts of these ratings, without `reached`."""
        counts = cls.of_nobody(len(ratings))
        for number, rating in enumerate(ratings):
            counts.counts[number] = [getattr(rating, name) for name in COUNTED]
            counts.placed[number] = [getattr(rating, name) for name in PLACED]
            for column, moment in ((counts.last_match, rating.last_match_at),
                                   (counts.last_completed, rating.last_completed_at)):  # fmt: skip
                column[number] = NO_TIMESTAMP if moment is None else microseconds_of(moment)
            newest = rating.recent_completions[:MOST_ACTIVITY_MATCHES]
            counts.recent[number, : len(newest)] = np.rint(np.array(newest) * SECOND)
        counts.in_ledger[:] = counts.counts.any(axis=1)
        return counts

    def take(self, players: Column) -> Counts:
        return Counts(*(getattr(self, field.name)[players] for field in fields(self)))

    def put(self, players: Column, other: Counts) -> None:
        """Overwrite the counts of these players by those in `other`."""
        for field in fields(self):
            getattr(self, field.name)[players] = getattr(other, field.name)[players]

    def note_matches(
        self, player: Column, outcome: Column, ended_at: Column, place: Column, places: Column, brief: Column
    ) -> None:
        """Count participations, in any order. `place` of `places`: −1 if unknown."""
        np.add.at(self.counts, (player, outcome), 1)
        np.maximum.at(self.last_match, player, ended_at)
        stayed = np.flatnonzero(outcome != LEFT)
        np.maximum.at(self.last_completed, player[stayed], ended_at[stayed])
        self._note_recent(player[stayed], ended_at[stayed])
        known = stayed[place[stayed] > 0]
        np.add.at(self.placed, player[known], _placed(place[known], places[known], brief[known]))

    def note_moves(self, player: Column, moved: Column, at: Column) -> None:
        """Note steps in the order of history; `moved`: True if the display rating changed."""
        self.in_ledger[player] = True
        self.reached[player[moved]] = at[moved]  # the last of a player's several steps stays

    def _note_recent(self, player: Column, ended_at: Column) -> None:
        order = np.lexsort((-ended_at, player))
        players, first, count = np.unique(player[order], return_index=True, return_counts=True)
        place = np.arange(len(order)) - np.repeat(first, count)
        kept = np.flatnonzero(place < MOST_ACTIVITY_MATCHES)
        new = np.full((len(players), MOST_ACTIVITY_MATCHES), NO_TIMESTAMP)
        new[np.repeat(np.arange(len(players)), count)[kept], place[kept]] = ended_at[order[kept]]
        self.recent[players] = _newest(self.recent[players], new)

    def followed_by(self, later: Counts) -> Counts:
        """These counts and later ones of the same players, added up."""
        return Counts(
            counts=self.counts + later.counts,
            placed=self.placed + later.placed,
            last_match=np.maximum(self.last_match, later.last_match),
            last_completed=np.maximum(self.last_completed, later.last_completed),
            recent=_newest(self.recent, later.recent),
            reached=np.where(later.reached == NO_TIMESTAMP, self.reached, later.reached),
            in_ledger=self.in_ledger | later.in_ledger,
        )

    def write(self, number: int, rating: Rating, mode: Mode) -> None:
        """Set the fields of a rating row to a player's counts."""
        counts = [*self.counts[number].tolist(), *self.placed[number].tolist()]
        for name, count in zip((*COUNTED, *PLACED), counts, strict=True):
            setattr(rating, name, count)
        last_match, last_completed, reached = (
            None if (at := int(column[number])) == NO_TIMESTAMP else moment_at(at)
            for column in (self.last_match, self.last_completed, self.reached)
        )
        rating.last_match_at, rating.last_completed_at = last_match, last_completed
        rating.reached_at = rating.reached_at if reached is None else reached
        recent = self.recent[number]
        rating.recent_completions = (recent[recent != NO_TIMESTAMP] / SECOND).tolist()
        rating.active_until = active_until(rating.recent_completions, mode, rating.placed_at)


def _placed(place: Column, places: Column, brief: Column) -> Column:
    """By participation: what it adds to the counters PLACED."""
    podium = (place <= PODIUM) & (places >= PODIUM_TEAMS)
    return np.stack([podium, 2 * place <= places, place, brief], axis=1)


def _newest(one: Column, other: Column) -> Column:
    both: Column = np.sort(np.concatenate([one, other], axis=1), axis=1)[:, ::-1]
    return both[:, :MOST_ACTIVITY_MATCHES]
