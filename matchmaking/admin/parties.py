"""Admin pages of parties, which are only looked at."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from matchmaking.models import Party, PartyMember
from ranking.admin.base.base import ReadOnlyAdmin
from ranking.players.search import MOST_FOUND, find_named


class PartyMemberInline(admin.TabularInline[PartyMember, Party]):
    model = PartyMember
    fields = readonly_fields = ("player", "leads", "joined_at")
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Party)
class PartyAdmin(ReadOnlyAdmin[Party]):
    list_display = ("id", "created_at")
    sortable_by = ("id",)
    search_fields = ("members__player__search_name", "members__player__key")
    search_help_text = f"A part of a player's name (at most {MOST_FOUND} players), or the whole key."
    fields = ("id", "created_at")
    inlines = (PartyMemberInline,)

    def search_rows(self, queryset: QuerySet[Party], term: str) -> QuerySet[Party]:
        return queryset.filter(pk__in=PartyMember.objects.filter(player__in=find_named(term)).values("party"))
