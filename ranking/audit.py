"""The audit log: what moderators and the system did, to what, and why."""

import datetime as dt

from django.contrib.auth.models import User

from ranking.models import AuditEntry, Player


def note(
    act: str, subject: str, *, by: User | None, reason: str, now: dt.datetime, player: Player | None = None
) -> None:
    """Add a line, inside the transaction of what it tells of; `by` None: the system. ValueError without a reason."""
    if not reason.strip():
        raise ValueError("Say why.")
    AuditEntry.objects.create(at=now, by=by, act=act, player=player, subject=subject, reason=reason)
