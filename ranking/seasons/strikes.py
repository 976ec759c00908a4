"""Strikes: a moderator takes medal and reward of an archived season from a player.

The archive stays as it is: the player keeps their row, shown as struck, and nobody's rank moves. A strike is lifted
again in the same way.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import DateTimeField, F, OuterRef, QuerySet, Value
from django.db.models.functions import Greatest

from ranking import hooks
from ranking.database import locks
from ranking.database.bulk_writes import insert_rows
from ranking.database.retries import retried
from ranking.models import Mode, Player, Rating, Season, Strike
from ranking.operations.audit import check_reason, record_acts


class StrikeRefused(Exception):
    """A player can't be struck so; the message is a sentence for the moderator."""


@retried
@transaction.atomic
def strike_ratings(
    ratings: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Rating]:
    """Strike the players of these ratings from the seasons of the ratings. Return the ratings newly struck.

    `ratings`: ids. The player reads `reason`; only moderators read `note`. Raises StrikeRefused if a season isn't
    archived; ValueError without a reason.
    """
    check_reason(reason)
    locked = _lock(ratings)
    for rating in locked:
        if rating.season.state != Season.ARCHIVED:
            raise StrikeRefused(
                f"{rating.season.name} of {rating.mode.name} isn't over; players are struck from archived seasons."
            )
    struck = struck_among(rating.pk for rating in locked)
    new = [rating for rating in locked if rating.pk not in struck]
    insert_rows([Strike(rating=rating, struck_at=now, by=by, reason=reason, note=note) for rating in new])
    _record(new, "strike", hooks.STRUCK, by=by, reason=reason, note=note, now=now)
    return new


@retried
@transaction.atomic
def lift_strikes(
    ratings: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Rating]:
    """Lift the strikes of these ratings: medals and rewards count again. Return the ratings that were struck.

    `ratings`: ids. Raises ValueError without a reason.
    """
    check_reason(reason)
    locked = _lock(ratings)
    struck = struck_among(rating.pk for rating in locked)
    lifted = [rating for rating in locked if rating.pk in struck]
    Strike.objects.filter(rating__in=struck, lifted_at=None).update(
        lifted_at=Greatest(Value(now, DateTimeField()), F("struck_at")), lifted_by=by, lift_reason=reason,
        lift_note=note,
    )  # fmt: skip
    _record(lifted, "lift strike", hooks.RESTORED, by=by, reason=reason, note=note, now=now)
    return lifted


def struck_among(ratings: Iterable[int]) -> set[int]:
    """Those of these ratings, by id, whose players are struck from the season. One query."""
    return set(Strike.objects.filter(rating__in=list(ratings), lifted_at=None).values_list("rating", flat=True))


def strike_in_force() -> QuerySet[Strike]:
    """The strike of the rating that the outer query reads: for Exists and Subquery."""
    return Strike.objects.filter(rating=OuterRef("pk"), lifted_at=None)


def _lock(ratings: Iterable[int]) -> list[Rating]:
    """Share the modes of these ratings, then lock the players and the ratings, each by id; return the ratings."""
    rows = Rating.objects.filter(pk__in=list(ratings))
    # An end is taken back by a transaction that holds the mode alone, so the seasons stay what they are.
    locks.share_modes(Mode.objects.filter(pk__in=rows.values("mode")).values_list("slug", flat=True))
    players = Player.objects.filter(pk__in=rows.values("player")).order_by("pk")
    list(players.select_for_update(no_key=True).values_list("pk"))
    locked = rows.select_related("player", "season__mode", "mode").select_for_update(of=("self",), no_key=True)
    return list(locked.order_by("pk"))


def _record(ratings: Collection[Rating], act: str, kind: str, *, now: dt.datetime, **details: Any) -> None:
    """Write a line of the audit log for each rating, and tell the other apps."""
    lines = [(f"{rating.mode.slug}: {rating.season.name}"[:160], rating.player_id) for rating in ratings]
    record_acts(act, lines, now=now, **details)
    for follow in hooks.CORRECTION_FOLLOWERS.functions():
        for rating in ratings:
            follow(rating.season, kind, now, player=rating.player)
