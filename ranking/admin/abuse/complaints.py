"""Admin pages of single reports by players: who reported whom, in which match, and why."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from ranking.admin.base.base import ReadOnlyAdmin
from ranking.admin.base.display import link_to
from ranking.admin.base.lists import number_in
from ranking.models import Complaint, ComplaintCase, Leaver
from ranking.players.search import MOST_FOUND, find_named


class CaseFilter(admin.SimpleListFilter):
    """Filters the reports of one case. It is offered only if the address names a case, as its page does."""

    title = "case"
    parameter_name = "case"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        number = number_in(request.GET.get(self.parameter_name, ""))
        cases = ComplaintCase.objects.filter(pk=number).select_related("player") if number else ()
        return [(str(case.pk), str(case.player)) for case in cases]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Complaint]) -> QuerySet[Complaint]:
        return queryset.filter(case=number_in(self.value() or "")) if self.value() else queryset


@admin.register(Complaint)
class ComplaintAdmin(ReadOnlyAdmin[Complaint]):
    list_display = ("made_at", "reported", "reason", "text", "reporter", "match")
    list_filter = (CaseFilter,)
    list_select_related = ("reported", "reporter", "match__mode", "match__source")
    search_fields = ("reported__search_name", "reported__key", "reporter__search_name", "reporter__key")
    search_help_text = f"A part of either player's name (at most {MOST_FOUND} players), or the whole key."
    fields = ("about", "of_match", "reason", "text", "by", "made_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Complaint]:
        return super().get_queryset(request).select_related("case__player", *self.list_select_related)

    def search_rows(self, queryset: QuerySet[Complaint], term: str) -> QuerySet[Complaint]:
        players = find_named(term)
        return queryset.filter(Q(reported__in=players) | Q(reporter__in=players))

    @admin.display(description="About")
    def about(self, complaint: Complaint) -> str:
        return link_to(complaint.case, complaint.reported.name)

    @admin.display(description="Match")
    def of_match(self, complaint: Complaint) -> str:
        return link_to(complaint.match)

    @admin.display(description="Reported by")
    def by(self, complaint: Complaint) -> str:
        return link_to(Leaver(pk=complaint.reporter_id, name=complaint.reporter.name))
