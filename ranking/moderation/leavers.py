"""Leavers: a list for moderators, by points that count now, or by the number of recent leaves."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, Count, DateTimeField, F, FloatField, Func, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Coalesce, Power

from ranking.models import Ban, Incident, Mode, Pardon, Rating, Void
from ranking.moderation.incidents import find_lapses
from ranking.rules.conduct import MISSED, find_lockout, points

WEIGHED = dt.timedelta(days=60)  # incidents of this time order the list; after it, at 10 % a day, 0.2 % are left
LATELY = dt.timedelta(days=30)


class _Days(Func):
    """Days from the second time to the first, with fractions."""

    output_field: FloatField[Any, Any] = FloatField()

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        # date_part returns a float. EXTRACT returns a numeric, which would double the query's time.
        template = "(date_part('epoch', %(expressions)s) / 86400)"
        return self.as_sql(compiler, connection, template=template, arg_joiner=" - ", **more)

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "(julianday(%(expressions)s))"
        return self.as_sql(compiler, connection, template=template, arg_joiner=") - julianday(", **more)


def find_leavers(now: dt.datetime) -> QuerySet[Any, Any]:
    """Ids of players with incidents within WEIGHED, those with most points first."""
    age = _Days(Value(now, DateTimeField()), F("happened_at"))
    weights = [
        When(mode=mode.pk, then=Value(settings.points) * Power(Value(1 - settings.decay_percent / 100), age))
        for mode in Mode.objects.all()
        if (settings := mode.conduct_settings)
    ]
    weight = Sum(Case(*weights, default=Value(0.0), output_field=FloatField()))
    weighed: QuerySet[Any, Any] = _leaves(now - WEIGHED).annotate(weight=weight)
    return weighed.order_by("-weight", "-player").values_list("player", flat=True)


def find_frequent(now: dt.datetime) -> QuerySet[Any, Any]:
    """Ids of players who left within LATELY, the most frequent first."""
    counted: QuerySet[Any, Any] = _leaves(now - LATELY).annotate(rows=Count("pk"))
    return counted.order_by("-rows", "-player").values_list("player", flat=True)


def _leaves(since: dt.datetime) -> QuerySet[Any, Any]:
    """Leaves since then that count, grouped by player: one pass over the incidents.

    The few incidents that don't count are excluded by subqueries. `Incident.counting` gives the same rows by joins,
    which are slower here.
    """
    void = Void.objects.filter(lifted_at=None)
    matches = void.filter(match__isnull=False).values("match")
    forfeits = void.filter(forfeit__isnull=False).values("forfeit")
    leaves: QuerySet[Any, Any] = Incident.objects.filter(~Q(kind=MISSED), happened_at__gt=since)
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
