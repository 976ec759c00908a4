"""Admin pages of parties, which are only looked at."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from matchmaking.models import Party, PartyMember
from ranking.admin.base.base import ReadOnlyAdmin


class PartyMemberInline(admin.TabularInline[PartyMember, Party]):
    model = PartyMember
    fields = readonly_fields = ("player", "leads", "joined_at")
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Party)
class PartyAdmin(ReadOnlyAdmin[Party]):
    list_display = ("id", "created_at")
    sortable_by = ("id",)
    fields = ("id", "created_at")
    inlines = (PartyMemberInline,)
