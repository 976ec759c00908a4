"""Admin pages of strikes: who is struck from which archived season, and the acts of moderators on ratings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from ranking.admin.base.acts.acts import Act, ActRefused, at_any_time, keys_of
from ranking.admin.base.acts.confirmation import Question
from ranking.admin.base.acts.effects import with_strikes
from ranking.admin.base.base import ReadOnlyAdmin
from ranking.admin.base.display import badge, link_to
from ranking.admin.base.filters import choice_filter
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


def _or_refuse(act: Callable[..., list[Rating]]) -> Callable[..., list[Rating]]:
    """Return an act on ratings that tells why it was refused."""

    def strike(ratings: QuerySet[Rating], **details: object) -> list[Rating]:
        try:
            return act(keys_of(ratings), **details)
        except StrikeRefused as refused:
            raise ActRefused(str(refused), messages.ERROR) from refused

    return strike


def _fits(*, struck: bool) -> Callable[[Any], bool]:
    return lambda rating: rating.season.state == Season.ARCHIVED and rating.struck == struck


STRIKE_RIGHT = "ranking.strike_rating"
EFFECTS = at_any_time(with_strikes)
STRIKE_ACTS = (
    Act(
        "strike",
        "Strike from the season…",
        STRIKE_RIGHT,
        _or_refuse(strike_ratings),
        "Struck",
        STRIKE,
        effects=EFFECTS,
        fits=_fits(struck=False),
    ),
    Act(
        "lift_strike",
        "Lift the strike…",
        STRIKE_RIGHT,
        _or_refuse(lift_strikes),
        "Strike lifted",
        LIFT,
        effects=EFFECTS,
        fits=_fits(struck=True),
    ),
)


StrikeStateFilter = choice_filter(
    "state", "state", {"struck": ("In force", Q(lifted_at=None)), "lifted": ("Lifted", Q(lifted_at__isnull=False))}
)


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
