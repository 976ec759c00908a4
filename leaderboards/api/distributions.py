"""`/boards/{mode}/distribution/`: how the ratings of a season are spread, also of those who have played a lot."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.api.boards import find_board
from leaderboards.api.standings import plain_rating
from leaderboards.boards.distribution import load_distribution
from ranking.api.base import ApiView, sees_everything
from ranking.api.pagination import QuerySerializer, read_query
from ranking.api.schema import documented
from ranking.standings.matches_played import LEAST_MATCHES


class DistributionQuery(QuerySerializer):
    season = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, required=False, help_text="Number of a season; default: the current one."
    )
    matches = serializers.ChoiceField(
        [0, *LEAST_MATCHES], default=0, help_text="Only players who have completed so many matches of the season."
    )


class RatingBarSerializer(serializers.Serializer[Any]):
    """`players` have a rating from `low` up to, but not including, `high`; the outermost bars hold all beyond."""

    low = serializers.CharField()
    high = serializers.CharField()
    players = serializers.IntegerField()


class DistributionSerializer(serializers.Serializer[Any]):
    mode = serializers.CharField()
    season = serializers.IntegerField(help_text="Its number.")
    matches = serializers.IntegerField(help_text="The least number of completed matches.")
    updated_at = serializers.DateTimeField(allow_null=True, help_text="Null before the first publication.")
    listed = serializers.IntegerField(help_text="Players on the board.")
    players = serializers.IntegerField(help_text="Those of them who are counted here.")
    median = serializers.CharField(allow_null=True, help_text="Half of these players have no higher rating.")
    bars = RatingBarSerializer(many=True, help_text="At most 40, the lowest ratings first.")


class DistributionView(ApiView):
    @documented(
        "How ratings are spread",
        operation_id="get_distribution",
        description="Published ratings of a season. With `matches`, counts are at most ten minutes old.",
        answers={200: DistributionSerializer},
        problems=[400, 403, 404],
        query=DistributionQuery,
    )
    def get(self, request: Request, mode: str) -> Response:
        asked = read_query(request, DistributionQuery)
        board = find_board(mode, asked.get("season"), "", whole=sees_everything(request, mode))
        if not board.mode.shows_rating:
            raise NotFound(f"{mode} doesn't show ratings.")
        spread = load_distribution(board, viewer=None, least=asked["matches"])
        return Response(
            {
                "mode": board.mode.slug,
                "season": board.season.number,
                "matches": asked["matches"],
                "updated_at": spread and spread.published.taken_at,
                "listed": len(spread.published.table) if spread else 0,
                "players": spread.players if spread else 0,
                "median": (spread and plain_rating(spread.median)) or None,
                "bars": [
                    {"low": plain_rating(group.low), "high": plain_rating(group.high), "players": group.count}
                    for group in (spread.groups if spread else [])
                ],
            }
        )
