"""The order in which a history is rated anew, and the parameters in force at each step of it.

The order is that of recording, or that of time; only the latter gives late matches a new place. The time of a match is
its end; a forfeit and a change of parameters have the time at which they happened. Steps of the same time keep their
order, and seasons aren't mixed: the end of a season is its last step. From the first step on that isn't in its place,
all steps get new events. So the sequence is still the order of history, and a reference to an old event never means
another step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Min, OuterRef, QuerySet, Subquery

from ranking import hooks
from ranking.database.arrays import INTEGER, NO_TIMESTAMP, TIMESTAMP, Column, read_columns
from ranking.database.microseconds import microseconds_of
from ranking.matches.records import is_void
from ranking.models import (
    Change,
    Event,
    Forfeit,
    Match,
    Mode,
    NextPlace,
    OutboxEntry,
    ParameterVersion,
    Participation,
    Season,
    Seed,
)
from ranking.modes.parameters import find_versions, system_of
from ranking.systems.base import System

FACTS = (Event.MATCH, Event.FORFEIT, Event.SEED, Event.SEASON_END)  # the events that change ratings
BLOCK = 1_000  # steps a transaction

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


def chronological_order(
    mode: Mode, since: int, sorted_from: int, note: Callable[[], None], block: int = BLOCK
) -> ReplayOrder:
    """The order in which the next generation is rated: as recorded until `sorted_from`, from there on by time.

    Writes new events, in blocks, for the steps that get a new place; `note` is called first in each transaction.
    """
    recorded = recorded_order(mode, since).events
    later = [version for version in find_versions(mode, mode.generation + 1)[1:] if version.event_id >= sorted_from]
    steps = _in_time(mode, sorted_from, [version.event_id for version in later])
    wrong = np.flatnonzero(steps != np.sort(steps))
    moved = steps[wrong[0] :] if len(wrong) else steps[:0]
    to = _new_places(mode, moved, note, block)
    order = np.argsort(moved)
    facts = steps[np.isin(steps, recorded)]
    return ReplayOrder(np.concatenate([recorded[recorded < sorted_from], facts]), moved[order], to[order])


def _in_time(mode: Mode, sorted_from: int, versions: Sequence[int]) -> Column:
    """The events of matches (void ones, too), forfeits, seeds, ends of seasons and these versions, sorted by time."""
    matches = Match.objects.filter(mode=mode, event__gte=sorted_from)
    dropped = Forfeit.objects.filter(mode=mode, event__gte=sorted_from)
    tables = [
        read_columns(matches, event_id=INTEGER, season_id=INTEGER, ended_at=TIMESTAMP),
        read_columns(dropped, event_id=INTEGER, season_id=INTEGER, happened_at=TIMESTAMP),
    ]
    tables.append(_seeds_in_time(mode, sorted_from))
    event, season, at = (np.concatenate(columns) for columns in zip(*(table.values() for table in tables), strict=True))
    event, season, at, is_end = _with_ends(mode, sorted_from, event, season, at)
    order = np.lexsort((event, at, is_end, season))
    happened_at = Event.objects.in_bulk(versions)
    times = np.array([microseconds_of(happened_at[pk].happened_at) for pk in versions], np.int64)
    # Versions keep their order even if a clock was wrong; each comes before the first later step.
    before = np.searchsorted(np.maximum.accumulate(at[order]), np.maximum.accumulate(times), side="right")
    return np.insert(event[order], before, versions)


def _seeds_in_time(mode: Mode, sorted_from: int) -> dict[str, Column]:
    """The columns of ratings that players brought along. Each has the time at which it happened, but at the latest
    that of its player's first match or forfeit in the season: matches build on it, however late they are reported.
    """
    parts = Participation.objects.filter(player=OuterRef("player"), match__season=OuterRef("season")).order_by()
    drops = Forfeit.objects.filter(player=OuterRef("player"), season=OuterRef("season")).order_by()
    seeds: Any = Seed.objects.filter(mode=mode, event__gte=sorted_from).annotate(
        played=Subquery(parts.values("player").annotate(first=Min("match__ended_at")).values("first")),
        dropped=Subquery(drops.values("player").annotate(first=Min("happened_at")).values("first")),
    )
    times = dict.fromkeys(("event__happened_at", "played", "dropped"), TIMESTAMP)
    columns = read_columns(seeds, event_id=INTEGER, season_id=INTEGER, **times)
    seeded, *others = (columns[name] for name in times)
    for other in others:
        seeded = np.where(other == NO_TIMESTAMP, seeded, np.minimum(seeded, other))
    return {"event_id": columns["event_id"], "season_id": columns["season_id"], "at": seeded}


def _with_ends(
    mode: Mode, sorted_from: int, event: Column, season: Column, at: Column
) -> tuple[Column, Column, Column, Column]:
    """These columns of steps, with the ends of seasons added; and whether a step is an end.

    Some match may have ended after the end of its season, as clocks differ: then the end has that time.
    """
    ends = Season.objects.filter(mode=mode, event__gte=sorted_from)
    columns = read_columns(ends, event_id=INTEGER, id=INTEGER, ends_at=TIMESTAMP)
    times = zip(columns["id"].tolist(), columns["ends_at"].tolist(), strict=True)
    last = [max([ended_at, *at[season == pk].tolist()]) for pk, ended_at in times]
    is_end = np.repeat([False, True], [len(event), len(last)])
    return (
        np.concatenate([event, columns["event_id"]]),
        np.concatenate([season, columns["id"]]),
        np.concatenate([at, np.array(last, np.int64)]),
        is_end,
    )


def _new_places(mode: Mode, moved: Column, note: Callable[[], None], block: int) -> Column:
    """Create new events for these steps, in this order, and return them."""
    to: list[int] = []
    for start in range(0, len(moved), block):
        with transaction.atomic():
            note()
            events = moved[start : start + block].tolist()
            old = Event.objects.in_bulk(events)
            new = Event.objects.bulk_create(
                Event(mode=mode, kind=old[pk].kind, happened_at=old[pk].happened_at) for pk in events
            )
            NextPlace.objects.bulk_create(
                NextPlace(mode=mode, event_id=pk, next=event) for pk, event in zip(events, new, strict=True)
            )
            to += [event.pk for event in new]
    return np.array(to, np.int64)


def move_some(mode: Mode, block: int = BLOCK) -> int:
    """Move a block of steps to their new events, inside the caller's transaction; return how many.

    It is called once the new generation is read, until it returns 0.
    """
    to = dict(NextPlace.objects.filter(mode=mode).order_by("next").values_list("event", "next")[:block])
    place = NextPlace.objects.filter(event=OuterRef("event"))
    new = Subquery(place.values("next")[:1])
    Match.objects.filter(event__in=to).update(event=new, late=Subquery(place.values("late")[:1]))
    for model in (Forfeit, Seed, ParameterVersion, Season, OutboxEntry):
        model._default_manager.filter(event__in=to).update(event=new)
    for renumber in hooks.RENUMBERERS.functions():
        renumber(to)
    Change.objects.filter(event__in=to, superseded_in__isnull=False).delete()
    NextPlace.objects.filter(event__in=to).delete()
    Event.objects.filter(pk__in=to).delete()
    return len(to)


def forget_places(mode: Mode, block: int = BLOCK) -> int:
    """Delete a block of planned places that nobody has read, inside the caller's transaction; return how many."""
    planned = NextPlace.objects.filter(mode=mode).order_by("-next")
    places = dict(planned.values_list("event", "next")[:block])
    NextPlace.objects.filter(event__in=places).delete()
    Event.objects.filter(pk__in=places.values()).delete()
    return len(places)
