"""Who leaves most: a list for moderators, ordered by what leaving weighs now."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, DateTimeField, F, FloatField, Func, QuerySet, Sum, Value, When
from django.db.models.functions import Power

from ranking.conduct import MISSED, find_lockout, points
from ranking.incidents import find_lapses
from ranking.models import Ban, Incident, Leaver, Mode, Rating

WEIGHED = dt.timedelta(days=60)  # for the order of the list; at 10 % a day 0.005 points are left by then
LATELY = dt.timedelta(days=30)


class _Days(Func):
    """Days from the second moment to the first, with fractions."""

    output_field: FloatField[Any, Any] = FloatField()

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "(EXTRACT(EPOCH FROM (%(expressions)s))::float8 / 86400)"
        return self.as_sql(compiler, connection, template=template, arg_joiner=" - ", **more)

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "(julianday(%(expressions)s))"
        return self.as_sql(compiler, connection, template=template, arg_joiner=") - julianday(", **more)


def find_leavers(now: dt.datetime) -> QuerySet[Leaver]:
    """Those with anything of the last WEIGHED against them, the worst first: one pass over those incidents."""
    recent = Incident.objects.counting().exclude(kind=MISSED).filter(happened_at__gt=now - WEIGHED)
    age = _Days(Value(now, DateTimeField()), F("incidents__happened_at"))
    weights = [
        When(incidents__mode=mode.pk, then=Value(numbers.points) * Power(Value(1 - numbers.decay_percent / 100), age))
        for mode in Mode.objects.all()
        if (numbers := mode.conduct_settings)
    ]
    weighed = Leaver.objects.filter(incidents__in=recent)
    weight = Sum(Case(*weights, default=Value(0.0), output_field=FloatField()))
    return weighed.annotate(weight=weight).order_by("-weight", "-pk")


@dataclass(frozen=True, slots=True)
class Summary:
    """`leaves` of the last 30 days; `rate` of this season's matches, None without any; `bans` that run."""

    points: float
    leaves: int
    counting: int
    rate: float | None
    locked_until: dt.datetime | None
    bans: list[Ban] = field(default_factory=list)


def summarise(players: Collection[int], now: dt.datetime) -> dict[int, Summary]:
    """Each player's conduct in numbers: three queries, however many."""
    rates: dict[int, float | None] = {}
    played = F("wins") + F("draws") + F("losses") + F("leaves")
    totals = Rating.objects.filter(player__in=players, season__current=True).values("player").order_by()
    for row in totals.annotate(left=Sum("leaves"), total=Sum(played)):
        rates[row["player"]] = row["left"] / row["total"] if row["total"] else None
    summaries = {}
    for player, lapses in find_lapses(players, now).items():
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
