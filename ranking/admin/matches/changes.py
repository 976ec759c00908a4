"""Admin pages of changes, the ledger's lines."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from ranking.admin.base.audited import M
from ranking.admin.base.base import ReadOnlyAdmin
from ranking.admin.base.display import change_text, link_to, rating_text
from ranking.admin.base.filters import ModeFilter, PlayerFilter
from ranking.admin.base.lists import number_in
from ranking.models import Change
from ranking.players.search import MOST_FOUND, find_named


class ModeOfPlayerFilter(ModeFilter):
    """Filters by mode. It is offered only together with a player: the index of changes begins with the player."""

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[M]) -> list[tuple[str, str]]:
        player = request.GET.get(PlayerFilter.parameter_name)
        return super().lookups(request, model_admin) if player else []


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin[Change]):
    list_display = ("sequence", "player", "season", "kind", "outcome", "before", "step", "after")
    list_filter = (PlayerFilter, ModeOfPlayerFilter)
    search_fields = ("player__search_name", "player__key", "event")
    search_help_text = f"A sequence, a part of a player's name (at most {MOST_FOUND} players), or the whole key."
    fieldsets = (
        (None, {"fields": ("kind", "outcome", "whose", "mode", "season", "sequence", "of_match", "rules")}),
        (
            "Before",
            {
                "fields": (
                    "before",
                    "mu_before",
                    "sigma_before",
                    "volatility_before",
                    "skill_matches_before",
                    "win_probability",
                )
            },
        ),
        (
            "After",
            {
                "fields": (
                    "after",
                    "step",
                    "mu_after",
                    "sigma_after",
                    "volatility_after",
                    "skill_matches_after",
                    "generation",
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Change]:
        return super().get_queryset(request).select_related("player", "mode", "season__mode")

    def title_of(self, row: Change) -> str:
        return f"{row.player}: {self.before(row)} → {self.after(row)}"

    def search_rows(self, queryset: QuerySet[Change], term: str) -> QuerySet[Change]:
        return queryset.filter(Q(player__in=find_named(term)) | Q(event=number_in(term)))

    @admin.display(description="Sequence")
    def sequence(self, change: Change) -> int:
        return change.event_id

    @admin.display(description="Player")
    def whose(self, change: Change) -> str:
        return link_to(change.player)

    @admin.display(description="Match")
    def of_match(self, change: Change) -> str:
        return link_to(change.match)

    @admin.display(description="Rated by")
    def rules(self, change: Change) -> str:
        return link_to(change.parameters)

    @admin.display
    def before(self, change: Change) -> str:
        return rating_text(change.display_before)

    @admin.display(description="Change")
    def step(self, change: Change) -> str:
        return change_text(change.display_before, change.display_after)

    @admin.display
    def after(self, change: Change) -> str:
        return rating_text(change.display_after)
