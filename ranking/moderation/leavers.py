"""Leavers: a list for moderators, by points that count now, or by the number of recent leaves."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Case, Count, DateTimeField, F, FloatField, Func, Max, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Coalesce, Power
from django.db.models.sql.compiler import SQLCompiler

from ranking.models import Ban, Incident, Mode, Pardon, Rating, Void
from ranking.moderation.incidents import find_lapses
from ranking.rules.conduct import FORGOTTEN, MISSED, Settings, find_lockout, points, read_settings

WEIGHED = dt.timedelta(days=60)  # incidents of this time order the list; after it, at 10 % a day, 0.2 % are left
LATELY = dt.timedelta(days=30)
SPARE = 200  # players that are read beyond those who are wanted, because some are locked out
_MINUTE = dt.timedelta(minutes=1)


class _Days(Func):
    """Days from the second time to the first, with fractions."""

    output_field: FloatField[Any, Any] = FloatField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: str) -> tuple[str, Any]:
        # date_part returns a float. EXTRACT returns a numeric, which would double the query's time.
        template = "((date_part('epoch', %(expressions)s)) / 86400)"
        return self.as_sql(compiler, connection, template=template, arg_joiner=") - date_part('epoch', ", **more)

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: str) -> tuple[str, Any]:
        template = "(julianday(%(expressions)s))"
        return self.as_sql(compiler, connection, template=template, arg_joiner=") - julianday(", **more)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which leavers a list shows, and in which order. `among`: their ids, as a query; None = all of them.

    `mode`: they left in it. `least`: points, as shown with one digit. `by`: "points" or "leaves" (of 30 days).
    """

    mode: int | None = None
    least: float | None = None
    locked: bool | None = None
    banned: bool | None = None
    among: QuerySet[Any, Any] | None = None
    by: str = "points"
    falling: bool = True


def find_leavers(now: dt.datetime, wanted: Wanted = Wanted()) -> QuerySet[Any, Any] | Unlocked:
    """Ids of players who left within WEIGHED (by leaves: within LATELY), those with most points or leaves first.

    Players who are locked out are found by missed accepts, too. The caller takes a slice of the result.
    """
    recent_only = wanted.by == "leaves" and wanted.least is None
    since = now - (FORGOTTEN if wanted.locked else LATELY if recent_only else WEIGHED)
    found = _leaves(since, missed=bool(wanted.locked))
    if wanted.locked:
        found = found.filter(player__in=find_locked(now))
    if wanted.banned is not None:
        banned = Ban.objects.running(now).values("player")
        found = found.filter(player__in=banned) if wanted.banned else found.exclude(player__in=banned)
    if wanted.among is not None:
        found = found.filter(player__in=wanted.among)
    if wanted.mode is not None:
        found = found.annotate(in_mode=Count("mode", filter=Q(mode=wanted.mode))).filter(in_mode__gt=0)
    left = ~Q(kind=MISSED) if wanted.locked else None  # elsewhere all are leaves, and the index holds no kind
    weight = _weight(now, _settings(), left)
    if wanted.least is not None:
        found = found.annotate(least=weight).filter(least__gte=wanted.least - 0.05)
    late = Count("mode", filter=Q(happened_at__gt=now - LATELY) & (left or Q()))
    ordered: QuerySet[Any, Any] = found.annotate(key=late if wanted.by == "leaves" else weight)
    order = ("-key", "-player") if wanted.falling else ("key", "player")
    players = ordered.order_by(*order).values_list("player", flat=True)
    return Unlocked(players, now) if wanted.locked is False else players


@dataclass(frozen=True, slots=True)
class Unlocked:
    """These players but for those who are locked out. It computes lockouts only of the players who come first."""

    players: QuerySet[Any, Any]
    now: dt.datetime

    def __getitem__(self, part: slice) -> list[int]:
        most = part.stop + SPARE
        while True:
            first = list(self.players[:most])
            locked = find_locked(self.now, first)
            unlocked = [player for player in first if player not in locked]
            if len(unlocked) >= part.stop or len(first) < most:
                return unlocked[part]
            most *= 4


def _settings() -> dict[int, Settings]:
    """By mode's id, the numbers for conduct."""
    return {pk: read_settings(conduct) for pk, conduct in Mode.objects.order_by().values_list("pk", "conduct")}


def _weight(now: dt.datetime, settings: Mapping[int, Settings], left: Q | None = None) -> Sum:
    """The points now, by the numbers of each incident's mode. `left`: which incidents give points; None = all."""
    modes = defaultdict[tuple[float, float], list[int]](list)
    for mode, each in settings.items():
        modes[each.points, 1 - each.decay_percent / 100].append(mode)
    age = _Days(Value(now, DateTimeField()), F("happened_at"))
    weights = [(Value(start) * Power(Value(keep), age), alike) for (start, keep), alike in modes.items()]
    cases = [When(mode__in=alike, then=weight) for weight, alike in weights]
    # Mostly all modes have the same numbers: then no row is asked for its mode.
    weight = weights[0][0] if len(weights) == 1 else Case(*cases, default=Value(0.0))
    return Sum(weight, filter=left, default=0.0, output_field=FloatField())


def find_locked(now: dt.datetime, among: Collection[int] | None = None) -> set[int]:
    """Ids of the players who are locked out now. `among`: whom to look at; None = everybody.

    The database finds those who may be: the last leave is within a lockout's length, and the points now are at least
    what decay leaves of the lockout's bound by then. What is exact is then computed for these few.
    """
    settings = _settings()
    if not settings:
        return set()
    keep = min(1 - each.decay_percent / 100 for each in settings.values())
    steps = {step for each in settings.values() for step in each.lockouts}
    longest = max(minutes for _, minutes in steps)
    waits = max(minutes for each in settings.values() for minutes in each.missed_minutes)
    incidents = Incident.objects.all() if among is None else Incident.objects.filter(player__in=among)
    recent = incidents.filter(~Q(kind=MISSED), happened_at__gt=now - longest * _MINUTE).values("player")
    left = _leaves(now - FORGOTTEN).filter(player__in=recent)
    left = left.annotate(points=_weight(now, settings), last=Max("happened_at"))
    possible = Q()  # of aggregates alone: a column of the table would join the GROUP BY
    for bound, minutes in steps:
        rest = 0.999 * bound * keep ** (minutes * _MINUTE / dt.timedelta(days=1))
        possible |= Q(last__gt=now - minutes * _MINUTE, points__gte=rest)
    missed = incidents.filter(kind=MISSED, happened_at__gt=now - waits * _MINUTE)
    players = {row["player"] for row in left.filter(possible)} | {*missed.values_list("player", flat=True)}
    return {player for player, lapses in find_lapses(players, now).items() if find_lockout(lapses, now)}


def _leaves(since: dt.datetime, *, missed: bool = False) -> QuerySet[Any, Any]:
    """Leaves since then that count, grouped by player: one pass over the incidents. `missed`: missed accepts, too.

    The few incidents that don't count are excluded by subqueries. `Incident.counting` gives the same rows by joins,
    which are slower here.
    """
    void = Void.objects.filter(lifted_at=None)
    matches = void.filter(match__isnull=False).values("match")
    forfeits = void.filter(forfeit__isnull=False).values("forfeit")
    leaves: QuerySet[Any, Any] = Incident.objects.filter(Q() if missed else ~Q(kind=MISSED), happened_at__gt=since)
    recent: QuerySet[Any, Any] = leaves.annotate(of_match=Coalesce("match", 0), of_forfeit=Coalesce("forfeit", 0))
    counting = recent.exclude(pk__in=Pardon.objects.filter(lifted_at=None).values("incident"))
    counting = counting.exclude(of_match__in=matches).exclude(of_forfeit__in=forfeits)
    return counting.order_by().values("player")


@dataclass(frozen=True, slots=True)
class Summary:
    """A player's conduct in numbers. `leaves`: of the last 30 days. `rate`: leaves per match of this season, None
    without a match. `bans`: those that run.
    """

    points: float
    leaves: int
    counting: int
    rate: float | None
    locked_until: dt.datetime | None
    bans: list[Ban] = field(default_factory=list)


def summarise(
    players: Collection[int], now: dt.datetime, *, without: Collection[int] = frozenset()
) -> dict[int, Summary]:
    """By player's id, the conduct in numbers, as if the incidents of `without` didn't exist. Three queries."""
    rates: dict[int, float | None] = {}
    played = F("wins") + F("draws") + F("losses") + F("leaves")
    totals = Rating.objects.filter(player__in=players, season__current=True).values("player").order_by()
    for row in totals.annotate(left=Sum("leaves"), total=Sum(played)):
        rates[row["player"]] = row["left"] / row["total"] if row["total"] else None
    summaries = {}
    for player, counting in find_lapses(players, now).items():
        lapses = [lapse for lapse in counting if lapse.id not in without]
        lockout = find_lockout(lapses, now)
        summaries[player] = Summary(
            points=points(lapses, now),
            leaves=sum(lapse.kind != MISSED and lapse.at > now - LATELY for lapse in lapses),
            counting=len(lapses),
            rate=rates.get(player),
            locked_until=None if lockout is None else lockout.until,
        )
    for ban in Ban.objects.running(now).filter(player__in=players).order_by("id"):
        summaries[ban.player_id].bans.append(ban)
    return summaries
