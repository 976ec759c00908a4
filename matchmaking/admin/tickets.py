"""Admin pages of tickets: moderators take players out of a queue."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from matchmaking import lifecycle
from matchmaking.admin.base import StateFilter, state_badge
from matchmaking.models import Ticket, TicketMember
from matchmaking.operations.closing import end_ticket
from ranking.admin.base.acts.acts import Act, on_each
from ranking.admin.base.acts.confirmation import Question
from ranking.admin.base.acts.forms import ReasonForm
from ranking.admin.base.base import UneditedAdmin
from ranking.players.search import MOST_FOUND, find_named

END = Question("Take tickets out", "Their players leave the queue and may queue again at once.", "Take out")


class TicketStateFilter(StateFilter):
    machine = lifecycle.TICKET


class MemberInline(admin.TabularInline[TicketMember, Ticket]):
    model = TicketMember
    fields = readonly_fields = ("player", "percentile", "width", "strict", "seen_at", "accepted_at")
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Ticket)
class TicketAdmin(UneditedAdmin[Ticket]):
    actions = (Act("end", "Take out of the queue…", "change", on_each(end_ticket), "Taken out", END, ReasonForm),)
    list_display = ("id", "queue", "shown_state", "size", "queued_at", "ending")
    list_select_related = ("queue__mode",)
    list_filter = (TicketStateFilter,)
    sortable_by = ("id",)
    search_fields = ("members__player__search_name", "members__player__key")
    search_help_text = f"A part of a player's name (at most {MOST_FOUND} players), or the whole key."
    fields = ("queue", "shown_state", "size", "queued_at", "waiting_since", "waited", "pings", "lobby", "team",
              "matched_at", "ended_at", "ending")  # fmt: skip
    inlines = (MemberInline,)

    def search_rows(self, queryset: QuerySet[Ticket], term: str) -> QuerySet[Ticket]:
        return queryset.filter(pk__in=TicketMember.objects.filter(player__in=find_named(term)).values("ticket"))

    @admin.display(description="State")
    def shown_state(self, ticket: Ticket) -> str:
        return state_badge(lifecycle.TICKET, ticket.state)
