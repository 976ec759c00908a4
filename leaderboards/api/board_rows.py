"""Rows of a board as the API answers them: listed players, and below the line of a friends board the others."""

from typing import NamedTuple

from rest_framework import serializers

from leaderboards.api.standings import StandingSerializer, UnlistedSerializer
from leaderboards.boards.absence import Absence
from leaderboards.boards.boards import Board
from leaderboards.boards.published import Published, Standing
from leaderboards.boards.ratings import BoardPlayer, BoardRating, published_value
from leaderboards.boards.rows import Yesterday, rank_before
from ranking.api.answers import rating_text
from ranking.api.match_answers import PersonSerializer


class BoardLine(NamedTuple):
    """A listed player; or one below the line, without standing, and `unlisted` says why."""

    player: BoardPlayer
    matches: int
    unlisted: Absence | None = None
    standing: Standing | None = None
    rank: int | None = None
    rating: str | None = None
    rank_day_ago: int | None = None
    struck: bool = False


class RowSerializer(StandingSerializer[BoardLine]):
    """A place on the board; below the line of a friends board all standing is null and `unlisted` says why."""

    rank = serializers.IntegerField(allow_null=True)
    global_rank = serializers.IntegerField(
        source="standing.rank",
        allow_null=True,
        help_text="Among everyone, as are percentile and tier; `rank` is on this board.",
    )
    player = PersonSerializer(help_text="Without id and name if the player is hidden; only in archived seasons.")
    matches = serializers.IntegerField(help_text="Played this season.")
    rank_day_ago = serializers.IntegerField(
        allow_null=True, help_text="When today began, where the mode lives; null for who wasn't on the board."
    )
    unlisted = UnlistedSerializer(allow_null=True)
    struck = serializers.BooleanField(
        help_text="A moderator struck the player from this archived season: no medal, no reward. Ranks stay."
    )


def line_of(board: Board, row: BoardRating, published: Published | None, yesterday: Yesterday) -> BoardLine:
    """Return the line of a listed rating."""
    value = published_value(row)
    return BoardLine(
        player=row.player,
        matches=row.matches,
        standing=published.standing(value) if published else None,
        rank=published.ranks.rank_of(value) if published else None,
        rating=rating_text(value, board.decimals) if published and board.mode.shows_rating else None,
        rank_day_ago=rank_before(row, yesterday),
        struck=row.struck,
    )
