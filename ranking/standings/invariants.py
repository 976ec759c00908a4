"""Checks of the standings stored with matches and forfeits: `manage.py doctor` prints what contradicts itself.

Standings that were stored without the display ratings that they belong to can't be checked, and are skipped.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

from django.db.models import BigIntegerField, Case, Count, F, IntegerField, Q, QuerySet, Value, When, Window
from django.db.models.functions import Cast, Coalesce, Lag, Least
from django.db.models.lookups import Exact

from ranking.models import Forfeit, Participation
from ranking.operations.violations import Violation, violation_of

_CURE = "Restore what was there from a backup: ratings aren't affected, and a re-rating leaves standings as they are."
_COLUMNS = ("rank", "percentile", "listed", "display")  # of a standing, with _before or _after
_RANK, _PERCENTILE = "standing.rank", "standing.percentile"
FAULTS = {
    "standing.rating": "A display rating is stored without a rank {}",
    "standing.listed": "Numbers of listed players differ {}",
    "standing.ties": "Equal ratings have different ranks or percentiles {}",
    "standing.order": "A rank doesn't follow from the ratings {}",
    _RANK: "A rank is lower than so many listed players allow {}",
    _PERCENTILE: "A percentile doesn't follow from the rank {}",
}


def standings(now: dt.datetime) -> Iterator[Violation]:
    """Standings before and after each match or forfeit of a ranked mode can all be true at once."""
    for when in ("before", "after"):
        yield from _violations(_faults_of_matches(when), f"{when} a match")
        yield from _violations(_faults_of_forfeits(when), f"{when} a forfeit")


def _violations(rows: QuerySet[Any], moment: str) -> Iterator[Violation]:
    """Violations of each kind of fault. If all is well, this takes one query."""
    faulty = rows.exclude(fault="")
    if not faulty.exists():
        return
    for code, sentence in FAULTS.items():
        yield from violation_of(code, sentence.format(moment), faulty.filter(fault=code), _CURE)


def _faults_of_matches(when: str) -> QuerySet[Any]:
    """Participations, each with its fault; the rows of a match are compared in the order of their ratings.

    `lower_…`: columns of the next row down, one of equals or of a lower rating; None in the last row.
    """
    ordered: dict[str, Any] = {"partition_by": ["match"], "order_by": [f"display_{when}", "id"]}
    lower = {f"lower_{name}": Window(Lag(f"{name}_{when}"), **ordered) for name in _COLUMNS}
    ties = Window(Count("*"), partition_by=["match", f"display_{when}"])
    rows = Participation.objects.filter(match__mode__ranked=True, **{f"display_{when}__isnull": False})
    rank, percentile, listed, display = (F(f"{name}_{when}") for name in _COLUMNS)
    equal, lowest_of_equals = Q(lower_display=display), Q(lower_display__isnull=True) | Q(lower_display__lt=display)
    fault = Case(
        When(Q(**{f"rank_{when}__isnull": True}), then=Value("standing.rating")),
        When(~Q(lower_listed=listed), then=Value("standing.listed")),
        When(equal & ~Q(lower_rank=rank, lower_percentile=percentile), then=Value("standing.ties")),
        When(Q(lower_display__lt=display, lower_rank__lt=rank + F("ties")), then=Value("standing.order")),
        When(Q(**{f"rank_{when}__lt": 1}) | Q(**{f"listed_{when}__lt": rank + F("ties") - 1}), then=Value(_RANK)),
        When(lowest_of_equals & ~_is_possible(when, rank, listed, F("ties"), F("lower_rank")), then=Value(_PERCENTILE)),
        default=Value(""),
    )
    return rows.annotate(**lower, ties=ties).annotate(fault=fault)


def _faults_of_forfeits(when: str) -> QuerySet[Any]:
    rows = Forfeit.objects.filter(mode__ranked=True, **{f"display_{when}__isnull": False})
    rank, listed = F(f"rank_{when}"), F(f"listed_{when}")
    fault = Case(
        When(Q(**{f"rank_{when}__lt": 1}) | Q(**{f"listed_{when}__lt": rank}), then=Value(_RANK)),
        When(~_is_possible(when, rank, listed, Value(1), None), then=Value(_PERCENTILE)),
        default=Value(""),
    )
    return rows.annotate(fault=fault)


def _is_possible(when: str, rank: F, listed: F, ties: Any, lower_rank: F | None) -> Q:
    """A condition: a percentile lies between those with as few and with as many players below as can be.

    `ties`: the players known to have this rating. At least the players from the next lower rank known on are below.
    """
    above = rank - Value(1)
    least: Any = Value(0) if lower_rank is None else Coalesce(listed - lower_rank + Value(1), Value(0))
    return Q(
        **{
            f"percentile_{when}__gte": _percentile(least, above),
            f"percentile_{when}__lte": _percentile(listed - above - ties, above),
        }
    )


def _percentile(below: Any, above: Any) -> Case:
    """ranking.rules.rank_table.percentile_from in SQL; a hundred times the number of players may need 64 bits."""
    hundredfold = Value(100) * Cast(below, BigIntegerField())
    return Case(
        When(Q(Exact(above, Value(0))), then=Value(100)),
        default=Least(Value(100), Value(1) + hundredfold / (below + above)),
        output_field=IntegerField(),
    )
