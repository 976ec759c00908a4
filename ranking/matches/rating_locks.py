"""Locks on ratings, and the retry protocol that they take.

Transactions that rate never wait for each other in a circle: each inserts the rows that it needs in one order, and
only then locks ratings, in id order; ranking/database/locks.py has the order of all locks. Under its locks a
transaction may find out that a player has no rating yet, or that a match can't be rated. That is too late: it can't
insert a rating any more, nor leave the match out. So it notes what it found in an argument that outlives it and raises
TryAgain; `attempt` runs it again from the start.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.db import IntegrityError
from django.db.models import BigIntegerField, DateTimeField, Exists, OuterRef

from ranking.database.bulk_writes import insert_rows, new_row
from ranking.database.prepared_queries import InPlaceholder, Placeholder, PreparedModels, prepare_models
from ranking.database.retries import is_transient, run_retried
from ranking.models import Ban, Change, Player, Rating
from ranking.modes.parameters import Rules
from ranking.modes.season_entries import find_entries, reset_row

Pair = tuple[int, int]  # the ids of a mode and of a player
Entrants = Mapping[Pair, tuple[Player, str]]  # each with the region that a new rating gets
Ratings = dict[Pair, Any]  # each rating knows whether its player is `banned` from boards
T = TypeVar("T")


class TryAgain(Exception):
    """The transaction must be rolled back and run again; it has noted what it must know from the start."""


def attempt(transaction: Callable[[], T]) -> T:
    """Run a transaction until it succeeds: again after each TryAgain, and up to three times after lost races."""
    while True:
        try:
            return run_retried(transaction, _may_succeed)
        except TryAgain:
            continue  # it knows more each time, so this ends


def _may_succeed(error: Exception) -> bool:
    """True if a retry may succeed: another writer inserted the same row first, or the error is transient."""
    return isinstance(error, IntegrityError) or is_transient(error)


def lock_ratings(entrants: Entrants, rules: Mapping[int, Rules], unrated: set[Pair], now: dt.datetime) -> Ratings:
    """Lock the ratings of these players in id order, and return them. `rules` by mode id.

    `unrated`: who may have no rating yet. Theirs are inserted first, in key order. Others who turn out to have none
    are added to `unrated`, and TryAgain is raised.
    """
    if new := entrants.keys() & unrated:
        _insert_ratings(sorted(new, key=lambda pair: (pair[0], entrants[pair][0].key)), entrants, rules, now)
    players = {player_id for _, player_id in entrants}
    seasons = {rules[mode_id].season_id for mode_id, _ in entrants}
    rows = _locking_query().objects(players=players, seasons=seasons, now=now)
    ratings = {pair: row for row in rows if (pair := (row.mode_id, row.player_id)) in entrants}
    if missing := entrants.keys() - ratings.keys():
        unrated |= missing
        raise TryAgain
    return ratings


def _insert_ratings(pairs: list[Pair], entrants: Entrants, rules: Mapping[int, Rules], now: dt.datetime) -> None:
    """Insert ratings of newcomers, and of players from earlier seasons with their resets.

    If another transaction inserts the same, it has the same values, and those of one stay.
    """
    ratings: list[Rating] = []
    resets: list[Change] = []
    entries = {
        mode_id: find_entries([player for mode, player in pairs if mode == mode_id], rules[mode_id])
        for mode_id in {mode for mode, _ in pairs}
    }
    for mode_id, player_id in pairs:
        (player, region), mode_rules = entrants[mode_id, player_id], rules[mode_id]
        system, season = mode_rules.system, mode_rules.season_id
        rating = new_row(
            Rating, player_id=player.pk, mode_id=mode_id, season_id=season, region=region, reached_at=now,
            recent_completions=[],
        )  # fmt: skip
        if (entry := entries[mode_id].get(player_id)) is None:
            rating.state = system.to_state(system.newcomer())
        else:
            rating.state, rating.carried, rating.reached_at = entry.after, entry.carried, entry.end.at
            resets.append(reset_row(player_id, entry, mode_rules))
        ratings.append(rating)
    insert_rows(ratings, ignore_conflicts=True)
    insert_rows(resets, ignore_conflicts=True)


@functools.cache
def _locking_query() -> PreparedModels[Rating]:
    key = BigIntegerField()
    banned = Ban.objects.running(Placeholder("now", DateTimeField())).from_boards().filter(player=OuterRef("player"))
    rows = Rating.objects.filter(InPlaceholder("player", "players", key), InPlaceholder("season", "seasons", key))
    return prepare_models(rows.annotate(banned=Exists(banned)).select_for_update(of=("self",)).order_by("id"))
