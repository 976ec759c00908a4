"""`/boards/{mode}/players/`: the rows of up to a hundred players in one call."""

import datetime as dt
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.api.board_rows import RowSerializer
from leaderboards.api.boards import find_board
from leaderboards.boards.boards import Board
from leaderboards.boards.listed_players import find_listed_ratings
from leaderboards.boards.published import Published, find_published, published_with, read_consistently
from leaderboards.boards.rows import Line, find_yesterday, line_of
from ranking.api.answer_fields import AnswerFieldsField, pick
from ranking.api.base import ApiView, sees_everything
from ranking.api.output import OutputSerializer
from ranking.api.pagination import QuerySerializer, read_query
from ranking.api.schema import documented
from ranking.validation.fields import KeyField
from ranking.validation.objects import BoundedListField

MOST_PLAYERS = 100


class BoardPlayersQuery(QuerySerializer):
    id = BoundedListField(
        child=KeyField(max_length=128),
        min_length=1,
        max_length=MOST_PLAYERS,
        help_text=f"The game's keys of the players: `?id=p1&id=p2`, {MOST_PLAYERS} at most.",
    )
    fields = AnswerFieldsField(RowSerializer)  # type: ignore[assignment]


class ListedPlayers(NamedTuple):
    """The lines of the players who are on a board, and the keys of the others, both in the order asked for."""

    board: Board
    published: Published | None
    lines: list[Line]
    not_listed: list[str]

    @property
    def listed(self) -> int:
        return len(self.published.ranks) if self.published else 0


class BoardPlayersSerializer(OutputSerializer[ListedPlayers]):
    mode = serializers.CharField(source="board.mode.slug")
    season = serializers.IntegerField(source="board.season.number", help_text="Its number.")
    updated_at = serializers.DateTimeField(
        source="published.taken_at", allow_null=True, help_text="Null before the first publication."
    )
    listed = serializers.IntegerField(help_text="Players on the board.")
    items = RowSerializer(source="lines", many=True, help_text="Those on the board, in the order asked for.")
    not_listed = serializers.ListField(
        child=serializers.CharField(),
        help_text="The keys of those who aren't on the board: nobody has the key, or they are hidden, in placement or"
        " inactive. `players/{id}/` says why.",
    )


class BoardPlayersView(ApiView):
    @documented(
        "Players of a board",
        operation_id="get_board_players",
        description="How some players stand on the board of the current season, as it was last published: those of a"
        " lobby, for example. A key of a player who was merged into another leads to the other one. An address may"
        " have 8,000 bytes.",
        answers={200: BoardPlayersSerializer},
        problems=[400, 403, 404],
        query=BoardPlayersQuery,
    )
    def get(self, request: Request, mode: str) -> Response:
        query = read_query(request, BoardPlayersQuery)
        board = find_board(mode, None, "", whole=sees_everything(request, mode))
        keys, now = list(dict.fromkeys(query["id"])), timezone.now()
        answer: dict[str, Any] = BoardPlayersSerializer.fill(read_consistently(lambda: _find(board, keys, now)))
        return Response({**answer, "items": [pick(item, query) for item in answer["items"]]})


def _find(board: Board, keys: Sequence[str], now: dt.datetime) -> ListedPlayers:
    """Raise Superseded."""
    ratings = find_listed_ratings(board, keys)
    if not ratings:
        return ListedPlayers(board, find_published(board.mode, board.season), [], list(keys))
    published = published_with(next(iter(ratings.values())), board.mode)
    if published is None:  # ratings are listed by publications alone
        return ListedPlayers(board, None, [], list(keys))
    yesterday = find_yesterday(board, published, now)
    lines = [line_of(board, ratings[key], published, yesterday) for key in keys if key in ratings]
    return ListedPlayers(board, published, lines, [key for key in keys if key not in ratings])
