"""Admin pages of sources: the senders of results, to whom API keys belong."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from ranking.admin.base.base import LedgerAdmin
from ranking.admin.base.display import list_link
from ranking.models import Key, Source


@admin.register(Source)
class SourceAdmin(LedgerAdmin[Source]):
    list_display = ("slug", "created_at")
    search_fields = ("slug",)
    search_help_text = "How the name begins."
    ordering = ("slug",)
    sortable_by = ("slug",)
    fields = ("slug",)

    def get_fields(self, request: HttpRequest, obj: Source | None = None) -> Any:
        return ("slug", "created_at", "keys") if obj else ("slug",)

    def get_readonly_fields(self, request: HttpRequest, obj: Source | None = None) -> Any:
        return self.get_fields(request, obj) if obj else ()  # its slug identifies its results

    def audit_subject(self, row: Source) -> str:
        return f"source {row.slug}"

    def search_rows(self, queryset: QuerySet[Source], term: str) -> QuerySet[Source]:
        return queryset.filter(slug__istartswith=term)  # without an index: a game has a handful of sources

    def save_model(self, request: HttpRequest, obj: Source, form: object, change: bool) -> None:
        obj.created_at = timezone.now()
        super().save_model(request, obj, form, change)

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    @admin.display
    def keys(self, source: Source) -> str:
        return list_link(Key, "Its keys", source__id__exact=source.pk)
