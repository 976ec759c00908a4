"""`/boards/{mode}/`: fifty rows of a board, from wherever somebody asks."""

import datetime as dt
from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.api.standings import StandingSerializer, standing_answer
from leaderboards.boards import Board, board_of, current_seasons
from leaderboards.positions import BadPosition, Position, read_position
from leaderboards.published import Published, published, published_with, read_consistently
from leaderboards.rows import find_yesterday, rank_before
from leaderboards.windows import PAGE, Window, find_window
from ranking.answers import rating_text
from ranking.api.documents import documented
from ranking.api.pages import QuerySerializer, address_with, page_of, page_response, read_query
from ranking.api.views import ApiView, sees_everything
from ranking.fields import KeyField, TextField
from ranking.matchanswers import PersonSerializer
from ranking.snapshots import find_newest
from ranking.visibility import revealed


class BoardQuery(QuerySerializer):
    """One of them at a time; none is the top."""

    after = TextField(max_length=200, required=False, help_text="Where the page begins: from `next`.")
    before = TextField(max_length=200, required=False, help_text="Where the page ends: from `previous`.")
    rank = serializers.IntegerField(min_value=1, max_value=10**12, required=False, help_text="From this rank on.")
    around = KeyField(max_length=128, required=False, help_text="A player's key: they, with those around them.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) > 1:
            raise ValidationError(dict.fromkeys(list(attrs)[1:], "Ask for one position at a time."))
        return attrs


class RowSerializer(StandingSerializer):
    """A place on the board."""

    player = PersonSerializer()
    matches = serializers.IntegerField(help_text="Played this season.")
    rank_day_ago = serializers.IntegerField(
        allow_null=True, help_text="When today began, where the mode lives; null for who wasn't on the board."
    )


class BoardView(ApiView):
    @documented(
        "A board, best first",
        operation_id="get_board",
        description=f"Its current season as it was last published, {PAGE} rows a page.",
        answers={
            200: page_of(
                "BoardPage",
                RowSerializer(many=True),
                mode=serializers.CharField(),
                season=serializers.IntegerField(help_text="Its number."),
                updated_at=serializers.DateTimeField(allow_null=True, help_text="Null before the first publication."),
                listed=serializers.IntegerField(help_text="Players on the board."),
                previous=serializers.URLField(
                    allow_null=True, help_text="Address of the page before; null at the top."
                ),
            )
        },
        problems=[400, 404],
        parameters=[BoardQuery],
    )
    def get(self, request: Request, mode: str) -> Response:
        asked = {name: str(value) for name, value in read_query(request, BoardQuery).items()}
        board = _get_board(mode, whole=sees_everything(request))
        try:
            position = read_position(asked)
        except BadPosition as error:
            raise ValidationError({name: [str(error)] for name in asked}) from error
        window, shown, rows = _load(board, position, timezone.now())
        return page_response(
            request,
            rows,
            str(window.next or ""),
            mode=board.mode.slug,
            season=board.season.number,
            updated_at=shown and shown.taken_at,
            listed=len(shown.table) if shown else 0,
            previous=address_with(request, "before", str(window.previous or "")),
        )


def _get_board(slug: str, *, whole: bool) -> Board:
    """The current board of a mode; raises NotFound where it has none, or none for this caller."""
    season = current_seasons().filter(mode__slug=slug).first()
    if season is None:
        raise NotFound(f"There is no mode {slug!r}.")
    if whole:
        season.mode = revealed(season.mode)
    elif not season.mode.ranked:
        raise NotFound(f"{slug} is unranked: it has no board.")
    return board_of(season)


def _load(board: Board, position: Position, now: dt.datetime) -> tuple[Window, Published | None, list[dict[str, Any]]]:
    """The rows at a position, all of one snapshot."""

    def read() -> tuple[Window, Published | None, list[dict[str, Any]]]:
        window = find_window(board, position)
        if not window.ratings:
            newest = find_newest(board.mode.pk, board.season.pk)
            return window, None if newest is None else published(newest, board.mode), []
        shown = published_with(window.ratings[0], board.mode)
        return window, shown, _rows(board, window, shown, now)

    try:
        return read_consistently(read)
    except BadPosition as error:
        raise NotFound(str(error)) from error


def _rows(board: Board, window: Window, shown: Published | None, now: dt.datetime) -> list[dict[str, Any]]:
    yesterday = find_yesterday(board, now)
    visible = board.mode.shows_rating
    return [
        {
            **standing_answer(
                shown.standing(row.published_hundredths) if shown else None,
                rating_text(row.published_hundredths, board.decimals) if visible else None,
            ),
            "player": {"id": row.player.key, "name": row.player.name},
            "matches": row.matches,
            "rank_day_ago": rank_before(row, yesterday),
        }
        for row in window.ratings
    ]
