"""Takes former names away from the public: moderators alone see them, and find players by them."""

import datetime as dt
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from ranking.database.retries import retried
from ranking.models import Player, PlayerName
from ranking.moderation.sanctions import lock_rows
from ranking.operations.audit import check_reason, record_acts


@retried
@transaction.atomic
def take_names_away(
    players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Player]:
    """Take all former names of these players away from the public. Return those who had one that it still saw.

    The present name stays: the game gives it. Raises ValueError without a reason.
    """
    check_reason(reason)
    public = PlayerName.objects.filter(player__in=list(players), taken_away=False).exclude(name=F("player__name"))
    changed = lock_rows(Player.objects.filter(pk__in=public.values("player")))
    ids = [player.pk for player in changed]
    names = PlayerName.objects.filter(pk__in=list(public.filter(player__in=ids).values_list("pk", flat=True)))
    names.update(taken_away=True)
    record_acts("take names away", [(f"player {pk}", pk) for pk in ids], by=by, reason=reason, note=note, now=now)
    return changed
