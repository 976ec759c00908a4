"""Acts on doubled matches: all but the first of each group are voided, or moderators say that they are different."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from django.contrib.auth.models import User
from django.db import transaction

from ranking.database.retries import retried
from ranking.matches.doubles import drop_resolved, groups_of
from ranking.models import DoubledMatch, Match
from ranking.moderation.voids import void
from ranking.operations.audit import check_reason, record_acts


def surplus_of(rows: Sequence[DoubledMatch]) -> list[Match]:
    """The matches to void so that one of each group is left, the first of those that aren't void."""
    groups = groups_of(rows)
    surplus: dict[int, Match] = {}
    for row in sorted(rows, key=lambda row: (row.first_id, row.pk)):
        left = [match for match in groups[row.pk].valid if match.pk not in surplus]
        surplus |= {match.pk: match for match in left[1:]}
    return list(surplus.values())


@retried
@transaction.atomic
def void_doubles(
    rows: Sequence[DoubledMatch], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Match]:
    """Void all but the first match of each group, and return those voided; their modes are rated anew.

    Raises ValueError without a reason.
    """
    voided = void(surplus_of(rows), by=by, reason=reason, now=now, note=note)
    drop_resolved(rows)
    return voided


@retried
@transaction.atomic
def dismiss_doubles(
    rows: Iterable[DoubledMatch], *, by: User | None, reason: str, now: dt.datetime
) -> list[DoubledMatch]:
    """Say for good that these matches are different; return the rows that were open. Raises ValueError without a
    reason.
    """
    check_reason(reason)
    numbers = [row.pk for row in rows]
    dismissed = list(DoubledMatch.objects.select_for_update().filter(pk__in=numbers, dismissed_at=None).order_by("pk"))
    DoubledMatch.objects.filter(pk__in=[row.pk for row in dismissed]).update(
        dismissed_at=now, dismissed_by=by, reason=reason.strip()
    )
    record_acts("dismiss", [(str(row), None) for row in dismissed], by=by, reason=reason, now=now)
    return dismissed
