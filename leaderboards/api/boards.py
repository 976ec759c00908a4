"""`/boards/{mode}/`: rows of a board (everybody's, a region's or friends') at any position."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, replace

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.api.board_rows import RowSerializer
from leaderboards.boards.absence import absences_of
from leaderboards.boards.boards import Board, board_of, seasons
from leaderboards.boards.own import is_region
from leaderboards.boards.positions import BadPosition, Cursor, Position, read_position
from leaderboards.boards.published import Published, find_published, published_with, read_consistently
from leaderboards.boards.rows import Line, Yesterday, find_yesterday, line_of
from leaderboards.boards.windows import LARGEST_PAGE, PAGE, find_window
from leaderboards.people.friends_board import find_friends_window
from ranking.api.answer_fields import AnswerFieldsField, pick
from ranking.api.base import ApiView, get_caller, sees_everything
from ranking.api.pagination import QuerySerializer, address_with, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.models import Mode, Player
from ranking.modes.unknown_modes import unknown_mode
from ranking.players.visibility import revealed
from ranking.rules.nearest import meant
from ranking.standings.snapshots import find_newest, regions_of
from ranking.validation.fields import KeyField, TextField

POSITIONS = ("after", "before", "rank", "around")


class BoardQuery(QuerySerializer):
    """One position at a time; none is the top."""

    after = TextField(max_length=200, required=False, help_text="Where the page begins: from `next`.")
    before = TextField(max_length=200, required=False, help_text="Where the page ends: from `previous`.")
    rank = serializers.IntegerField(min_value=1, max_value=10**12, required=False, help_text="From this rank on.")
    around = KeyField(max_length=128, required=False, help_text="A player's key: they, with those around them.")
    region = KeyField(max_length=32, required=False, help_text="Only those who play there.")
    season = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, required=False, help_text="Number of a season; default: the current one."
    )
    limit = serializers.IntegerField(min_value=1, max_value=LARGEST_PAGE, default=PAGE, help_text="Rows a page.")
    fields = AnswerFieldsField(RowSerializer)  # type: ignore[assignment]
    friends = serializers.ChoiceField(
        ["me"], required=False, help_text="The player of the token among whom they follow."
    )

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        positions = [name for name in POSITIONS if name in attrs]
        if len(positions) > 1:
            raise ValidationError(dict.fromkeys(positions[1:], "Ask for one position at a time."))
        if "friends" in attrs and "region" in attrs:
            raise ValidationError({"region": "Friends are ranked together, wherever they play."})
        return attrs


@dataclass(frozen=True, slots=True)
class _Page:
    published: Published | None
    lines: list[Line]
    previous: Cursor | None
    next: Cursor | None


class BoardView(ApiView):
    @documented(
        "A board, best first",
        operation_id="get_board",
        description="A season as it was last published. That of an archived one stays as it is.",
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
        problems=[400, 403, 404],
        query=BoardQuery,
    )
    def get(self, request: Request, mode: str) -> Response:
        asked = read_query(request, BoardQuery)
        viewer = get_caller(request) if "friends" in asked else None
        board = find_board(mode, asked.get("season"), asked.get("region", ""), whole=sees_everything(request, mode))
        position = _read_position(asked)
        now, size = timezone.now(), asked["limit"]
        page = _load(
            lambda: _friends_page(board, viewer, position, now, size) if viewer else _page(board, position, now, size)
        )
        return page_response(
            request,
            (pick(RowSerializer.fill(line), asked) for line in page.lines),
            str(page.next or ""),
            mode=board.mode.slug,
            season=board.season.number,
            updated_at=page.published and page.published.taken_at,
            listed=len(page.published.ranks) if page.published else 0,
            previous=address_with(request, "before", str(page.previous or "")),
        )


def _read_position(asked: dict[str, object]) -> Position:
    parameters = {name: str(asked[name]) for name in POSITIONS if name in asked}
    try:
        return read_position(parameters)
    except BadPosition as error:
        raise ValidationError({name: [str(error)] for name in parameters}) from error


def find_board(slug: str, number: int | None, region: str, *, whole: bool) -> Board:
    """Return a board of a mode, by default of its current season; raise NotFound if the caller may see none."""
    mode_seasons = seasons().filter(mode__slug=slug)
    season = mode_seasons.filter(**({"current": True} if number is None else {"number": number})).first()
    if season is None:
        exists = number is not None and Mode.objects.filter(slug=slug).exists()
        raise NotFound(f"{slug} has had no season {number}." if exists else unknown_mode(slug))
    board = board_of(season, region)
    if not (whole or board.mode.ranked):
        raise NotFound(f"{slug} is unranked: it has no board.")
    if region and not is_region(board):
        raise NotFound(_unknown_region(board))
    return replace(board, mode=revealed(board.mode)) if whole else board


def _unknown_region(board: Board) -> str:
    """The sentence about a region that has no name and no listed players."""
    newest = find_newest(board.mode.pk, board.season.pk)
    known = [] if newest is None else list(regions_of(newest))
    text = f"The regions are {', '.join(known)}." if known else "This board has none."
    return f"There is no region {board.region!r}{meant(board.region, known)} {text}"


def _load(read: Callable[[], _Page]) -> _Page:
    """Return a page, all of one snapshot; raise NotFound."""
    try:
        return read_consistently(read)
    except BadPosition as error:
        raise NotFound(str(error)) from error


def _page(board: Board, position: Position, now: dt.datetime, size: int) -> _Page:
    window = find_window(board, position, size=size)
    if not window.ratings:
        return _Page(find_published(board.mode, board.season, board.region), [], window.previous, window.next)
    first = window.ratings[0]
    published = published_with(first, board.mode, first.regional_id)
    yesterday = Yesterday(board.mode.day_of(now), None) if published is None else find_yesterday(board, published, now)
    lines = [line_of(board, rating, published, yesterday) for rating in window.ratings]
    return _Page(published, lines, window.previous, window.next)


def _friends_page(board: Board, viewer: Player, position: Position, now: dt.datetime, size: int) -> _Page:
    window = find_friends_window(board, viewer, position, now, size)
    lines = [line_of(board, rating, window.published, window.yesterday) for rating in window.ratings]
    absences = absences_of(window.others, board.mode, now, None if board.over else board.season)
    below = [
        Line(player, rating.matches if rating else 0, unlisted=why)
        for (rating, player), why in zip(window.others, absences, strict=True)
    ]
    return _Page(window.published, lines + below, window.previous, window.next)
