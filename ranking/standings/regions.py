"""A player's region in a mode: that of their first match, until they choose one; they may every thirty days."""

from __future__ import annotations

import datetime as dt

from django.db.models import Q

from ranking.models import Rating
from ranking.standings.snapshots import find_newest, regions_of

CHOICE_HOLDS = dt.timedelta(days=30)


UNKNOWN, SAME, HELD = "unknown", "same", "held"


class NoSuchChoice(Exception):
    """A player can't choose this region. `code`: there is none such, they play in it, or an earlier choice holds."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def free_from(rating: Rating) -> dt.datetime | None:
    """The time from which the player may choose again; None if they have never chosen."""
    return None if rating.region_chosen_at is None else rating.region_chosen_at + CHOICE_HOLDS


def may_choose_region(rating: Rating, now: dt.datetime) -> bool:
    free_at = free_from(rating)
    return free_at is None or free_at <= now


def choose_region(rating: Rating, region: str, *, now: dt.datetime) -> None:
    """Move a player to another region's board with the next publication; raises NoSuchChoice."""
    newest = find_newest(rating.mode_id, rating.season_id)
    if newest is None or region not in regions_of(newest):
        raise NoSuchChoice(UNKNOWN)
    if region == (rating.chosen_region or rating.region):
        raise NoSuchChoice(SAME)
    # The condition makes the first of two simultaneous choices win.
    free = Q(region_chosen_at=None) | Q(region_chosen_at__lte=now - CHOICE_HOLDS)
    chosen = Rating.objects.filter(free, pk=rating.pk).update(
        chosen_region=region, region_chosen_at=now, to_publish=True
    )
    if not chosen:
        rating.refresh_from_db(fields=["region_chosen_at"])
        raise NoSuchChoice(HELD)
