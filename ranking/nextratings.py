"""What ratings become when their mode switches to a generation that a replay has written."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from ranking.counting import count_match
from ranking.inserts import insert_rows
from ranking.models import Change, Mode, NextRating, Rating
from ranking.modes import system_of
from ranking.replays import Replay
from ranking.systems.base import State

BLOCK = 500  # ratings a transaction
_FIELDS = [name for name in Rating.RATED_FIELDS if name != "to_publish"]


def prepare(replay: Replay, note: Callable[[], None]) -> Iterator[int]:
    """Prepare the ratings of everybody whose rows the replay wrote or superseded, in blocks.

    `note` is called first in each block's transaction. Yields how many ratings each had.
    """
    affected = _affected(replay).order_by("pk")
    start: int | None = 0
    while start is not None:
        with transaction.atomic():
            note()
            ratings = list(affected.filter(pk__gt=start)[:BLOCK])
            insert_rows([_next_of(rating, replay.mode) for rating in _told_again(ratings, replay)])
        start = ratings[-1].pk if len(ratings) == BLOCK else None
        yield len(ratings)


def _affected(replay: Replay) -> QuerySet[Rating]:
    ratings = Rating.objects.filter(mode=replay.mode)
    if not replay.since:
        return ratings
    own = Change.objects.filter(player=OuterRef("player"), mode=replay.mode, season=OuterRef("season"))
    return ratings.filter(Exists(own.filter(event__gte=replay.since)))


def _told_again(ratings: list[Rating], replay: Replay) -> Iterator[Rating]:
    """These ratings as their rows of the new generation, one after the other, leave them; nothing is saved."""
    system = system_of(replay.versions.versions[-1])
    newcomer = system.to_state(system.newcomer())
    rows = Change.objects.live(replay.generation).filter(
        mode=replay.mode, player__in=[rating.player_id for rating in ratings]
    )
    steps: Any = rows.order_by("player", "season", "event").values_list(
        "player_id", "season_id", "outcome", "display_before", "display_after", "mu_after", "sigma_after",
        "volatility_after", "match__ended_at", "event__forfeit__happened_at",
    )  # fmt: skip
    by_owner: dict[Any, list[Any]] = {
        owner: list(own) for owner, own in itertools.groupby(steps, lambda step: step[:2])
    }
    for rating in ratings:
        told = Rating(pk=rating.pk, mode_id=rating.mode_id, season_id=rating.season_id, reached_at=rating.reached_at)
        told.state = newcomer
        for _, _, outcome, before, *after, ended_at, dropped_at in by_owner.get(
            (rating.player_id, rating.season_id), ()
        ):
            told.state = State(*after)
            if before != told.display_hundredths:
                told.reached_at = ended_at or dropped_at
            if ended_at is not None:
                count_match(told, outcome, ended_at, replay.mode)
        yield told


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
