"""Taking matches and forfeits out of the history of ratings, and back in. What came after is rated anew, in order."""

import contextlib
import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, QuerySet

from ranking.audit import note
from ranking.models import Forfeit, Match, Mode, Participation, Void
from ranking.rerating import request_rerating

COUNTED = 10_000  # matches: of more than that nobody needs the number

Fact = Match | Forfeit


class AlreadySo(Exception):
    """It is void already, or it isn't."""


@transaction.atomic
def void_match(match: Fact, *, by: User | None, reason: str, now: dt.datetime) -> Void:
    """Have a match, or a forfeit, count for nothing. Raises AlreadySo; ValueError without a reason."""
    _check(reason)
    locked = _lock(match)
    if _of(locked).exists():
        raise AlreadySo(f"{_name(locked)} is void already.")
    void = Void.objects.create(**_as(locked), voided_at=now, by=by, reason=reason)
    note("void", _name(locked), by=by, reason=reason, now=now)
    _follow(locked, f"void: {_name(locked)}", by, now)
    return void


@transaction.atomic
def restore_match(match: Fact, *, by: User | None, reason: str, now: dt.datetime) -> Void:
    """Have a void match, or forfeit, count again, in its old place. Raises AlreadySo; ValueError without a reason."""
    _check(reason)
    locked = _lock(match)
    void = _of(locked).first()
    if void is None:
        raise AlreadySo(f"{_name(locked)} isn't void.")
    void.lifted_at, void.lifted_by, void.lift_reason = max(now, void.voided_at), by, reason
    void.save(update_fields=["lifted_at", "lifted_by", "lift_reason"])
    note("restore", _name(locked), by=by, reason=reason, now=now)
    _follow(locked, f"restored: {_name(locked)}", by, now)
    return void


@transaction.atomic
def void_matches(matches: Iterable[Match], *, by: User | None, reason: str, now: dt.datetime) -> list[Match]:
    """Void all of them, or none; returns those that weren't void already."""
    return _each(void_match, matches, by=by, reason=reason, now=now)


@transaction.atomic
def restore_matches(matches: Iterable[Match], *, by: User | None, reason: str, now: dt.datetime) -> list[Match]:
    """Restore all of them, or none; returns those that were void."""
    return _each(restore_match, matches, by=by, reason=reason, now=now)


def _each(act: Callable[..., Void], matches: Iterable[Match], **said: Any) -> list[Match]:
    """Matches are locked in the order of their ids, then modes: two at once wait for each other, and never both."""
    ids = [match.pk for match in matches]
    locked = list(Match.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk"))
    list(Mode.objects.select_for_update(no_key=True).filter(matches__in=ids).order_by("pk").values("pk"))
    done = []
    for match in locked:
        with contextlib.suppress(AlreadySo):
            act(match, **said)
            done.append(match)
    return done


@dataclass(frozen=True, slots=True)
class Extent:
    """What has to be rated anew in a mode: `matches` and `players`, None where there are more than COUNTED matches."""

    mode: Mode
    matches: int | None
    players: int | None


def find_extents(matches: Iterable[Match]) -> list[Extent]:
    """What voiding or restoring these matches (with their modes) leads to, by mode: two queries each."""
    first: dict[Mode, int] = {}
    for match in matches:
        first[match.mode] = min(first.get(match.mode, _NEVER), match.event_id or _NEVER)
    return [_extent(mode, since) for mode, since in sorted(first.items(), key=lambda item: item[0].name)]


def _extent(mode: Mode, since: int) -> Extent:
    after = Match.objects.filter(mode=mode, event__gte=since).order_by("event").values("pk")[: COUNTED + 1]
    count = after.count()
    if count > COUNTED:
        return Extent(mode, None, None)
    players = Participation.objects.filter(match__in=after).aggregate(count=Count("player", distinct=True))["count"]
    return Extent(mode, count, players)


def _as(fact: Fact) -> dict[str, Any]:
    return {"match": fact} if isinstance(fact, Match) else {"forfeit": fact}


def _name(fact: Fact) -> str:
    return f"match {fact.external_id}" if isinstance(fact, Match) else f"forfeit {fact.pk}"


def _of(fact: Fact) -> QuerySet[Void]:
    return Void.objects.filter(**_as(fact), lifted_at=None)


def _check(reason: str) -> None:
    if not reason.strip():
        raise ValueError("Say why.")


def _lock(fact: Fact) -> Fact:
    rows: Any = type(fact)._default_manager
    locked: Fact = rows.select_for_update(no_key=True, of=("self",)).select_related("mode").get(pk=fact.pk)
    return locked


def _follow(fact: Fact, why: str, by: User | None, now: dt.datetime) -> None:
    """One that was recorded only is rated after the others, unless it is void by then."""
    request_rerating(fact.mode, since=fact.event_id or _NEVER, reason=why, by=by, now=now)


_NEVER = 2**62  # a sequence that no event has: nothing is rated anew, what waits is rated
