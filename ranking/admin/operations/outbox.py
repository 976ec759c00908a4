"""Admin pages of the outbox: work after results that waits, runs, or failed too often."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.text import Truncator

from ranking.admin.base.base import UneditedAdmin
from ranking.admin.base.display import badge
from ranking.models import OutboxEntry
from ranking.operations.outbox import try_again

LATE = dt.timedelta(minutes=10)


class OutboxStateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("parked", "Parked: failed too often"), ("overdue", "Overdue by ten minutes")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[OutboxEntry]) -> QuerySet[OutboxEntry]:
        if self.value() == "parked":
            return queryset.filter(parked_at__isnull=False)
        if self.value() == "overdue":
            return queryset.filter(parked_at=None, due_at__lt=timezone.now() - LATE)
        return queryset


def _is_overdue(request: HttpRequest) -> bool:
    return request.GET.get(OutboxStateFilter.parameter_name) == "overdue"


@admin.register(OutboxEntry)
class OutboxAdmin(UneditedAdmin[OutboxEntry]):
    list_display = ("id", "consumer", "event_id", "state", "due_at", "attempts", "error")
    list_filter = (OutboxStateFilter,)
    sortable_by = ("id",)
    fields = ("consumer", "event", "state", "due_at", "claimed_until", "attempts", "parked_at", "last_error")
    actions = ("again",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def get_ordering(self, request: HttpRequest) -> Any:
        return ("due_at", "id") if _is_overdue(request) else self.ordering

    def get_sortable_by(self, request: HttpRequest) -> tuple[str, ...]:
        """The index by when work is due leaves out what is parked."""
        return ("id", "due_at") if _is_overdue(request) else self.sortable_by

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        kwargs["extra_context"] = {"object_actions": {"again": "Try again"}}
        return super().change_view(request, object_id, *args, **kwargs)

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

    @admin.action(description="Try again", permissions=["change"])
    def again(self, request: HttpRequest, entries: QuerySet[OutboxEntry]) -> None:
        due = try_again(entries, now=timezone.now())
        skipped = "" if due else " What is ticked is running now."
        sentence = "1 entry is due again." if due == 1 else f"{due} entries are due again."
        self.message_user(request, sentence + skipped, messages.SUCCESS if due else messages.WARNING)
