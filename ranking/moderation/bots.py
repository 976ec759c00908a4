"""Who is a bot and who is a person, as moderators say. Results make bots of newcomers only: see ensure_players."""

import datetime as dt
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from ranking.database.retries import retried
from ranking.models import Player
from ranking.moderation.sanctions import lock_rows
from ranking.operations.audit import check_reason, record_acts
from ranking.players.players import relist_all, share_every_mode


def mark_as_bots(
    players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Player]:
    """Make bots of people: they leave every board with the next publication. Return those who were people.

    Matches that they played stay as they were rated. Raises ValueError without a reason.
    """
    return _set_bots(players, True, "mark as bot", by, reason, now, note)


def mark_as_people(
    players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Player]:
    """Make people of bots again, and return those who were bots. Raises ValueError without a reason."""
    return _set_bots(players, False, "mark as person", by, reason, now, note)


@retried
@transaction.atomic
def _set_bots(
    players: Iterable[int], bots: bool, act: str, by: User | None, reason: str, now: dt.datetime, note: str
) -> list[Player]:
    check_reason(reason)
    share_every_mode()
    changed = lock_rows(Player.objects.filter(pk__in=list(players), is_bot=not bots, merged_into=None))
    ids = [player.pk for player in changed]
    Player.objects.filter(pk__in=ids).update(is_bot=bots)
    relist_all(ids)
    record_acts(act, [(f"player {pk}", pk) for pk in ids], by=by, reason=reason, note=note, now=now)
    return changed
