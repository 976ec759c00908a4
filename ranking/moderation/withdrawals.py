"""Senders withdraw results of their own: a void, as a moderator's, for as long as the mode lets them.

What a moderator decided about a match stays decided: a sender can't undo a restoring or a correction.
"""

from __future__ import annotations

import datetime as dt

from django.db import transaction

from ranking.database.retries import retried
from ranking.matches.records import with_voids
from ranking.models import Match
from ranking.moderation.voids import void
from ranking.modes.row_locks import lock_modes

NOTE = "Its sender withdrew it."


class WithdrawalRefused(Exception):
    """The sender may not withdraw this result; the message is a sentence for them."""


@retried
@transaction.atomic
def withdraw_result(match: Match, *, reason: str, now: dt.datetime) -> None:
    """Void a match for its sender. One that is void already stays as it is.

    Raises WithdrawalRefused, and ValueError without a reason.
    """
    lock_modes([match.mode_id])
    stored = with_voids(Match.objects.select_related("mode", "replaced_by")).get(pk=match.pk)
    if objection := _find_objection(stored, now):
        raise WithdrawalRefused(objection)
    void([stored], by=None, reason=reason, note=NOTE, now=now)


def _find_objection(match: Match, now: dt.datetime) -> str:
    """Why the sender may not withdraw this match; "" if they may, or if it is void and stays so."""
    if match.replaces_id is not None or hasattr(match, "replaced_by"):
        return "A moderator corrected this result: only moderators void it now."
    if match.is_void:
        return ""
    if match.voids.exists():
        return "A moderator restored this match: only moderators void it now."
    seconds = match.mode.withdraw_seconds
    if not seconds:
        return f"Results of {match.mode.slug} can't be withdrawn: ask a moderator to void or to correct it."
    if now - match.received_at > dt.timedelta(seconds=seconds):
        return (
            f"Results of {match.mode.slug} can be withdrawn for {seconds:,} s after they arrived, and this one arrived"
            f" at {match.received_at:%Y-%m-%d %H:%M:%S} UTC: ask a moderator to void or to correct it."
        )
    return ""
