"""Admin pages of canned answers: texts kept ready, which forms offer wherever a player reads what is written."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet

from ranking.admin.base.base import LedgerAdmin
from ranking.models import CannedAnswer


@admin.register(CannedAnswer)
class CannedAnswerAdmin(LedgerAdmin[CannedAnswer]):
    list_display = ("title", "text", "offered")
    ordering = ("title",)
    sortable_by = ("title",)
    search_fields = ("title",)
    search_help_text = "A part of the title."
    fields = ("title", "text", "offered")

    def audit_subject(self, row: CannedAnswer) -> str:
        return f"canned answer {row.title}"

    def search_rows(self, queryset: QuerySet[CannedAnswer], term: str) -> QuerySet[CannedAnswer]:
        return queryset.filter(title__icontains=term)  # without an index: moderators keep a handful
