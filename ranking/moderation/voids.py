"""Takes matches and forfeits out of the history of ratings, and back in. What came after is rated anew, in order."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, DateTimeField, F, Q, QuerySet, Value
from django.db.models.functions import Greatest

from ranking import hooks
from ranking.database.bulk_writes import insert_rows
from ranking.database.retries import retried
from ranking.matches.records import is_void
from ranking.models import Forfeit, Match, Mode, Participation, Player, Rerating, Void
from ranking.moderation.corrections import reinstate
from ranking.moderation.restoring import RestoreRefused, check_may_restore
from ranking.modes.row_locks import lock_modes
from ranking.operations.audit import check_reason, record_acts
from ranking.rerating.reratings import request_rerating

COUNTED = 10_000  # matches; above this nobody needs the exact number
MOST = 5_000  # matches voided at once

Fact = Match | Forfeit
AnyFact = TypeVar("AnyFact", bound=Fact)


@retried
@transaction.atomic
def void(facts: Iterable[AnyFact], *, by: User | None, reason: str, now: dt.datetime, note: str = "") -> list[AnyFact]:
    """Void matches and forfeits, all or none: they count for nothing. Return those that weren't void already.

    Their modes are rated anew. Raises ValueError without a reason.
    """
    check_reason(reason)
    locked, voided = _lock(facts)
    valid = [fact for fact in locked if fact not in voided]
    insert_rows([Void(**{_column(fact): fact}, voided_at=now, by=by, reason=reason, note=note) for fact in valid])
    _follow_up(valid, "void", "void", by=by, reason=reason, note=note, now=now)
    if matches := [fact for fact in valid if isinstance(fact, Match)]:
        for follow in hooks.VOID_FOLLOWERS.functions():
            follow(matches, now)
    return valid


@retried
@transaction.atomic
def restore(
    facts: Iterable[AnyFact], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[AnyFact]:
    """Restore void matches and forfeits, all or none: they count again, in their old places. Return those restored.

    Their modes are rated anew. Raises ValueError without a reason; RestoreRefused.
    """
    check_reason(reason)
    locked, voided = _lock(facts)
    check_may_restore(locked)
    restored = [fact for fact in locked if fact in voided]
    _check_apart(restored)
    lifted_at = Greatest(Value(now, DateTimeField()), F("voided_at"))
    _voids_of(restored).update(lifted_at=lifted_at, lifted_by=by, lift_reason=reason, lift_note=note)
    reinstate((fact for fact in restored if isinstance(fact, Match)), by=by, now=now)
    _follow_up(restored, "restore", "restored", by=by, reason=reason, note=note, now=now)
    return restored


def _check_apart(facts: Sequence[Fact]) -> None:
    """Raise RestoreRefused if two players of a fact were merged since: nobody plays against themself.

    The caller has locked the modes, as a merge does.
    """
    matches = [fact.pk for fact in facts if isinstance(fact, Match)]
    parts = Participation.objects.filter(match__in=matches, player__merged_into__isnull=False)
    if part := parts.select_related("match__source", "player__merged_into").order_by("match", "pk").first():
        raise RestoreRefused(_merged_sentence(part.player, f"played in match {part.match}"))
    teams = {fact: {pk for team in fact.teams for pk in team} for fact in facts if isinstance(fact, Forfeit)}
    members = Player.objects.filter(pk__in={pk for team in teams.values() for pk in team})
    merged = members.filter(merged_into__isnull=False).select_related("merged_into").order_by("pk")
    for player in merged:
        for forfeit, team in teams.items():
            if player.pk in team and player.owner.pk in team:
                raise RestoreRefused(_merged_sentence(player, f"were in lobby {forfeit.lobby}"))


def _merged_sentence(player: Player, what: str) -> str:
    return f"{player.name} was merged into {player.owner.name}, and both {what}. To restore it, split them first."


def find_matches_since(player: Player, since: dt.datetime) -> QuerySet[Match]:
    """A player's matches that ended then or later and aren't void, the newest first."""
    matches = Match.objects.filter(participations__player=player, ended_at__gte=since)
    return matches.filter(~is_void()).order_by("-ended_at", "-id")


def _lock(facts: Iterable[AnyFact]) -> tuple[list[AnyFact], set[AnyFact]]:
    """Lock these facts and return them as they are now, with the set of those that are void.

    Their modes are locked first, in the order of ranking/database/locks.py.
    """
    facts = list(facts)
    lock_modes({fact.mode_id for fact in facts})
    ids: dict[Any, list[int]] = {Match: [], Forfeit: []}
    for fact in facts:
        ids[type(fact)].append(fact.pk)
    locked: list[AnyFact] = []
    for model, keys in ids.items():
        rows = model._default_manager.select_for_update(no_key=True, of=("self",)).select_related("mode")
        locked += rows.filter(pk__in=keys).order_by("pk")
    voided = set(_voids_of(locked).values_list("match", "forfeit"))
    return locked, {fact for fact in locked if _key(fact) in voided}


def _voids_of(facts: Sequence[Fact]) -> QuerySet[Void]:
    """The voids that are in force for these facts."""
    matches = [fact.pk for fact in facts if isinstance(fact, Match)]
    forfeits = [fact.pk for fact in facts if isinstance(fact, Forfeit)]
    return Void.objects.filter(Q(match__in=matches) | Q(forfeit__in=forfeits), lifted_at=None)


def _key(fact: Fact) -> tuple[int | None, int | None]:
    """The match and the forfeit of a void of this fact."""
    return (fact.pk, None) if isinstance(fact, Match) else (None, fact.pk)


def _column(fact: Fact) -> str:
    return "match" if isinstance(fact, Match) else "forfeit"


def _name(fact: Fact) -> str:
    return f"match {fact.external_id}" if isinstance(fact, Match) else f"forfeit {fact.pk}"


def _follow_up(
    facts: Sequence[Fact], act: str, change: str, *, by: User | None, reason: str, note: str, now: dt.datetime
) -> None:
    """Write a line of the audit log for each fact, and have each mode rated anew from its first fact on.

    A fact that isn't rated yet has no sequence. It is rated after the others, unless it is void by then.
    """
    record_acts(act, [(_name(fact), None) for fact in facts], by=by, reason=reason, note=note, now=now)
    for mode, group in _by_mode(facts):
        subject = _name(facts[0]) if len(facts) == 1 else _counts(group)
        request_rerating(mode, since=_first_sequence(group), reason=f"{change}: {subject}", by=by, now=now)


def _by_mode(facts: Iterable[AnyFact]) -> list[tuple[Mode, list[AnyFact]]]:
    """The facts of each mode; modes by name."""
    groups: dict[Mode, list[AnyFact]] = {}
    for fact in facts:
        groups.setdefault(fact.mode, []).append(fact)
    return sorted(groups.items(), key=lambda item: item[0].name)


def _first_sequence(facts: Iterable[Fact]) -> int:
    return min(fact.event_id or Rerating.NEVER for fact in facts)


def _counts(facts: Sequence[Fact]) -> str:
    """How many facts these are, in words: 3 matches, 1 forfeit."""
    matches = sum(isinstance(fact, Match) for fact in facts)
    counts = ((matches, "match", "matches"), (len(facts) - matches, "forfeit", "forfeits"))
    return ", ".join(f"{count:,} {one if count == 1 else many}" for count, one, many in counts if count)


@dataclass(frozen=True, slots=True)
class Extent:
    """What has to be rated anew in a mode: `matches` and `players`, None if there are more than COUNTED matches."""

    mode: Mode
    matches: int | None
    players: int | None


def find_extents(matches: Iterable[Match], *, most: int = COUNTED) -> list[Extent]:
    """What has to be rated anew in each mode if these matches (with their modes) are voided or restored.

    Counts at most `most` matches of a mode.
    """
    return [_extent(mode, _first_sequence(group), most) for mode, group in _by_mode(matches)]


def _extent(mode: Mode, since: int, most: int) -> Extent:
    after = Match.objects.filter(mode=mode, event__gte=since).order_by("event").values("pk")[: most + 1]
    count = after.count()
    if count > most:
        return Extent(mode, None, None)
    players = Participation.objects.filter(match__in=after).aggregate(count=Count("player", distinct=True))["count"]
    return Extent(mode, count, players)
