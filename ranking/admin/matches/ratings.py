"""Admin pages of ratings, current and published."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Exists, QuerySet
from django.http import HttpRequest

from ranking.admin.base.base import ReadOnlyAdmin
from ranking.admin.base.display import badge, link_to, list_link, rating_text, record_text
from ranking.admin.base.filters import ArchivedBoardFilter, PlayerFilter
from ranking.admin.base.lists import number_in
from ranking.admin.matches.strikes import STRIKE_ACTS
from ranking.models import Change, Mode, Rating, Season
from ranking.players.search import find_named
from ranking.seasons.strikes import strike_in_force

MOST_PLAYERS = 50  # whose ratings a search shows


class BoardFilter(admin.SimpleListFilter):
    """Filters the listed ratings of a mode's current season, in the order of its board."""

    title = "board"
    parameter_name = "board"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(str(mode.pk), mode.name) for mode in Mode.objects.all()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Rating]) -> QuerySet[Rating]:
        if not self.value():
            return queryset
        mode = number_in(self.value() or "")
        seasons = list(Season.objects.filter(mode=mode, current=True).values_list("pk", flat=True)[:1])
        return queryset.filter(mode=mode, season__in=seasons, listed=True)


@admin.register(Rating)
class RatingAdmin(ReadOnlyAdmin[Rating]):
    actions = STRIKE_ACTS
    list_display = ("player", "season", "rating", "published", "record", "left", "standing")
    list_display_links = ("rating",)
    list_filter = (BoardFilter, ArchivedBoardFilter, PlayerFilter)
    search_fields = ("player__search_name", "player__key")
    search_help_text = f"A part of the player's name (at most {MOST_PLAYERS} players), or the game's whole key."
    fieldsets = (
        (None, {"fields": ("whose", "mode", "season", "region", "standing", "history")}),
        ("Now", {"fields": ("rating", "mu", "sigma", "volatility", "skill_matches", "reached_at")}),
        ("Counts", {"fields": ("record", "left", "last_completed_at", "last_match_at", "active_until")}),
        ("As published", {"fields": ("listed", "published", "published_reached_at", "published_on", "to_publish")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Rating]:
        ratings: Any = super().get_queryset(request).select_related("player", "mode", "season__mode")
        return ratings.annotate(struck=Exists(strike_in_force()))  # type: ignore[no-any-return]

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        board = any(request.GET.get(kind.parameter_name) for kind in (BoardFilter, ArchivedBoardFilter))
        return ("board_order", "published_reached_at", "id") if board else self.ordering

    def search_rows(self, queryset: QuerySet[Rating], term: str) -> QuerySet[Rating]:
        return queryset.filter(player__in=find_named(term)[:MOST_PLAYERS])

    def title_of(self, row: Rating) -> str:
        return f"{row.player} in {row.mode}, {row.season.name}"

    @admin.display(description="Player")
    def whose(self, rating: Rating) -> str:
        return link_to(rating.player)

    @admin.display
    def rating(self, rating: Rating) -> str:
        return rating_text(rating.display_hundredths)

    @admin.display
    def published(self, rating: Rating) -> str:
        return rating_text(rating.published_hundredths) if rating.listed else "–"

    @admin.display
    def record(self, rating: Rating) -> str:
        return record_text(rating, rating.mode)

    @admin.display
    def left(self, rating: Rating) -> int:
        return rating.leaves

    @admin.display(description="Board")
    def standing(self, rating: Any) -> str:
        if rating.struck:
            return badge("Struck", "warn")
        return badge("Listed", "good") if rating.listed else badge("Not listed")

    @admin.display(description="Changes")
    def history(self, rating: Rating) -> str:
        return list_link(Change, "Every change", player=rating.player_id, mode=rating.mode_id)
