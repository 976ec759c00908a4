"""Checks that rated matches have places and that counters are their sums; `manage.py doctor` prints the violations."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from django.db.models import Case, Exists, F, Func, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value, When

from ranking.models import Change, Participation, Rating, Rerating
from ranking.operations.violations import Differs, Violation, violation_of
from ranking.rules.places import PODIUM, PODIUM_TEAMS


def missing_places(now: dt.datetime) -> Iterator[Violation]:
    """Each participation in a rated match has a place."""
    rows = Participation.objects.filter(place=None, match__event__isnull=False)
    yield from violation_of("match.places", "A process of an earlier version recorded no place", rows, _CURE)


def place_counters(now: dt.datetime) -> Iterator[Violation]:
    """The counters of places are sums over the completed matches of the ledger, where no re-rating is due."""
    completed = Change.objects.live().filter(player=OuterRef(OuterRef("player")), season=OuterRef(OuterRef("season")))
    completed = completed.filter(kind=Change.MATCH).exclude(outcome=Change.LEFT)
    parts: QuerySet[Any, Any] = Participation.objects.filter(
        player=OuterRef("player"), match__season=OuterRef("season"), match__in=completed.values("match")
    )
    counted = {
        "podiums": _one_if(Q(place__lte=PODIUM, places__gte=PODIUM_TEAMS)),
        "top_halves": _one_if(Q(places__gte=2 * F("place"))),
        "place_sum": F("place"),
        "brief_matches": _one_if(Q(brief=True)),
    }
    differs = Q()
    for column, value in counted.items():
        total = parts.order_by().values("player").annotate(total=Sum(value)).values("total")
        differs |= Q(Differs(F(column), Func(Subquery(total), 0, function="COALESCE")))
    pending = Exists(Rerating.objects.filter(mode=OuterRef("mode")).exclude(state=Rerating.DONE))
    rows = Rating.objects.filter(~pending, season__current=True).filter(differs)
    yield from violation_of("rating.places", "A rating's places aren't those of its matches", rows, _CURE)


_CURE = "manage.py rerate with the mode mends it."


def _one_if(condition: Q) -> Case:
    return Case(When(condition, then=Value(1)), default=Value(0), output_field=IntegerField())
