"""Taking matches out of the history of ratings, and back in. What came after them is rated anew, in order."""

import datetime as dt

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from ranking.models import Match, Void
from ranking.rerating import request_rerating


class AlreadySo(Exception):
    """The match is void already, or it isn't."""


@transaction.atomic
def void_match(match: Match, *, by: User | None, reason: str, now: dt.datetime) -> Void:
    """Have a match count for nothing. Raises AlreadySo; ValueError without a reason."""
    _check(reason)
    locked = _lock(match)
    if _of(locked).exists():
        raise AlreadySo(f"Match {locked.external_id} is void already.")
    void = Void.objects.create(match=locked, voided_at=now, by=by, reason=reason)
    _follow(locked, f"void: {locked.external_id}", by, now)
    return void


@transaction.atomic
def restore_match(match: Match, *, by: User | None, reason: str, now: dt.datetime) -> Void:
    """Have a void match count again, in its old place. Raises AlreadySo; ValueError without a reason."""
    _check(reason)
    locked = _lock(match)
    void = _of(locked).first()
    if void is None:
        raise AlreadySo(f"Match {locked.external_id} isn't void.")
    void.lifted_at, void.lifted_by, void.lift_reason = max(now, void.voided_at), by, reason
    void.save(update_fields=["lifted_at", "lifted_by", "lift_reason"])
    _follow(locked, f"restored: {locked.external_id}", by, now)
    return void


def _of(match: Match) -> QuerySet[Void]:
    return Void.objects.filter(match=match, lifted_at=None)


def _check(reason: str) -> None:
    if not reason.strip():
        raise ValueError("Say why.")


def _lock(match: Match) -> Match:
    return Match.objects.select_for_update(no_key=True, of=("self",)).select_related("mode").get(pk=match.pk)


def _follow(match: Match, why: str, by: User | None, now: dt.datetime) -> None:
    """One that was recorded only is rated after the others, unless it is void by then."""
    request_rerating(match.mode, since=match.event_id or _NEVER, reason=why, by=by, now=now)


_NEVER = 2**62  # a sequence that no event has: nothing is rated anew, what waits is rated
