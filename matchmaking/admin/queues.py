"""Admin pages of queues, which administrators set up, and of the history of matches formed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import JSONField, QuerySet
from django.http import HttpRequest

from matchmaking.models import Formed, Queue
from ranking.admin.base.base import LedgerAdmin, ReadOnlyAdmin
from ranking.admin.base.display import badge


class NamesField(forms.JSONField):
    """A list of names; an empty text is the empty list."""

    def to_python(self, value: Any) -> Any:
        names = super().to_python(value)
        return [] if names is None else names


@admin.register(Queue)
class QueueAdmin(LedgerAdmin[Queue]):
    list_display = ("mode", "state", "strategy", "accept_seconds", "ticked_at")
    list_select_related = ("mode",)
    ordering = ("mode__name",)
    formfield_overrides = {JSONField: {"form_class": NamesField}}
    fieldsets = (
        (None, {"fields": ("mode", "open")}),
        ("Who plays whom", {"fields": ("strategy", "skill_above", "default_width", "widen_every", "max_rating_spread",
                                       "rematch_after", "rematches", "rematch_memory")}),
        ("Teams", {"fields": ("team_size", "largest_party", "max_party_difference", "split", "favourite",
                              "favourite_end", "favourite_over")}),
        ("Accepting", {"fields": ("accepting", "accept_seconds")}),
        ("Servers", {"fields": ("servers", "server_memory")}),
        ("Regions and maps", {"fields": ("regions", "ping_limit", "variants")}),
        ("Times", {"fields": ("start_seconds", "longest_match", "lost_seconds", "longest_wait")}),
    )  # fmt: skip

    def audit_subject(self, row: Queue) -> str:
        return f"queue {row.mode.slug}"

    def search_rows(self, queryset: QuerySet[Queue], term: str) -> QuerySet[Queue]:
        return queryset.filter(mode__name__icontains=term)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("mode",) if obj else ()

    @admin.display
    def state(self, queue: Queue) -> str:
        return badge("Open", "good") if queue.open else badge("Closed", "warn")


@admin.register(Formed)
class FormedAdmin(ReadOnlyAdmin[Formed]):
    """The history of matches formed, which names nobody."""

    list_display = ("formed_at", "queue", "region", "difference", "spread", "longest_wait")
    sortable_by = ("formed_at",)
    list_select_related = ("queue__mode",)
    fields = ("formed_at", "queue", "region", "difference", "spread", "longest_wait", "waits")
