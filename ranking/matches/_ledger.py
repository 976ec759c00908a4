"""Rating matches: locks in one order, the sequence, the arithmetic, the ledger's rows.

Results that share no player are rated side by side; those that do wait for each other's rating rows.

Transactions that rate never wait for each other in a circle: each inserts the rows that it needs in one order, and
only then locks ratings, in id order; ranking/database/locks.py has the order of all locks. Under its locks a
transaction may find out that a player has no rating yet, or that a match can't be rated. That is too late: it can't
insert a rating any more, nor leave the match out. So it raises TryAgain with what it found out, and `attempt` runs it
again from the start with all findings so far.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from django.db import IntegrityError
from django.db.models import BigIntegerField, DateTimeField, Exists, OuterRef

from ranking.database.bulk_writes import changed_row, insert_numbered, insert_rows, new_row, update_rows
from ranking.database.prepared_queries import InPlaceholder, Placeholder, PreparedModels, prepare_models
from ranking.database.retries import is_transient, run_retried
from ranking.matches.rating import RatedMatch, rate_match, unrated_match
from ranking.matches.records import MatchRecord
from ranking.models import Ban, Change, Event, Match, OutboxEntry, Participation, Player, Rating
from ranking.modes.mode_states import FIELDS as LEARNING_FIELDS
from ranking.modes.mode_states import learnings_of
from ranking.modes.parameters import Rules
from ranking.modes.season_entries import first_ratings
from ranking.operations.outbox import entries_of
from ranking.rules.report import BadReport
from ranking.standings.match_standings import PublishedBoard
from ranking.systems.base import Refused

Pair = tuple[int, int]  # the ids of a mode and of a player
Entrants = Mapping[Pair, tuple[Player, str]]  # each with the region that a new rating gets
Ratings = dict[Pair, Any]  # each rating knows whether its player is `banned` from boards
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Findings:
    """What attempts of a transaction found out too late.

    `unrated`: who may have no rating yet. `refused`: why reports can't be recorded, by their index in the batch.
    """

    unrated: frozenset[Pair] = frozenset()
    refused: Mapping[int, BadReport] = field(default_factory=dict)

    def __or__(self, other: Findings) -> Findings:
        return Findings(self.unrated | other.unrated, {**self.refused, **other.refused})


class TryAgain(Exception):
    """The transaction must be rolled back and run again, with these findings from the start."""

    def __init__(self, findings: Findings) -> None:
        super().__init__()
        self.findings = findings


class Unratable(Exception):
    """The system refused the match of `record`; the caller's transaction must be rolled back."""

    def __init__(self, record: MatchRecord, reason: Refused) -> None:
        super().__init__(str(reason))
        self.record, self.reason = record, reason


def attempt(transaction: Callable[[Findings], T]) -> T:
    """Run a transaction until it succeeds: again after each TryAgain, and up to three times after lost races."""
    findings = Findings()
    while True:
        try:
            return run_retried(functools.partial(transaction, findings), _may_succeed)
        except TryAgain as again:
            findings |= again.findings  # more each time, so this ends


def _may_succeed(error: Exception) -> bool:
    """True if a retry may succeed: another writer inserted the same row first, or the error is transient."""
    return isinstance(error, IntegrityError) or is_transient(error)


def record_matches(
    records: Sequence[MatchRecord], rules: Mapping[int, Rules], *, now: dt.datetime, unrated: Collection[Pair]
) -> list[MatchRecord]:
    """Write new matches inside the caller's transaction. Those that count and don't wait are rated, in the order given.

    `rules` by mode id. Returns the records as they are written: those that are rated, then the others. Raises
    Unratable. `unrated` and TryAgain: see lock_ratings.
    """
    to_rate = [record for record in records if _is_rated_now(record.match, rules)]
    waiting = [record for record in records if not _is_rated_now(record.match, rules)]
    unrated_matches = []
    for record in waiting:
        with _naming(record):
            unrated_matches.append(unrated_match(record, rules[record.match.mode_id]))
    rated = _rate(to_rate, rules, now, unrated)
    new = [*rated.matches, *unrated_matches]
    matches = insert_numbered([one.match for one in new])
    written = list(map(_record_of, [*to_rate, *waiting], new, matches))
    insert_rows([part for record in written for part in record.parts])
    _write_ratings(rated, written)
    return written


def rate_matches(records: Sequence[MatchRecord], rules: Rules, *, now: dt.datetime, unrated: Collection[Pair]) -> None:
    """Rate matches of one mode that were recorded only, in the order given, inside the caller's transaction.

    Raises Unratable. `unrated` and TryAgain: see lock_ratings.
    """
    rated = _rate(records, {rules.mode.pk: rules}, now, unrated)
    matches = [one.match for one in rated.matches]
    written = list(map(_record_of, records, rated.matches, matches))
    update_rows(matches, ["event", "season", "late", *LEARNING_FIELDS])
    update_rows(
        [part for record in written for part in record.parts if _has_standing(part)], Participation.STANDING_FIELDS
    )
    _write_ratings(rated, written)


@dataclass(frozen=True, slots=True)
class _Rated:
    """Matches as they are rated, their players' ratings after the last of them, and the work that follows."""

    matches: list[RatedMatch]
    ratings: list[Rating]
    entries: list[OutboxEntry]


def _rate(
    records: Sequence[MatchRecord], rules: Mapping[int, Rules], now: dt.datetime, unrated: Collection[Pair]
) -> _Rated:
    """Rate matches in the order given. Of the results, nothing is written but their places in the sequence."""
    if not records:
        return _Rated([], [], [])
    ratings = lock_ratings(_entrants_of(records), rules, unrated, now)
    # The tables are read under the locks: no publication changes these ratings between the two.
    modes = {record.match.mode_id for record in records}
    boards = {mode_id: PublishedBoard.of(rules[mode_id].mode, rules[mode_id].season_id, now) for mode_id in modes}
    learnings = learnings_of(rules, modes)
    events = insert_numbered(
        [new_row(Event, mode_id=record.match.mode_id, kind=Event.MATCH, happened_at=now) for record in records]
    )
    rated = []
    for record, event in zip(records, events, strict=True):
        mode_id, learning = record.match.mode_id, learnings.get(record.match.mode_id)
        own = [ratings[mode_id, part.player_id] for part in record.parts]
        with _naming(record):
            match = rate_match(record, own, event, rules[mode_id], boards[mode_id], learning)
        ratings |= {(mode_id, rating.player_id): rating for rating in match.ratings}
        if learning is not None:
            learnings[mode_id] = learning.after(match.match)
        rated.append(match)
    taken = frozenset[int]().union(*(learning.taken for learning in learnings.values()))
    return _Rated([_taught(match, taken) for match in rated], list(ratings.values()), entries_of(events, now))


@contextmanager
def _naming(record: MatchRecord) -> Iterator[None]:
    """Name the match that a system refuses."""
    try:
        yield
    except Refused as reason:
        raise Unratable(record, reason) from reason


def _taught(rated: RatedMatch, taken: Collection[int]) -> RatedMatch:
    """The match, which teaches nothing any more if its sequence is among those that a state has taken."""
    if rated.match.event_id not in taken:
        return rated
    return replace(rated, match=changed_row(rated.match, to_learn=False))


def _is_rated_now(match: Match, rules: Mapping[int, Rules]) -> bool:
    return not match.is_void and not rules[match.mode_id].waits(match.ended_at)


def _record_of(record: MatchRecord, rated: RatedMatch, match: Match) -> MatchRecord:
    """The record as it is written: `rated`, of the match, which has its id."""
    return MatchRecord(
        match,
        [
            changed_row(part, match_id=match.pk, **standing)
            for part, standing in zip(record.parts, rated.standings, strict=True)
        ],
        [new_row(Change, {"parameters": rated.parameters}, match_id=match.pk, **columns) for columns in rated.changes],
    )


def _write_ratings(rated: _Rated, records: Sequence[MatchRecord]) -> None:
    """Write what rating changes beside the matches, whose records have their ids."""
    insert_rows([change for record in records for change in record.changes])
    update_rows(rated.ratings, Rating.RATED_FIELDS)
    insert_rows(rated.entries)


def _has_standing(part: Participation) -> bool:
    """True if there is a standing to write: none is there before a match is rated, nor without a published board."""
    return part.rank_before is not None or part.rank_after is not None


def _entrants_of(records: Sequence[MatchRecord]) -> Entrants:
    """The players of matches by mode and player, each with the region of the first match that they played."""
    return {
        (record.match.mode_id, part.player_id): (part.player, record.match.region)
        for record in reversed(records)
        for part in record.parts
    }


def lock_ratings(
    entrants: Entrants, rules: Mapping[int, Rules], unrated: Collection[Pair], now: dt.datetime
) -> Ratings:
    """Lock the ratings of these players in id order, and return them. `rules` by mode id.

    `unrated`: who may have no rating yet. Theirs are inserted first, in key order. TryAgain is raised if others turn
    out to have none.
    """
    if new := entrants.keys() & set(unrated):
        _insert_ratings(sorted(new, key=lambda pair: (pair[0], entrants[pair][0].key)), entrants, rules, now)
    players = {player_id for _, player_id in entrants}
    seasons = {rules[mode_id].season_id for mode_id, _ in entrants}
    rows = _locking_query().objects(players=players, seasons=seasons, now=now)
    ratings = {pair: row for row in rows if (pair := (row.mode_id, row.player_id)) in entrants}
    if missing := entrants.keys() - ratings.keys():
        raise TryAgain(Findings(unrated=frozenset(missing)))
    return ratings


def _insert_ratings(pairs: Sequence[Pair], entrants: Entrants, rules: Mapping[int, Rules], now: dt.datetime) -> None:
    """Insert the ratings with which these players enter their season, and the resets of those who return.

    If another transaction inserts the same, it has the same values, and those of one stay.
    """
    regions: dict[int, dict[int, str]] = {}
    for mode_id, player_id in pairs:
        regions.setdefault(mode_id, {})[player_id] = entrants[mode_id, player_id][1]
    entering = [first_ratings(own, rules[mode_id], now) for mode_id, own in regions.items()]
    insert_rows([rating for ratings, _ in entering for rating in ratings], ignore_conflicts=True)
    insert_rows([reset for _, resets in entering for reset in resets], ignore_conflicts=True)


@functools.cache
def _locking_query() -> PreparedModels[Rating]:
    key = BigIntegerField()
    banned = Ban.objects.running(Placeholder("now", DateTimeField())).from_boards().filter(player=OuterRef("player"))
    rows = Rating.objects.filter(InPlaceholder("player", "players", key), InPlaceholder("season", "seasons", key))
    return prepare_models(rows.annotate(banned=Exists(banned)).select_for_update(of=("self",)).order_by("id"))
