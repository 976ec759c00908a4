"""`/boards/{mode}/distribution/`: how the ratings of a season are spread, also of those who have played a lot."""

from dataclasses import dataclass

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.api.boards import find_board
from leaderboards.api.standings import PlainRatingField
from leaderboards.boards.boards import Board
from leaderboards.boards.distribution import Group, Spread, load_distribution
from ranking.api.base import ApiView, sees_everything
from ranking.api.output import OutputSerializer
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


@dataclass(frozen=True, slots=True)
class BoardSpread:
    """The distribution of a board's ratings; `spread` None: nobody is listed. `least`: of completed matches."""

    board: Board
    least: int
    spread: Spread | None

    @property
    def listed(self) -> int:
        return len(self.spread.published.table) if self.spread else 0

    @property
    def players(self) -> int:
        return self.spread.players if self.spread else 0

    @property
    def bars(self) -> list[Group]:
        return self.spread.groups if self.spread else []


class RatingBarSerializer(OutputSerializer[Group]):
    """`players` have a rating from `low` up to, but not including, `high`; the outermost bars hold all beyond."""

    low = PlainRatingField()
    high = PlainRatingField()
    players = serializers.IntegerField(source="count")


class DistributionSerializer(OutputSerializer[BoardSpread]):
    mode = serializers.CharField(source="board.mode.slug")
    season = serializers.IntegerField(source="board.season.number", help_text="Its number.")
    matches = serializers.IntegerField(source="least", help_text="The least number of completed matches.")
    updated_at = serializers.DateTimeField(
        source="spread.published.taken_at", allow_null=True, help_text="Null before the first publication."
    )
    listed = serializers.IntegerField(help_text="Players on the board.")
    players = serializers.IntegerField(help_text="Those of them who are counted here.")
    median = PlainRatingField(
        source="spread.median", allow_null=True, help_text="Half of these players have no higher rating."
    )
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
        return Response(DistributionSerializer.fill(BoardSpread(board, asked["matches"], spread)))
