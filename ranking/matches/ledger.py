"""Rating matches: locks in one order, the sequence, the arithmetic, the ledger's rows.

Results that share no player are rated side by side; those that do wait for each other's rating rows.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ranking.database.bulk_writes import insert_rows, new_row, update_rows
from ranking.matches.leaves import leaves_of
from ranking.matches.rating import check_ratable, rate_record
from ranking.matches.rating_locks import Entrants, Pair, Ratings, lock_ratings
from ranking.matches.records import MatchRecord
from ranking.models import Change, Event, OutboxEntry, Participation, Rating
from ranking.models.change import states_of
from ranking.modes.mode_states import FIELDS as LEARNING_FIELDS
from ranking.modes.mode_states import Learning, learnings_of
from ranking.modes.parameters import Rules
from ranking.operations.outbox import entries_of
from ranking.standings.activity import count_match
from ranking.standings.match_standings import PublishedBoard, note_standing, standings_now
from ranking.standings.snapshots import newest_table
from ranking.systems.base import Refused


class Unratable(Exception):
    """The system refused the match of `record`; the caller's transaction must be rolled back."""

    def __init__(self, record: MatchRecord, reason: Refused) -> None:
        super().__init__(str(reason))
        self.record, self.reason = record, reason


def rate_matches(
    records: Sequence[MatchRecord],
    rules: Mapping[int, Rules],
    *,
    now: dt.datetime,
    unrated: set[Pair],
) -> None:
    """Rate matches in the order given, inside the caller's transaction; `rules` by mode id.

    Writes matches (new ones, or those that were recorded only), participations with the standings right before and
    after, changes, ratings, and an outbox row for each consumer. Raises Unratable. `unrated` and TryAgain: see
    lock_ratings.
    """
    if not records:
        return
    ratings = lock_ratings(_entrants_of(records), rules, unrated, now)
    # The tables are read under the locks: no publication changes these ratings between the two.
    boards = {
        mode_id: PublishedBoard(rules[mode_id].mode, newest_table(mode_id, rules[mode_id].season_id), now)
        for mode_id in {record.match.mode_id for record in records}
    }
    learnings = learnings_of(rules, {record.match.mode_id for record in records})
    events = [new_row(Event, mode_id=record.match.mode_id, kind=Event.MATCH, happened_at=now) for record in records]
    insert_rows(events, returning=True)
    for record, event in zip(records, events, strict=True):
        mode_id = record.match.mode_id
        try:
            learning = learnings.get(mode_id)
            record.changes = _rate_between(record, event, rules[mode_id], ratings, boards[mode_id], learning)
        except Refused as reason:
            raise Unratable(record, reason) from reason
    _write(records, ratings, entries_of(events, now))


def _entrants_of(records: Sequence[MatchRecord]) -> Entrants:
    """The players of matches by mode and player, each with the region of the first match that they played."""
    return {
        (record.match.mode_id, part.player_id): (part.player, record.match.region)
        for record in reversed(records)
        for part in record.parts
    }


def _rate_between(
    record: MatchRecord,
    event: Event,
    rules: Rules,
    ratings: Ratings,
    board: PublishedBoard,
    learning: Learning | None,
) -> list[Change]:
    """Rate a match, and set the standings of its players right before and right after it."""
    entrants = [(part.player, ratings[rules.mode.pk, part.player_id]) for part in record.parts]
    for part, standing in zip(record.parts, standings_now(board, entrants), strict=True):
        note_standing(part, "before", standing)
    changes = list(_rate(record, event, rules, [rating for _, rating in entrants], learning))
    for part, standing in zip(record.parts, standings_now(board, entrants), strict=True):
        note_standing(part, "after", standing)
    return changes


def _rate(
    record: MatchRecord, event: Event, rules: Rules, own: Sequence[Any], learning: Learning | None
) -> Iterator[Change]:
    """Yield the change of each player of a match, after setting the new rating in `own`, in roster order."""
    match = record.match
    befores = [rating.state for rating in own]
    last_played, matches = [rating.last_match_at for rating in own], [rating.known_matches for rating in own]
    system = rules.system if learning is None else learning.system
    rated = rate_record(record, befores, system, last_played, matches)
    match.event, match.season_id = event, rules.season_id
    if learning is not None:
        learning.note(match, rated.result)
    match.late = rules.is_straggler(match.ended_at) or any(
        rating.last_match_at is not None and rating.last_match_at > match.ended_at for rating in own
    )
    moves = zip(befores, rated.states, rated.outcomes, strict=True)
    for part, rating, (before, after, outcome) in zip(record.parts, own, moves, strict=True):
        if after.display_hundredths != before.display_hundredths:
            rating.reached_at = match.ended_at
        rating.state = after
        rating.to_publish = True
        count_match(rating, part, outcome, match.ended_at, rules.mode)
        yield new_row(
            Change,
            {"parameters": rules.parameters},
            kind=Change.MATCH,
            event_id=event.pk,
            player_id=part.player_id,
            mode_id=match.mode_id,
            season_id=rules.season_id,
            generation=rules.mode.generation,
            parameters_id=rules.parameters.pk,
            outcome=outcome,
            win_probability=rated.chances[part.team],
            **states_of(before, after),
        )


def record_matches(records: Sequence[MatchRecord], rules: Mapping[int, Rules]) -> None:
    """Write new matches, participations and leaves that will be rated later, inside the caller's transaction.

    `rules` by mode id. Raises Unratable, as rating a match would.
    """
    for record in records:
        try:
            check_ratable(record, rules[record.match.mode_id].system)
        except Refused as reason:
            raise Unratable(record, reason) from reason
    _insert_matches(records)
    _insert_parts(records)


def _insert_matches(records: Sequence[MatchRecord]) -> None:
    insert_rows([record.match for record in records], returning=True)
    for record in records:
        for part in record.parts:
            part.match_id = record.match.pk


def _insert_parts(records: Sequence[MatchRecord]) -> None:
    insert_rows([part for record in records for part in record.parts])
    insert_rows([leave for record in records for leave in leaves_of(record)])


def _write(records: Sequence[MatchRecord], ratings: Ratings, entries: Sequence[OutboxEntry]) -> None:
    recorded = [record for record in records if record.match.pk is not None]
    fresh = [record for record in records if record.match.pk is None]
    _insert_matches(fresh)
    update_rows([record.match for record in recorded], ["event", "season", "late", *LEARNING_FIELDS])
    parts = (part for record in recorded for part in record.parts)
    update_rows([part for part in parts if _has_standing(part)], Participation.STANDING_FIELDS)
    for record in records:
        for change in record.changes:
            change.match_id = record.match.pk
    _insert_parts(fresh)
    insert_rows([change for record in records for change in record.changes])
    update_rows(list(ratings.values()), Rating.RATED_FIELDS)
    insert_rows(entries)


def _has_standing(part: Participation) -> bool:
    """True if there is a standing to write: none is there before a match is rated, nor without a published board."""
    return part.rank_before is not None or part.rank_after is not None
