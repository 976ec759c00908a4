"""The order in which a history is rated anew, and the parameters in force at each step of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import QuerySet

from ranking.database.arrays import INTEGER, Column, read_columns
from ranking.matches.records import is_void
from ranking.models import Event, Match, Mode, ParameterVersion
from ranking.modes.parameters import find_versions, system_of
from ranking.systems.base import System

FACTS = (Event.MATCH, Event.FORFEIT, Event.SEED, Event.SEASON_END)  # the events that change ratings

_NOTHING = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class ReplayOrder:
    """The events of FACTS, in order; the events `moved` (sorted) get the new places `to`."""

    events: Column
    moved: Column
    to: Column

    def sequence_of(self, events: Column) -> Column:
        """The sequences that these events have in this order."""
        if not len(self.moved):
            return events
        at = np.minimum(np.searchsorted(self.moved, events), len(self.moved) - 1)
        return np.where(self.moved[at] == events, self.to[at], events)


def find_history(mode: Mode, since: int) -> QuerySet[Match]:
    """The rated matches that aren't void, from a sequence on."""
    return Match.objects.filter(~is_void(), mode=mode, event__gte=since)


def recorded_order(mode: Mode, since: int) -> ReplayOrder:
    """The order in which everything was rated first, from the sequence `since` on."""
    events = read_columns(Event.objects.filter(mode=mode, id__gte=since, kind__in=FACTS), id=INTEGER)["id"]
    return ReplayOrder(np.sort(events), _NOTHING, _NOTHING)


@dataclass(frozen=True, slots=True)
class Versions:
    """The parameters of a mode's history, oldest first, each with the sequence that it is in force from."""

    versions: tuple[ParameterVersion, ...]
    systems: tuple[System[Any], ...]
    starts: Column
    order: ReplayOrder

    @classmethod
    def of(cls, mode: Mode, generation: int, order: ReplayOrder) -> Versions:
        """The parameters that count in a generation of the mode."""
        versions = find_versions(mode, generation)
        starts = order.sequence_of(np.array([version.event_id for version in versions]))
        starts[0] = 0  # the first version is in force from the beginning
        return cls(tuple(versions), tuple(system_of(version) for version in versions), starts, order)

    def at(self, sequences: Column) -> Column:
        """The indices of the versions in force at these sequences."""
        return np.searchsorted(self.starts, sequences, side="right") - 1

    @property
    def learn(self) -> bool:
        """True if a system learns about the mode."""
        return any(system.learns for system in self.systems)

    @property
    def count_stats(self) -> bool:
        return any(system.counts_stats for system in self.systems)

    @property
    def count_matches(self) -> bool:
        return any(system.counts_matches for system in self.systems)

    @property
    def count_idle_days(self) -> bool:
        return any(system.counts_idle_days for system in self.systems)
