"""Doubled matches: those alike to a match, and those that overlap it. They are found, answered and listed, and nothing
follows by itself: a test server may well send a match twice.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from django.db.models import Count, Q

from ranking.matches.alike import find_alike
from ranking.matches.overlaps import find_overlaps
from ranking.matches.records import MatchRecord, load_parts, with_voids
from ranking.models import DoubledMatch, Match, Player, Void

MOST = 20  # numbers of other matches that are named of a match
_BATCH = 100  # matches that are compared at once


@dataclass(frozen=True, slots=True)
class Doubles:
    """Numbers of other matches that aren't void: those alike to a match, and the others that overlap it."""

    alike: tuple[int, ...] = ()
    overlaps: tuple[int, ...] = ()


NONE = Doubles()


@dataclass(frozen=True, slots=True)
class Group:
    """The matches of a row of the list, the earliest recorded first, with `is_void`; and who played all of them."""

    matches: list[Match]
    players: list[Player]

    @property
    def valid(self) -> list[Match]:
        return [match for match in self.matches if not match.is_void]


def find_doubles(records: Sequence[MatchRecord]) -> dict[int, Doubles]:
    """The doubles of each of these matches, by its number, the earliest recorded first. A void match has none."""
    valid = [record for record in records if not record.match.is_void]
    found: dict[int, Doubles] = {}
    for start in range(0, len(valid), _BATCH):
        batch = valid[start : start + _BATCH]
        alike, overlaps = find_alike(batch), find_overlaps(batch)
        for number, twins in alike.items():
            same = [match.pk for match in twins if not match.is_void]
            others = [other for other in overlaps.get(number, ()) if other not in same]
            found[number] = Doubles(tuple(same[:MOST]), tuple(others[:MOST]))
    return found


def search_doubles(*, since: dt.datetime, now: dt.datetime) -> None:
    """Note doubled matches among those received or restored since then, and forget what is resolved."""
    for records in chain(_received(since), _restored(since)):
        _note(records, now)
    rows = DoubledMatch.objects.filter(dismissed_at=None).order_by("pk")
    last = 0
    while batch := list(rows.filter(pk__gt=last)[:_BATCH]):
        drop_resolved(batch)
        last = batch[-1].pk


def drop_resolved(rows: Sequence[DoubledMatch]) -> None:
    """Delete those of these rows in which at most one match isn't void."""
    resolved = [pk for pk, group in groups_of(rows).items() if len(group.valid) < 2]
    DoubledMatch.objects.filter(pk__in=resolved, dismissed_at=None).delete()


def groups_of(rows: Sequence[DoubledMatch]) -> dict[int, Group]:
    """What each of these rows is about, by its number: four queries, however many."""
    numbers = {number for row in rows for number in (row.first_id, row.second_id) if number is not None}
    records = load_parts(with_voids(Match.objects.filter(pk__in=numbers)).select_related("mode", "source"))
    alike = find_alike([records[row.first_id] for row in rows if row.second_id is None])
    groups: dict[int, Group] = {}
    for row in rows:
        first = records[row.first_id]
        others = alike[row.first_id] if row.second_id is None else [records[row.second_id].match]
        playing = None if row.second_id is None else {part.player_id for part in records[row.second_id].parts}
        players = [part.player for part in first.parts if playing is None or part.player_id in playing]
        groups[row.pk] = Group(sorted([first.match, *others], key=lambda match: match.pk), players)
    return groups


def waiting_sentence() -> str:
    """How many alike and overlapping matches wait for a moderator, and where; "" if there are none."""
    alike, overlapping = (
        DoubledMatch.objects.filter(dismissed_at=None)
        .aggregate(
            alike=Count("pk", filter=Q(kind=DoubledMatch.ALIKE)),
            overlapping=Count("pk", filter=Q(kind=DoubledMatch.OVERLAP)),
        )
        .values()
    )
    if not alike and not overlapping:
        return ""
    groups = f"{alike:,} group{'' if alike == 1 else 's'} of alike matches"
    pairs = f"{overlapping:,} pair{'' if overlapping == 1 else 's'} of overlapping ones"
    return f"{groups} and {pairs} wait for a moderator; see Alike and overlapping matches in the admin."


def _received(since: dt.datetime) -> Iterator[list[MatchRecord]]:
    """Matches received since then, in batches. Numbers are given in about that order: a batch of older ones ends it."""
    matches = with_voids(Match.objects.all()).order_by("-pk")
    batch = list(matches[:_BATCH])
    while received := [match for match in batch if match.received_at >= since]:
        yield list(load_parts(received).values())
        batch = list(matches.filter(pk__lt=batch[-1].pk)[:_BATCH])


def _restored(since: dt.datetime) -> Iterator[list[MatchRecord]]:
    voids = Void.objects.filter(match__isnull=False, lifted_at__gte=since)
    numbers = list(voids.values_list("match", flat=True))
    for start in range(0, len(numbers), _BATCH):
        matches = with_voids(Match.objects.filter(pk__in=numbers[start : start + _BATCH]))
        yield list(load_parts(matches).values())


def _note(records: Sequence[MatchRecord], now: dt.datetime) -> None:
    """Add a row for each doubled match. Those that are known stay as they are, dismissed or not.

    A group of alike matches is named after the first of all, be it void.
    """
    valid = [record for record in records if not record.match.is_void]
    alike, overlaps = find_alike(valid), find_overlaps(valid)
    keys: set[tuple[int, int | None]] = set()
    for number, twins in alike.items():
        same = {match.pk for match in twins if not match.is_void}
        if same:
            keys.add((min(number, *(match.pk for match in twins)), None))
        others = [other for other in overlaps.get(number, ()) if other not in same]
        keys |= {(min(number, other), max(number, other)) for other in others[:MOST]}
    firsts = Match.objects.in_bulk({first for first, _ in keys})
    DoubledMatch.objects.bulk_create(
        [
            DoubledMatch(
                kind=DoubledMatch.ALIKE if second is None else DoubledMatch.OVERLAP,
                mode_id=firsts[first].mode_id,
                first_id=first,
                second_id=second,
                ended_at=firsts[first].ended_at,
                found_at=now,
            )
            for first, second in sorted(keys, key=lambda key: (key[0], key[1] or 0))
        ],
        ignore_conflicts=True,
    )
