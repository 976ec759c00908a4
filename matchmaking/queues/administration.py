"""An administrator's change of a queue's settings, with a line in the audit log."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction

from matchmaking.models import Queue
from ranking.database.retries import retried
from ranking.operations.audit import check_reason, record_changes
from ranking.operations.row_changes import change_texts, changed_fields, state_of

# The fields of a queue that an administrator may change.
SETTINGS = (
    "open", "strategy", "skill_above", "default_width", "widen_every", "max_rating_spread", "rematch_after",
    "rematches", "rematch_memory", "team_size", "largest_party", "max_party_difference", "split", "favourite",
    "favourite_end", "favourite_over", "accepting", "accept_seconds", "servers", "server_memory", "regions",
    "ping_limit", "variants", "start_seconds", "longest_match", "lost_seconds", "longest_wait",
)  # fmt: skip


@retried
@transaction.atomic
def configure_queue(queue: Queue, settings: Mapping[str, object], *, by: User, reason: str, now: dt.datetime) -> None:
    """Change settings of a queue; settings equal to those in force change nothing, and the log says nothing of them.

    Raises ValidationError, which names the fields, and ValueError without a reason.
    """
    check_reason(reason)
    stored = Queue.objects.select_for_update(of=("self",)).select_related("mode").get(pk=queue.pk)
    before = state_of(stored, settings)
    changed = [name for name, value in settings.items() if getattr(stored, name) != value]
    if not changed:
        return
    for name in changed:
        setattr(stored, name, settings[name])
    stored.full_clean()
    stored.save(update_fields=changed)
    changes = change_texts(before, state_of(stored, settings))
    subject = changed_fields(f"queue {stored.mode.slug}", changes)
    record_changes("change queue", subject, changes, by=by, reason=reason, now=now)
