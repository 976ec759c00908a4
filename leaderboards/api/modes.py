"""`/modes/`: the modes of this site and their rules."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.boards.boards import current_seasons
from ranking.api.base import ApiView, sees_everything
from ranking.api.pagination import PageQuery, find_page, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.database.keyset import Order
from ranking.players.visibility import revealed, shown
from ranking.rules.tiers import SCHEMES, tier_bounds

ORDER = Order((("mode__name", "text"), ("mode__id", "whole")))
_FIELDS = (
    "slug", "name", "description", "ranked", "team_count", "fewest_teams", "team_size_min", "team_size_max",
    "placement_matches", "activity_matches", "activity_days", "tier_scheme", "tier_least_listed",
    "time_zone", "withdraw_seconds",
)  # fmt: skip


class ShownSerializer(serializers.Serializer[Any]):
    rating = serializers.BooleanField()
    rank = serializers.BooleanField()
    percentile = serializers.BooleanField()
    tier = serializers.BooleanField()


class TierBoundSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    first = serializers.IntegerField(help_text="The percentile at which it begins.")


class SeasonSerializer(serializers.Serializer[Any]):
    """A stretch of the mode's history with a board of its own: [starts_at, ends_at)."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField(allow_null=True)


class ModeSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    ranked = serializers.BooleanField(help_text="Unranked modes are for fun: they have no board.")
    team_count = serializers.IntegerField(help_text="Of a match, at most.")
    fewest_teams = serializers.IntegerField(help_text="Of a match, at least.")
    team_size_min = serializers.IntegerField()
    team_size_max = serializers.IntegerField()
    placement_matches = serializers.IntegerField(help_text="Completed matches before somebody has a rank.")
    activity_matches = serializers.IntegerField(help_text="Completed matches within activity_days that keep a rank.")
    activity_days = serializers.IntegerField(allow_null=True, help_text="Null: nobody becomes inactive.")
    tier_scheme = serializers.ChoiceField(SCHEMES)
    tier_least_listed = serializers.IntegerField(help_text="Tiers are given while at least so many are listed.")
    time_zone = serializers.CharField(help_text="Where its days and seasons begin.")
    withdraw_seconds = serializers.IntegerField(
        help_text="For so long after it arrived its sender may withdraw a result; 0: never."
    )
    system = serializers.CharField(help_text="The rating system in force.")
    shows = ShownSerializer()
    tiers = TierBoundSerializer(many=True, help_text="Lowest first; empty where tiers aren't shown.")
    season = SeasonSerializer(help_text="The current one.")


class ModesView(ApiView):
    @documented(
        "Modes by name",
        operation_id="list_modes",
        description="What is played here, and by which rules.",
        answers={200: page_of("ModePage", ModeSerializer(many=True))},
        problems=[400],
        query=PageQuery,
    )
    def get(self, request: Request) -> Response:
        page, after = find_page(current_seasons(), ORDER, read_query(request, PageQuery))
        items = (_mode_data(season, sees_everything(request, season.mode.slug)) for season in page)
        return page_response(request, items, after)


def _mode_data(season: Any, whole: bool) -> dict[str, Any]:
    mode = season.mode
    visible = shown(revealed(mode) if whole else mode)
    bounds = tier_bounds(mode.tier_scheme, mode.named_tier_list) if visible.tier else ()
    return {
        **{name: getattr(mode, name) for name in _FIELDS},
        "system": season.system,
        "shows": {name: getattr(visible, name) for name in ("rating", "rank", "percentile", "tier")},
        "tiers": [{"name": bound.name, "first": bound.first} for bound in bounds],
        "season": {name: getattr(season, name) for name in ("number", "name", "starts_at", "ends_at")},
    }
