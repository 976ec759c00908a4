"""Takes moderators' acts back: pardons, lifted bans, and decisions about appeals.

Nothing is deleted: a pardon is lifted, a ban has an act more, and a decision becomes a row of its own. An appeal that
the act had granted is open again. Hiding, voiding and merging are taken back by show_players, restore
and split_players.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import DateTimeField, F, QuerySet, Value
from django.db.models.functions import Greatest

from ranking.database.bulk_writes import insert_rows
from ranking.database.retries import retried
from ranking.models import Appeal, Ban, Incident, Pardon, Reopening
from ranking.moderation import sanctions
from ranking.moderation.ban_limits import LIFT_RIGHT, check_may_give, with_end
from ranking.moderation.sanctions import lock_rows
from ranking.operations.audit import check_reason, record_acts
from ranking.players.players import share_every_mode


@retried
@transaction.atomic
def take_back_pardons(
    incidents: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Incident]:
    """Take back the pardons of these incidents: points and lockouts count again. Return the incidents.

    Appeals that were granted are open again. Raises ValueError without a reason.
    """
    details: dict[str, Any] = {"by": by, "reason": reason, "note": note, "now": now}
    taken = _take_back(incidents, **details)
    _reopen(Appeal.objects.filter(incident__in=taken, decision=Appeal.GRANTED), **details)
    return taken


@retried
@transaction.atomic
def resume_bans(bans: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = "") -> list[Ban]:
    """Put lifted bans in force again, if their end is still to come. Return those that run again.

    Appeals that were granted are open again. Raises ValueError without a reason, and MayNotBan for bans that `by` may
    not give.
    """
    details: dict[str, Any] = {"by": by, "reason": reason, "note": note, "now": now}
    share_every_mode()
    lifted = lock_rows(Ban.objects.filter(pk__in=bans, lifted_at__isnull=False).select_related("player"))
    check_may_give([with_end(ban, ban.ends_at) for ban in lifted], by=by, right=LIFT_RIGHT)
    resumed = sanctions.resume_bans(bans, **details)
    _reopen(Appeal.objects.filter(ban__in=resumed, decision=Appeal.GRANTED), **details)
    return resumed


@retried
@transaction.atomic
def reopen_appeals(
    appeals: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Appeal]:
    """Open decided appeals again, and return them. What a granted appeal did is taken back.

    Withdrawn appeals stay withdrawn: their players have left. Raises ValueError without a reason.
    """
    check_reason(reason)
    details: dict[str, Any] = {"by": by, "reason": reason, "note": note, "now": now}
    decided = Appeal.objects.filter(pk__in=list(appeals), decision__in=(Appeal.GRANTED, Appeal.CONFIRMED))
    granted = decided.filter(decision=Appeal.GRANTED)
    # Bans and incidents are locked before their appeals, as in decide_appeals.
    sanctions.resume_bans(list(granted.exclude(ban=None).values_list("ban", flat=True)), **details)
    _take_back(list(granted.exclude(incident=None).values_list("incident", flat=True)), **details)
    return _reopen(decided, **details)


def _take_back(
    incidents: Iterable[int], *, by: User | None, reason: str, note: str, now: dt.datetime
) -> list[Incident]:
    check_reason(reason)
    locked = lock_rows(Incident.objects.filter(pk__in=incidents).select_related("player"))
    in_force = Pardon.objects.filter(incident__in=locked, lifted_at=None)
    pardoned = set(in_force.values_list("incident", flat=True))
    lifted_at = Greatest(Value(now, DateTimeField()), F("pardoned_at"))
    in_force.update(lifted_at=lifted_at, lifted_by=by, lift_reason=reason, lift_note=note)
    taken = [incident for incident in locked if incident.pk in pardoned]
    lines = [(f"incident {incident.pk}", incident.player_id) for incident in taken]
    record_acts("take back pardon", lines, by=by, reason=reason, note=note, now=now)
    return taken


def _reopen(appeals: QuerySet[Appeal], *, by: User | None, reason: str, note: str, now: dt.datetime) -> list[Appeal]:
    decided: list[Any] = lock_rows(appeals.select_related("player", "decided_by"))
    insert_rows(
        [
            Reopening(
                appeal=appeal, decision=appeal.decision, decided_at=appeal.decided_at, decided_by=appeal.decided_by,
                answer=appeal.answer, decision_note=appeal.note, reopened_at=max(now, appeal.decided_at), by=by,
                reason=reason, note=note,
            )
            for appeal in decided
        ]
    )  # fmt: skip
    Appeal.objects.filter(pk__in=[appeal.pk for appeal in decided]).update(
        decision="", decided_at=None, decided_by=None, answer="", note=""
    )
    lines = [(appeal.subject, appeal.player_id) for appeal in decided]
    record_acts("reopen appeal", lines, by=by, reason=reason, note=note, now=now)
    return decided
