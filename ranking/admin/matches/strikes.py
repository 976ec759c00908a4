"""Admin pages of strikes: who is struck from which archived season, and the actions of moderators on ratings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from ranking.admin.base.actions import ConductActionsAdmin
from ranking.admin.base.base import ReadOnlyAdmin
from ranking.admin.base.confirmation import Question, confirmation_page, report_done
from ranking.admin.base.consequences import with_strikes
from ranking.admin.base.display import badge, link_to
from ranking.admin.base.reasons import TextsForm, details_of, form_from
from ranking.models import Rating, Season, Strike
from ranking.players.search import MOST_FOUND, find_named
from ranking.seasons.strikes import StrikeRefused, lift_strikes, strike_ratings

STRIKE = Question(
    "Strike from the season",
    "They are shown as struck on the boards of the season, which is over: no medal, no reward. Nobody’s rank moves, and"
    " games that subscribe to corrections are told.",
    "Strike",
)
LIFT = Question("Lift strikes", "Medals and rewards of the season count again. Games are told.", "Lift")


class StrikeActions(ConductActionsAdmin):
    """Adds the actions that strike the players of ratings from archived seasons, and that lift strikes."""

    def actions_for(self, request: HttpRequest, row: Any) -> tuple[str, ...]:
        if row.season.state != Season.ARCHIVED:
            return ()
        return ("lift_strike",) if row.struck else ("strike",)

    @admin.action(description="Strike from the season…", permissions=["strike"])
    def strike(self, request: HttpRequest, ratings: QuerySet[Rating]) -> HttpResponse | None:
        return self._act(request, ratings, STRIKE, "Struck", strike_ratings)

    @admin.action(description="Lift the strike…", permissions=["strike"])
    def lift_strike(self, request: HttpRequest, ratings: QuerySet[Rating]) -> HttpResponse | None:
        return self._act(request, ratings, LIFT, "Strike lifted", lift_strikes)

    def _act(
        self,
        request: HttpRequest,
        ratings: QuerySet[Rating],
        question: Question,
        outcome: str,
        act: Callable[..., list[Rating]],
    ) -> HttpResponse | None:
        form = form_from(request, TextsForm)
        if not form.is_valid():
            return confirmation_page(self, request, with_strikes(ratings), question, form=form)
        details = details_of(request, form, timezone.now())
        try:
            return report_done(self, request, act([rating.pk for rating in ratings], **details), outcome)
        except StrikeRefused as refused:
            self.message_user(request, str(refused), messages.ERROR)
            return None


class StrikeStateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("struck", "In force"), ("lifted", "Lifted")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Strike]) -> QuerySet[Strike]:
        if self.value() not in ("struck", "lifted"):
            return queryset
        return queryset.filter(lifted_at__isnull=self.value() == "struck")


@admin.register(Strike)
class StrikeAdmin(ReadOnlyAdmin[Strike]):
    list_display = ("struck_at", "whose", "season", "state", "reason", "by")
    list_filter = (StrikeStateFilter,)
    search_fields = ("rating__player__search_name", "rating__player__key")
    search_help_text = f"A part of a player's name (at most {MOST_FOUND} players), or the whole key."
    fields = (
        "whose", "season", "of_rating", "state", "struck_at", "by", "reason", "note", "lifted_at", "lifted_by",
        "lift_reason", "lift_note",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Strike]:
        strikes = super().get_queryset(request)
        return strikes.select_related("rating__player", "rating__season__mode", "by", "lifted_by")

    def search_rows(self, queryset: QuerySet[Strike], term: str) -> QuerySet[Strike]:
        return queryset.filter(rating__player__in=find_named(term))

    def title_of(self, row: Strike) -> str:
        return f"{row.rating.player}, struck from {row.rating.season}"

    @admin.display(description="Player")
    def whose(self, strike: Strike) -> str:
        return link_to(strike.rating.player)

    @admin.display
    def season(self, strike: Strike) -> str:
        return str(strike.rating.season)

    @admin.display(description="Strike and lift")
    def of_rating(self, strike: Strike) -> str:
        return link_to(strike.rating, "Their rating of the season")

    @admin.display
    def state(self, strike: Strike) -> str:
        return badge("In force", "warn") if strike.lifted_at is None else badge("Lifted")
