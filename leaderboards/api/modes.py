"""`/modes/`: the modes of this site and their rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.boards.boards import current_seasons
from ranking.api.base import ApiView, sees_everything
from ranking.api.output import OutputSerializer
from ranking.api.pagination import PageQuery, find_page, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.database.keyset import Order
from ranking.models import Mode, Season
from ranking.players.visibility import Shown, revealed, shown
from ranking.rules.tiers import SCHEMES, TierBound, tier_bounds

ORDER = Order((("mode__name", "text"), ("mode__id", "whole")))


@dataclass(frozen=True, slots=True)
class ModeRules:
    """A mode in its current season, as far as the caller may see it. `season`: see `current_seasons`."""

    mode: Mode
    season: Any
    shows: Shown
    tiers: Sequence[TierBound]


class ShownSerializer(OutputSerializer[Shown]):
    rating = serializers.BooleanField()
    rank = serializers.BooleanField()
    percentile = serializers.BooleanField()
    tier = serializers.BooleanField()


class TierBoundSerializer(OutputSerializer[TierBound]):
    name = serializers.CharField()
    first = serializers.IntegerField(  # type: ignore[assignment]  # a field, which the metaclass takes away
        help_text="The percentile at which it begins."
    )


class SeasonSerializer(OutputSerializer[Season]):
    """A stretch of the mode's history with a board of its own: [starts_at, ends_at)."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField(allow_null=True)


class ModeSerializer(OutputSerializer[ModeRules]):
    slug = serializers.CharField(source="mode.slug")
    name = serializers.CharField(source="mode.name")
    description = serializers.CharField(source="mode.description", allow_blank=True)
    ranked = serializers.BooleanField(source="mode.ranked", help_text="Unranked modes are for fun: they have no board.")
    team_count = serializers.IntegerField(source="mode.team_count", help_text="Of a match, at most.")
    fewest_teams = serializers.IntegerField(source="mode.fewest_teams", help_text="Of a match, at least.")
    team_size_min = serializers.IntegerField(source="mode.team_size_min")
    team_size_max = serializers.IntegerField(source="mode.team_size_max")
    placement_matches = serializers.IntegerField(
        source="mode.placement_matches", help_text="Completed matches before somebody has a rank."
    )
    activity_matches = serializers.IntegerField(
        source="mode.activity_matches", help_text="Completed matches within activity_days that keep a rank."
    )
    activity_days = serializers.IntegerField(
        source="mode.activity_days", allow_null=True, help_text="Null: nobody becomes inactive."
    )
    tier_scheme = serializers.ChoiceField(SCHEMES, source="mode.tier_scheme")
    tier_least_listed = serializers.IntegerField(
        source="mode.tier_least_listed", help_text="Tiers are given while at least so many are listed."
    )
    time_zone = serializers.CharField(source="mode.time_zone", help_text="Where its days and seasons begin.")
    withdraw_seconds = serializers.IntegerField(
        source="mode.withdraw_seconds",
        help_text="For so long after it arrived its sender may withdraw a result; 0: never.",
    )
    system = serializers.CharField(source="season.system", help_text="The rating system in force.")
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
        items = [_rules_of(season, sees_everything(request, season.mode.slug)) for season in page]
        return page_response(request, ModeSerializer.fill_many(items), after)


def _rules_of(season: Any, whole: bool) -> ModeRules:
    mode = season.mode
    visible = shown(revealed(mode) if whole else mode)
    bounds = tier_bounds(mode.tier_scheme, mode.named_tier_list) if visible.tier else ()
    return ModeRules(mode, season, visible, bounds)
