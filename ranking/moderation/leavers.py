"""Who leaves most: a list for moderators, ordered by what leaving weighs now, or by how often of late."""

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

WEIGHED = dt.timedelta(days=60)  # for the order of the list; at 10 % a day 0.005 points are left by then
LATELY = dt.timedelta(days=30)


class _Days(Func):
    """Days from the second moment to the first, with fractions."""

    output_field: FloatField[Any, Any] = FloatField()

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        # date_part's is a float, EXTRACT's a numeric, which takes as long as all the rest.
        template = "(date_part('epoch', %(expressions)s) / 86400)"
        return self.as_sql(compiler, connection, template=template, arg_joiner=" - ", **more)

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "(julianday(%(expressions)s))"
        return self.as_sql(compiler, connection, template=template, arg_joiner=") - julianday(", **more)


def find_leavers(now: dt.datetime) -> QuerySet[Any, Any]:
    """Ids of those with anything of the last WEIGHED against them, what weighs most first."""
    age = _Days(Value(now, DateTimeField()), F("happened_at"))
    weights = [
        When(mode=mode.pk, then=Value(numbers.points) * Power(Value(1 - numbers.decay_percent / 100), age))
        for mode in Mode.objects.all()
        if (numbers := mode.conduct_settings)
    ]
    weight = Sum(Case(*weights, default=Value(0.0), output_field=FloatField()))
    weighed: QuerySet[Any, Any] = _leaves(now - WEIGHED).annotate(weight=weight)
    return weighed.order_by("-weight", "-player").values_list("player", flat=True)


def find_frequent(now: dt.datetime) -> QuerySet[Any, Any]:
    """Ids of those who left in the last 30 days, the most frequent first."""
    counted: QuerySet[Any, Any] = _leaves(now - LATELY).annotate(rows=Count("pk"))
    return counted.order_by("-rows", "-player").values_list("player", flat=True)


def _leaves(since: dt.datetime) -> QuerySet[Any, Any]:
    """What counts since then, a group a player: one pass over these incidents, and no player is read.

    The few that don't count are looked up in sets. `Incident.counting` says the same in joins, which cost more here.
    """
    void = Void.objects.filter(lifted_at=None)
    matches = void.filter(match__isnull=False).values("match")
    forfeits = void.filter(forfeit__isnull=False).values("forfeit")
    kept: QuerySet[Any, Any] = Incident.objects.filter(~Q(kind=MISSED), happened_at__gt=since)
    recent: QuerySet[Any, Any] = kept.annotate(of_match=Coalesce("match", 0), of_forfeit=Coalesce("forfeit", 0))
    counting = recent.exclude(pk__in=Pardon.objects.values("incident"))
    counting = counting.exclude(of_match__in=matches).exclude(of_forfeit__in=forfeits)
    return counting.order_by().values("player")


@dataclass(frozen=True, slots=True)
class Summary:
    """`leaves` of the last 30 days; `rate` of this season's matches, None without any; `bans` that run."""

    points: float
    leaves: int
    counting: int
    rate: float | None
    locked_until: dt.datetime | None
    bans: list[Ban] = field(default_factory=list)


def summarise(
    players: Collection[int], now: dt.datetime, *, without: Collection[int] = frozenset()
) -> dict[int, Summary]:
    """Each player's conduct in numbers, as it would be without some incidents: three queries, however many."""
    rates: dict[int, float | None] = {}
    played = F("wins") + F("draws") + F("losses") + F("leaves")
    totals = Rating.objects.filter(player__in=players, season__current=True).values("player").order_by()
    for row in totals.annotate(left=Sum("leaves"), total=Sum(played)):
        rates[row["player"]] = row["left"] / row["total"] if row["total"] else None
    summaries = {}
    for player, found in find_lapses(players, now).items():
        lapses = [lapse for lapse in found if lapse.id not in without]
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
