"""Overlapping matches: a player was in two at the same time, so one of them may never have been played.

A player is there from the start of a match to its end; from `joined_at` on and for their `seconds` only, if these are
given. Whoever stayed for a part of it and didn't say when may have had any part: only what is sure counts. A match
whose length isn't known overlaps none, and neither do void matches and bots.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Exists, Max, Min, OuterRef, Q

from ranking.matches.records import MatchRecord
from ranking.models import Match, Participation, Void

TOLERANCE = dt.timedelta(seconds=5)  # by which clocks may differ
_WITHIN = dt.timedelta(days=1)  # after a match, in which those that overlap it ended
_REMEMBERED = 3  # matches of a player that are compared with the next one of an import
_MOST_READ = 20_000  # participations that are compared with a batch
_COLUMNS = (
    "player", "left_early", "excused", "match", "match__started_at", "match__ended_at", "match__duration", "joined_at",
    "seconds",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stay:
    """When a player was surely in a match."""

    match: int
    since: dt.datetime
    until: dt.datetime

    def overlaps(self, other: Stay) -> bool:
        return min(self.until, other.until) - max(self.since, other.since) > TOLERANCE


class OverlapCounter:
    """Notes players who were in two matches at once, of matches that come in the order of their ends.

    `players`: their keys, each with the places of both matches the first time: what `add` was told. Of each player it
    remembers the last matches within a day.
    """

    def __init__(self) -> None:
        self.players: dict[str, tuple[str, str]] = {}
        self._stays: dict[int, list[tuple[Stay, str]]] = {}
        self._forgot_at: dt.datetime | None = None

    def add(self, record: MatchRecord, place: str) -> None:
        match = record.match
        if _span_of(match) is None:
            return
        self._forget(match.ended_at)
        for part in record.parts:
            if part.player.is_bot:
                continue
            times = (match.started_at, match.ended_at, match.duration, part.joined_at, part.seconds)
            stay, before = (
                _stay(match.pk, *times, gone=part.left_early or part.excused),
                self._stays.get(part.player_id, []),
            )
            earlier = next((where for other, where in before if other.match != match.pk and other.overlaps(stay)), None)
            if earlier is not None:
                self.players.setdefault(part.player.key, (earlier, place))
            self._stays[part.player_id] = [*before[1 - _REMEMBERED :], (stay, place)]

    def _forget(self, now: dt.datetime) -> None:
        """Forget who hasn't played for a day, once a day."""
        if self._forgot_at is None or now - self._forgot_at > _WITHIN:
            self._forgot_at = now
            last = {player: stays for player, stays in self._stays.items() if now - stays[-1][0].until < _WITHIN}
            self._stays = last


def find_overlaps(records: Sequence[MatchRecord]) -> dict[int, list[int]]:
    """The numbers of the other matches in which a player of each of these was at the same time, by its number.

    Two queries for matches that ended within a day, by the players and by when their matches ended.
    """
    found: dict[int, list[int]] = {}
    run: list[MatchRecord] = []
    for record in sorted(records, key=lambda record: record.match.ended_at):
        if run and record.match.ended_at - run[0].match.ended_at > _WITHIN:
            found |= _find_overlaps(run)
            run = []
        run.append(record)
    return found | _find_overlaps(run)


def _find_overlaps(records: Sequence[MatchRecord]) -> dict[int, list[int]]:
    spans = {record.match.pk: span for record in records if (span := _span_of(record.match))}
    players = {
        part.player_id
        for record in records
        if record.match.pk in spans
        for part in record.parts
        if not part.player.is_bot
    }
    if not players:
        return {}
    stays: dict[int, list[Stay]] = {}
    since, until = min(begun for begun, _ in spans.values()), max(ended for _, ended in spans.values())
    for player, stay in _stays(players, since, until):
        stays.setdefault(player, []).append(stay)
    found: dict[int, set[int]] = {}
    for of_player in stays.values():
        for own in of_player:
            if own.match in spans:
                found.setdefault(own.match, set()).update(
                    other.match for other in of_player if other.match != own.match and own.overlaps(other)
                )
    return {number: sorted(others) for number, others in found.items() if others}


def _span_of(match: Match) -> tuple[dt.datetime, dt.datetime] | None:
    """Start and end of a match; None if it is void, or if its length isn't known."""
    started_at = _started_at(match.started_at, match.ended_at, match.duration)
    return None if match.is_void or started_at is None else (started_at, match.ended_at)


def _started_at(started_at: dt.datetime | None, ended_at: dt.datetime, duration: float | None) -> dt.datetime | None:
    if started_at is not None or duration is None:
        return started_at
    return ended_at - dt.timedelta(seconds=duration)


def _stays(players: set[int], since: dt.datetime, until: dt.datetime) -> Iterator[tuple[int, Stay]]:
    """Each stay of these players in matches of this time that aren't void, with its player."""
    lasting = Q(started_at__lt=until) | Q(started_at=None, duration__isnull=False)
    matches = Match.objects.filter(lasting, ended_at__gt=since, ended_at__lte=until + _WITHIN)
    # Matches of one time have numbers close to each other. So an index finds the players of these numbers, without
    # reading all that these players ever played.
    numbers = matches.aggregate(first=Min("pk"), last=Max("pk"))
    if numbers["first"] is None:
        return
    void = Void.objects.filter(match=OuterRef("match"), lifted_at=None)
    parts = Participation.objects.filter(
        ~Exists(void),
        match__in=matches,
        match__gte=numbers["first"],
        match__lte=numbers["last"],
        player__in=players,
    )
    for player, left_early, excused, *row in parts.order_by("-match").values_list(*_COLUMNS)[:_MOST_READ]:
        yield player, _stay(*row, gone=left_early or excused)


def _stay(
    match: int,
    started_at: dt.datetime | None,
    ended_at: dt.datetime,
    duration: float | None,
    joined_at: float | None,
    seconds: float | None,
    *,
    gone: bool,
) -> Stay:
    """When a player was surely in a match of known length. `gone`: they went before its end."""
    begun = _started_at(started_at, ended_at, duration) or ended_at
    came = begun + dt.timedelta(seconds=joined_at or 0.0)
    if seconds is None:
        return Stay(match, came, ended_at)
    stayed = dt.timedelta(seconds=seconds)
    late = joined_at is None and not gone  # perhaps
    return Stay(match, max(came, ended_at - stayed) if late else came, min(ended_at, came + stayed))
