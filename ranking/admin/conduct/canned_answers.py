"""Admin pages of canned answers: texts kept ready, which forms offer wherever a player reads what is written."""

from __future__ import annotations

from django.contrib import admin

from ranking.admin.base.base import LedgerAdmin
from ranking.models import CannedAnswer


@admin.register(CannedAnswer)
class CannedAnswerAdmin(LedgerAdmin[CannedAnswer]):
    list_display = ("title", "text", "offered")
    ordering = ("title",)
    fields = ("title", "text", "offered")
