"""Taking matches and forfeits out of the history of ratings, and back in. What came after is rated anew, in order."""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, DateTimeField, F, QuerySet, Value
from django.db.models.functions import Greatest

from ranking.database.bulk_writes import insert_rows
from ranking.matches.records import is_void
from ranking.models import Forfeit, Match, Mode, Participation, Player, Void
from ranking.operations.audit import check_reason, note, note_all
from ranking.rerating.reratings import request_rerating

COUNTED = 10_000  # matches: of more than that nobody needs the number
MOST = 5_000  # matches voided at once

Fact = Match | Forfeit


class AlreadySo(Exception):
    """It is void already, or it isn't."""


@transaction.atomic
def void_match(match: Fact, *, by: User | None, reason: str, now: dt.datetime) -> Void:
    """Have a match, or a forfeit, count for nothing. Raises AlreadySo; ValueError without a reason."""
    check_reason(reason)
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
    check_reason(reason)
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
    """Void all of them, or none, in a handful of statements; returns those that weren't void already."""
    check_reason(reason)
    locked, void = _lock_all(matches)
    fresh = [match for match in locked if match.pk not in void]
    insert_rows([Void(match=match, voided_at=now, by=by, reason=reason) for match in fresh])
    _note_all(fresh, "void", by, reason, now)
    return fresh


@transaction.atomic
def restore_matches(matches: Iterable[Match], *, by: User | None, reason: str, now: dt.datetime) -> list[Match]:
    """Restore all of them, or none, in a handful of statements; returns those that were void."""
    check_reason(reason)
    locked, void = _lock_all(matches)
    restored = [match for match in locked if match.pk in void]
    voids = Void.objects.filter(match__in=[match.pk for match in restored], lifted_at=None)
    voids.update(lifted_at=Greatest(Value(now, DateTimeField()), F("voided_at")), lifted_by=by, lift_reason=reason)
    _note_all(restored, "restore", by, reason, now)
    return restored


@transaction.atomic
def void_forfeits(forfeits: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[Forfeit]:
    """Void all of these forfeits, or none; returns those that weren't void already. For some dozens of them."""
    return _judge_each(forfeits, void_match, by, reason, now)


@transaction.atomic
def restore_forfeits(forfeits: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[Forfeit]:
    """Restore all of these forfeits, or none; returns those that were void. For some dozens of them."""
    return _judge_each(forfeits, restore_match, by, reason, now)


def _judge_each(
    forfeits: Iterable[int], act: Callable[..., Void], by: User | None, reason: str, now: dt.datetime
) -> list[Forfeit]:
    check_reason(reason)
    done = []
    for forfeit in Forfeit.objects.filter(pk__in=list(forfeits)).order_by("pk"):
        with suppress(AlreadySo):
            act(forfeit, by=by, reason=reason, now=now)
            done.append(forfeit)
    return done


def find_matches_since(player: Player, since: dt.datetime) -> QuerySet[Match]:
    """A player's matches that ended then or later and aren't void, the newest first."""
    theirs = Match.objects.filter(participations__player=player, ended_at__gte=since)
    return theirs.filter(~is_void()).order_by("-ended_at", "-id")


def _lock_all(matches: Iterable[Match]) -> tuple[list[Match], set[int]]:
    """These matches and the ids of those that are void.

    Matches are locked in the order of their ids, then modes: two at once wait for each other, and never both.
    """
    ids = [match.pk for match in matches]
    wanted = Match.objects.select_for_update(no_key=True, of=("self",)).select_related("mode").filter(pk__in=ids)
    locked = list(wanted.order_by("pk"))
    modes = Mode.objects.select_for_update(no_key=True).filter(pk__in={match.mode_id for match in locked})
    list(modes.order_by("pk").values("pk"))
    void = Void.objects.filter(match__in=ids, lifted_at=None).values_list("match", flat=True)
    return locked, {pk for pk in void if pk is not None}


def _note_all(matches: Sequence[Match], act: str, by: User | None, reason: str, now: dt.datetime) -> None:
    """A line for each, and each mode rated anew from the first of its matches on."""
    note_all(act, [(_name(match), None) for match in matches], by=by, reason=reason, now=now)
    for mode, since, count in _firsts(matches):
        said = "void" if act == "void" else "restored"
        why = f"{said}: {_name(matches[0])}" if len(matches) == 1 else f"{said}: {count:,} matches"
        request_rerating(mode, since=since, reason=why, by=by, now=now)


def _firsts(matches: Iterable[Match]) -> list[tuple[Mode, int, int]]:
    """Of each mode, by name: the sequence of the first of these matches, and how many there are."""
    found: dict[Mode, tuple[int, int]] = {}
    for match in matches:
        since, count = found.get(match.mode, (_NEVER, 0))
        found[match.mode] = min(since, match.event_id or _NEVER), count + 1
    return [(mode, *found[mode]) for mode in sorted(found, key=lambda mode: mode.name)]


@dataclass(frozen=True, slots=True)
class Extent:
    """What has to be rated anew in a mode: `matches` and `players`, None where there are more than COUNTED matches."""

    mode: Mode
    matches: int | None
    players: int | None


def find_extents(matches: Iterable[Match], *, most: int = COUNTED) -> list[Extent]:
    """What voiding or restoring these matches (with their modes) leads to, by mode: two queries each.

    Counts at most `most` matches of a mode.
    """
    return [_extent(mode, since, most) for mode, since, _ in _firsts(matches)]


def _extent(mode: Mode, since: int, most: int) -> Extent:
    after = Match.objects.filter(mode=mode, event__gte=since).order_by("event").values("pk")[: most + 1]
    count = after.count()
    if count > most:
        return Extent(mode, None, None)
    players = Participation.objects.filter(match__in=after).aggregate(count=Count("player", distinct=True))["count"]
    return Extent(mode, count, players)


def _as(fact: Fact) -> dict[str, Any]:
    return {"match": fact} if isinstance(fact, Match) else {"forfeit": fact}


def _name(fact: Fact) -> str:
    return f"match {fact.external_id}" if isinstance(fact, Match) else f"forfeit {fact.pk}"


def _of(fact: Fact) -> QuerySet[Void]:
    return Void.objects.filter(**_as(fact), lifted_at=None)


def _lock(fact: Fact) -> Fact:
    rows: Any = type(fact)._default_manager
    locked: Fact = rows.select_for_update(no_key=True, of=("self",)).select_related("mode").get(pk=fact.pk)
    return locked


def _follow(fact: Fact, why: str, by: User | None, now: dt.datetime) -> None:
    """One that was recorded only is rated after the others, unless it is void by then."""
    request_rerating(fact.mode, since=fact.event_id or _NEVER, reason=why, by=by, now=now)


_NEVER = 2**62  # a sequence that no event has: nothing is rated anew, what waits is rated
