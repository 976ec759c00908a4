"""Rating matches: locks in one order, the sequence, the arithmetic, the ledger's rows.

Results that share no player are rated side by side; those that do wait for each other's rating rows.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from django.db.models import BigIntegerField, DateTimeField, Exists, OuterRef

from ranking.database.bulk_writes import insert_rows, new_row, update_rows
from ranking.database.prepared_queries import InPlaceholder, Placeholder, PreparedModels, pipeline, prepare_models
from ranking.matches.leaves import leaves_of
from ranking.matches.records import MatchRecord, rate_record
from ranking.models import Ban, Change, Event, Match, OutboxEntry, Participation, Player, Rating
from ranking.modes.parameters import Rules
from ranking.rules.rank_table import RankTable
from ranking.standings.activity import count_match
from ranking.standings.snapshots import ask_newest_table
from ranking.systems.base import Refused, State

Wanted = Mapping[tuple[int, int], tuple[Player, str]]  # who by mode and player, and the region of a newcomer
Ratings = dict[tuple[int, int], Any]  # by mode and player; each rating knows whether they are `banned` from boards
_STANDING = ["rank_before", "percentile_before", "listed_before", "rank_after", "percentile_after", "listed_after"]


class Unratable(Exception):
    """The system refused the play at `index`; the caller's transaction must be rolled back."""

    def __init__(self, index: int, reason: Refused) -> None:
        super().__init__(str(reason))
        self.index, self.reason = index, reason


class Unrated(Exception):
    """These (mode, player) have no rating yet: the caller's transaction must be rolled back and tried with them.

    Rows are inserted before any is locked, or two results could wait for each other.
    """

    def __init__(self, pairs: set[tuple[int, int]]) -> None:
        super().__init__(f"{len(pairs)} ratings are missing.")
        self.pairs = pairs


@dataclass(frozen=True, slots=True)
class _Board:
    """A mode as it is being rated: its rules and the rank table in force."""

    rules: Rules
    table: RankTable | None
    now: dt.datetime


def rate_matches(
    plays: Sequence[MatchRecord],
    rules: Mapping[int, Rules],
    *,
    now: dt.datetime,
    unrated: Set[tuple[int, int]] = frozenset(),
    consumers: Sequence[str] = (),
) -> None:
    """Rate matches in the order given, inside the caller's transaction; `rules` by mode id.

    Writes matches (new ones, or those that were recorded only), participations with the ranks published at `now`,
    changes, ratings, and an outbox row for each consumer. `unrated`: the (mode, player) that may have no rating yet.
    Raises Unratable, and Unrated where others have none.
    """
    wanted = {
        (play.match.mode_id, part.player_id): (part.player, play.match.region) for play in plays for part in play.parts
    }
    events = [Event(mode=play.match.mode, kind=Event.MATCH, happened_at=now) for play in plays]
    modes = {play.match.mode_id for play in plays}
    _insert_newcomers(wanted, rules, unrated, now)
    with pipeline():
        locked = _ask_locked(wanted, rules, now)
        # The tables are read under the locks: no publication changes these rows between them and these.
        tables = {mode_id: ask_newest_table(mode_id, rules[mode_id].season_id) for mode_id in modes}
        insert_rows(events, returning=True)
    ratings = locked()
    boards = {mode_id: _Board(rules[mode_id], table(), now) for mode_id, table in tables.items()}
    for index, (play, event) in enumerate(zip(plays, events, strict=True)):
        try:
            play.changes = list(_rate(play, event, boards[play.match.mode_id], ratings))
        except Refused as reason:
            raise Unratable(index, reason) from reason
    entries = [OutboxEntry(consumer=consumer, event=event, due_at=now) for event in events for consumer in consumers]
    _write(plays, ratings, entries)


def lock_ratings(
    wanted: Wanted, rules: Mapping[int, Rules], unrated: Set[tuple[int, int]], now: dt.datetime
) -> Ratings:
    """Ratings by mode and player, locked in id order; missing ones are first inserted in key order, with a region.

    Raises Unrated where there are none of others than `unrated`.
    """
    _insert_newcomers(wanted, rules, unrated, now)
    return _ask_locked(wanted, rules, now)()


def _insert_newcomers(
    wanted: Wanted, rules: Mapping[int, Rules], unrated: Set[tuple[int, int]], now: dt.datetime
) -> None:
    new = sorted(wanted.keys() & unrated, key=lambda pair: (pair[0], wanted[pair][0].key))
    if new:
        newcomers = [_newcomer(*wanted[pair], rules[pair[0]], now) for pair in new]
        Rating.objects.bulk_create(newcomers, ignore_conflicts=True)


def _ask_locked(wanted: Wanted, rules: Mapping[int, Rules], now: dt.datetime) -> Callable[[], Ratings]:
    """Ask for ratings with locks; what is returned gives them, or raises Unrated."""
    players = {player_id for _, player_id in wanted}
    seasons = {rules[mode_id].season_id for mode_id, _ in wanted}
    found = _locking().ask(players=players, seasons=seasons, now=now)

    def locked() -> Ratings:
        ratings = {(row.mode_id, row.player_id): row for row in found() if (row.mode_id, row.player_id) in wanted}
        if missing := wanted.keys() - ratings.keys():
            raise Unrated(missing)
        return ratings

    return locked


@functools.cache
def _locking() -> PreparedModels[Rating]:
    whole = BigIntegerField()
    banned = Ban.objects.running(Placeholder("now", DateTimeField())).from_boards().filter(player=OuterRef("player"))
    rows = Rating.objects.filter(InPlaceholder("player", "players", whole), InPlaceholder("season", "seasons", whole))
    return prepare_models(rows.annotate(banned=Exists(banned)).select_for_update(of=("self",)).order_by("id"))


def _newcomer(player: Player, region: str, rules: Rules, now: dt.datetime) -> Rating:
    rating = Rating(player=player, mode=rules.mode, season_id=rules.season_id, region=region, reached_at=now)
    rating.state = rules.system.to_state(rules.system.newcomer())
    return rating


def _rate(play: MatchRecord, event: Event, board: _Board, ratings: Ratings) -> Iterator[Change]:
    match, rules = play.match, board.rules
    seats = [ratings[rules.mode.pk, part.player_id] for part in play.parts]
    befores = [seat.state for seat in seats]
    rated = rate_record(play, befores, rules.system, [seat.last_match_at for seat in seats])
    match.event, match.season_id = event, rules.season_id
    match.late = any(seat.last_match_at is not None and seat.last_match_at > match.ended_at for seat in seats)
    moves = zip(befores, rated.states, rated.outcomes, strict=True)
    for part, rating, (before, after, outcome) in zip(play.parts, seats, moves, strict=True):
        part.rank_before, part.percentile_before, part.listed_before = _standing(rating, part, board)
        if after.display_hundredths != before.display_hundredths:
            rating.reached_at = match.ended_at
        rating.state = after
        rating.to_publish = True
        count_match(rating, outcome, match.ended_at, rules.mode)
        part.rank_after, part.percentile_after, part.listed_after = _standing(rating, part, board)
        change = new_row(
            Change,
            kind=Change.MATCH,
            event_id=event.pk,
            player_id=part.player_id,
            mode_id=match.mode_id,
            season_id=rules.season_id,
            generation=rules.mode.generation,
            outcome=outcome,
            win_probability=rated.chances[part.team],
            **states_of(before, after),
        )
        change.parameters = rules.parameters
        yield change


def _standing(rating: Any, part: Participation, board: _Board) -> tuple[int, int, int] | tuple[None, None, None]:
    """Rank, percentile and number listed that the live rating has on the board as published."""
    ranked = rating.completed >= board.rules.mode.placement_matches and rating.is_active(board.now)
    if board.table is None or not ranked or rating.banned or part.player.hidden_at is not None:
        return None, None, None
    own = rating.published_hundredths if rating.listed else None
    standing = board.table.standing(rating.display_hundredths, excluding=own)
    return standing.rank, standing.percentile, standing.listed


def states_of(before: State, after: State) -> dict[str, float | None]:
    """The columns of a change that hold these states."""
    return {
        "display_before": before.display_hundredths,
        "mu_before": before.mu,
        "sigma_before": before.sigma,
        "volatility_before": before.volatility,
        "display_after": after.display_hundredths,
        "mu_after": after.mu,
        "sigma_after": after.sigma,
        "volatility_after": after.volatility,
    }


def record_matches(plays: Sequence[MatchRecord]) -> None:
    """Save matches, participations and who left, to be rated later, inside the caller's transaction."""
    _insert_matches(plays)
    _insert_parts(plays)


def _insert_matches(plays: Sequence[MatchRecord]) -> None:
    insert_rows([play.match for play in plays], returning=True)
    for play in plays:
        for part in play.parts:
            part.match_id = play.match.pk


def _insert_parts(plays: Sequence[MatchRecord]) -> None:
    insert_rows([part for play in plays for part in play.parts])
    insert_rows([leave for play in plays for leave in leaves_of(play)])


def _write(plays: Sequence[MatchRecord], ratings: Ratings, entries: Sequence[OutboxEntry]) -> None:
    recorded = [play for play in plays if play.match.pk is not None]
    fresh = [play for play in plays if play.match.pk is None]
    _insert_matches(fresh)
    if recorded:
        Match.objects.bulk_update([play.match for play in recorded], ["event", "season", "late"])
        Participation.objects.bulk_update([part for play in recorded for part in play.parts], _STANDING)
    for play in plays:
        for change in play.changes:
            change.match_id = play.match.pk
    with pipeline():
        _insert_parts(fresh)
        insert_rows([change for play in plays for change in play.changes])
        update_rows(list(ratings.values()), Rating.RATED_FIELDS)
        insert_rows(entries)
