"""Prepares the ratings that a replay's generation leads to, and switches a mode's ratings to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from django.db import connection, transaction
from django.db.models import Case, Exists, OuterRef, Subquery, Value, When
from django.db.models.functions import Coalesce

from ranking.database.arrays import INTEGER, TIMESTAMP, Column, read_columns
from ranking.database.bulk_writes import insert_rows
from ranking.models import Change, Mode, NextRating, Participation, Rating, Season
from ranking.rerating._counts import Counts
from ranking.rerating._replay import Replay

BLOCK = 500  # ratings a transaction
_FIELDS = [*(name for name in Rating.RATED_FIELDS if name != "to_publish"), "carried"]
_OUTCOMES = (Change.WIN, Change.DRAW, Change.LOSS, Change.LEFT)


def prepare(replay: Replay, note: Callable[[], None], block: int = BLOCK) -> Iterator[int]:
    """Prepare the ratings of everybody whose rows the replay wrote or superseded; yield each block's number of ratings.

    Ratings of archived seasons stay as they are.
    `note` is called first in each block's transaction, which only writes: the rows that are read before it belong to
    a leased mode, so nobody changes them.
    """
    current = replay.rated_players.numbers_in(Season.objects.get(mode=replay.mode, current=True).pk)
    affected = current[(replay.starts.played_on | replay.counts.in_ledger)[current]]
    for start in range(0, max(len(affected), 1), block):
        rated = affected[start : start + block]
        rows = [_next_of(rating, replay.mode) for rating in _new_ratings(rated, replay)]
        with transaction.atomic():
            note()
            insert_rows(rows)
        yield len(rated)


def _new_ratings(rated: Column, replay: Replay) -> list[Rating]:
    """The ratings at these indices as the new generation leaves them; nothing is saved."""
    by_id = Rating.objects.in_bulk(replay.rated_players.ratings[rated].tolist())
    ratings = [by_id[pk] for pk in replay.rated_players.ratings[rated].tolist()]
    counts = _counts_before(ratings, rated, replay).followed_by(replay.counts.take(rated))
    system = replay.versions.systems[-1]
    newcomer = system.to_state(system.newcomer())
    for number, (index, rating) in enumerate(zip(rated.tolist(), ratings, strict=True)):
        rating.state = replay.states[index] if counts.in_ledger[number] else newcomer
        rating.carried = bool(replay.carried[index])
        counts.write(number, rating, replay.mode)
    return ratings


def _counts_before(ratings: list[Rating], rated: Column, replay: Replay) -> Counts:
    """The ratings' counts before the replay's first step.

    A player who has no row since then has the counts of their rating; those of all others are counted from the ledger.
    """
    counts = Counts.of_ratings(ratings)
    played_on = np.flatnonzero(replay.starts.played_on[rated])
    counts.put(played_on, Counts.of_nobody(len(ratings)))
    if replay.since and len(played_on):
        _count_rows(counts, [ratings[number] for number in played_on], played_on, replay)
    return counts


def _count_rows(counts: Counts, ratings: list[Rating], numbers: Column, replay: Replay) -> None:
    """Add to `counts`, at these numbers, the ratings' rows of the ledger from before the replay."""
    rows = Change.objects.live(replay.generation).filter(
        mode=replay.mode, season__current=True, event__lt=replay.since,
        player__in=[rating.player_id for rating in ratings],
    )  # fmt: skip
    part = Participation.objects.filter(match=OuterRef("match"), player=OuterRef("player"))
    columns = read_columns(
        rows.annotate(
            number=Case(*(When(outcome=name, then=Value(at)) for at, name in enumerate(_OUTCOMES)), default=Value(-1)),
            at=Coalesce(
                "match__ended_at", "event__forfeit__happened_at", "event__ended_season__ends_at", "event__happened_at"
            ),
            reset=Case(When(kind__in=(Change.RESET, Change.SEED), then=Value(1)), default=Value(0)),
            place=Subquery(part.values("place")),
            places=Subquery(part.values("places")),
            brief=Case(When(Exists(part.filter(brief=True)), then=Value(1)), default=Value(0)),
        ),
        event_id=INTEGER, season_id=INTEGER, player_id=INTEGER, number=INTEGER, at=TIMESTAMP, display_before=INTEGER,
        display_after=INTEGER, place=INTEGER, places=INTEGER, brief=INTEGER, reset=INTEGER,
    )  # fmt: skip
    number_of = {(rating.season_id, rating.player_id): at for rating, at in zip(ratings, numbers.tolist(), strict=True)}
    pairs = zip(columns["season_id"].tolist(), columns["player_id"].tolist(), strict=True)
    number = np.array([number_of.get(pair, -1) for pair in pairs], np.int64)
    order = np.argsort(columns["event_id"], kind="stable")
    order = order[number[order] >= 0]
    number, columns = number[order], {name: column[order] for name, column in columns.items()}
    matches = np.flatnonzero(columns["number"] >= 0)
    of_match = [columns[name][matches] for name in ("number", "at", "place", "places", "brief")]
    counts.note_matches(number[matches], *of_match)
    moved = (columns["display_before"] != columns["display_after"]) | (columns["reset"] > 0)
    counts.note_moves(number, moved, columns["at"])


def _next_of(rating: Rating, mode: Mode) -> NextRating:
    return NextRating(rating_id=rating.pk, mode_id=mode.pk, **{name: getattr(rating, name) for name in _FIELDS})


def switch_ratings(mode: Mode) -> None:
    """Set the ratings to the prepared ones, in one statement, inside the caller's transaction."""
    changes = ", ".join(f"{name} = prepared.{name}" for name in _FIELDS)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE ranking_rating SET {changes}, to_publish = %s FROM ranking_nextrating AS prepared"  # noqa: S608 - fields
            " WHERE prepared.rating_id = ranking_rating.id AND prepared.mode_id = %s",
            [True, mode.pk],
        )
