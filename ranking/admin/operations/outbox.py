"""Admin pages of the outbox: work after results that waits, runs, or failed too often."""

from __future__ import annotations

import datetime as dt

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.text import Truncator

from ranking.admin.base.acts.acts import Act
from ranking.admin.base.audited import M
from ranking.admin.base.base import UneditedAdmin
from ranking.admin.base.display import badge
from ranking.admin.base.filters import choice_filter
from ranking.models import OutboxEntry
from ranking.operations.outbox import try_again

LATE = dt.timedelta(minutes=10)


OutboxStateFilter = choice_filter(
    "state",
    "state",
    {
        "parked": ("Parked: failed too often", Q(parked_at__isnull=False)),
        "overdue": ("Overdue by ten minutes", lambda request: Q(parked_at=None, due_at__lt=timezone.now() - LATE)),
    },
)


def _is_overdue(request: HttpRequest) -> bool:
    return request.GET.get("state") == "overdue"


class TryAgainAct(Act):
    """Says how many entries are due again."""

    def __call__(self, page: ModelAdmin[M], request: HttpRequest, rows: QuerySet[M]) -> None:
        due = self.do(rows, now=timezone.now())
        skipped = "" if due else " What is ticked is running now."
        sentence = "1 entry is due again." if due == 1 else f"{due} entries are due again."
        page.message_user(request, sentence + skipped, messages.SUCCESS if due else messages.WARNING)


@admin.register(OutboxEntry)
class OutboxAdmin(UneditedAdmin[OutboxEntry]):
    list_display = ("id", "consumer", "event_id", "state", "due_at", "attempts", "error")
    list_filter = (OutboxStateFilter,)
    sortable_by = ("id",)
    fields = ("consumer", "event", "state", "due_at", "claimed_until", "attempts", "parked_at", "last_error")
    actions = (TryAgainAct("again", "Try again", "change", try_again),)
    shows_every_act = True

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return ("due_at", "id") if _is_overdue(request) else self.ordering

    def get_sortable_by(self, request: HttpRequest) -> tuple[str, ...]:
        """The index by when work is due leaves out what is parked."""
        return ("id", "due_at") if _is_overdue(request) else self.sortable_by

    @admin.display
    def state(self, entry: OutboxEntry) -> str:
        now = timezone.now()
        if entry.parked_at:
            return badge("Parked", "warn")
        if entry.claimed_until and entry.claimed_until >= now:
            return badge("Running", "good")
        return badge("Overdue", "warn") if entry.due_at < now - LATE else badge("Waiting")

    @admin.display(description="Last error")
    def error(self, entry: OutboxEntry) -> str:
        return Truncator(entry.last_error).chars(80)
