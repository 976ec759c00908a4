"""What ratings become when their mode switches to a generation that a replay has written."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from django.db import connection, transaction
from django.db.models import Case, Value, When
from django.db.models.functions import Coalesce

from ranking.database.arrays import INTEGER, TIMESTAMP, Column, read_columns
from ranking.database.bulk_writes import insert_rows
from ranking.models import Change, Mode, NextRating, Rating
from ranking.rerating.counts import Counts
from ranking.rerating.replay import Replay

BLOCK = 500  # ratings a transaction
_FIELDS = [name for name in Rating.RATED_FIELDS if name != "to_publish"]
_OUTCOMES = (Change.WIN, Change.DRAW, Change.LOSS, Change.LEFT)


def prepare(replay: Replay, note: Callable[[], None], block: int = BLOCK) -> Iterator[int]:
    """Prepare the ratings of everybody whose rows the replay wrote or superseded, in blocks.

    `note` is called first in each block's transaction, which only writes: what is read belongs to a leased mode and
    stays as it is. Yields how many ratings each had.
    """
    affected = np.flatnonzero(replay.starts.played_on | replay.tally.told)
    for start in range(0, max(len(affected), 1), block):
        owners = affected[start : start + block]
        told = [_next_of(rating, replay.mode) for rating in _told_again(owners, replay)]
        with transaction.atomic():
            note()
            insert_rows(told)
        yield len(owners)


def _told_again(owners: Column, replay: Replay) -> list[Rating]:
    """These owners' ratings as the new generation leaves them; nothing is saved."""
    ratings = Rating.objects.in_bulk(replay.owners.ratings[owners].tolist())
    told = [ratings[pk] for pk in replay.owners.ratings[owners].tolist()]
    tally = _before(told, owners, replay).followed_by(replay.tally.take(owners))
    system = replay.versions.systems[-1]
    newcomer = system.to_state(system.newcomer())
    for number, (owner, rating) in enumerate(zip(owners.tolist(), told, strict=True)):
        rating.state = replay.states[owner] if tally.told[number] else newcomer
        tally.write(number, rating, replay.mode)
    return told


def _before(ratings: list[Rating], owners: Column, replay: Replay) -> Counts:
    """What they count from before the replay: what their rating says, less what they have played on since."""
    tally = Counts.of_ratings(ratings)
    played_on = np.flatnonzero(replay.starts.played_on[owners])
    blank = Counts.of_nobody(len(ratings))
    tally.put(played_on, blank)
    if replay.since and len(played_on):
        _count_rows(tally, [ratings[number] for number in played_on], played_on, replay)
    return tally


def _count_rows(tally: Counts, ratings: list[Rating], numbers: Column, replay: Replay) -> None:
    """Count the rows of the ledger from before the replay, of the owners with these numbers in the tally."""
    rows = Change.objects.live(replay.generation).filter(
        mode=replay.mode, event__lt=replay.since, player__in=[rating.player_id for rating in ratings]
    )
    found = read_columns(
        rows.annotate(
            number=Case(*(When(outcome=name, then=Value(at)) for at, name in enumerate(_OUTCOMES)), default=Value(-1)),
            at=Coalesce("match__ended_at", "event__forfeit__happened_at"),
        ),
        event_id=INTEGER, season_id=INTEGER, player_id=INTEGER, number=INTEGER, at=TIMESTAMP, display_before=INTEGER,
        display_after=INTEGER,
    )  # fmt: skip
    owner_of = {(rating.season_id, rating.player_id): at for rating, at in zip(ratings, numbers.tolist(), strict=True)}
    pairs = zip(found["season_id"].tolist(), found["player_id"].tolist(), strict=True)
    owner = np.array([owner_of.get(pair, -1) for pair in pairs], np.int64)
    order = np.argsort(found["event_id"], kind="stable")
    order = order[owner[order] >= 0]
    owner, found = owner[order], {name: column[order] for name, column in found.items()}
    matches = np.flatnonzero(found["number"] >= 0)
    tally.note_matches(owner[matches], found["number"][matches], found["at"][matches])
    tally.note_moves(owner, found["display_before"] != found["display_after"], found["at"])


def _next_of(rating: Rating, mode: Mode) -> NextRating:
    return NextRating(rating_id=rating.pk, mode_id=mode.pk, **{name: getattr(rating, name) for name in _FIELDS})


def switch_ratings(mode: Mode) -> None:
    """Make the ratings what was prepared, in one statement, inside the caller's transaction."""
    changes = ", ".join(f"{name} = prepared.{name}" for name in _FIELDS)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE ranking_rating SET {changes}, to_publish = %s FROM ranking_nextrating AS prepared"  # noqa: S608 - fields
            " WHERE prepared.rating_id = ranking_rating.id AND prepared.mode_id = %s",
            [True, mode.pk],
        )
