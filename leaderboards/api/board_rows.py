"""Rows of a board as data: listed players, and below the line of a friends board the others with the reason why."""

from typing import Any

from rest_framework import serializers

from leaderboards.api.standings import StandingSerializer, UnlistedSerializer, absence_data, standing_data
from leaderboards.boards.absence import Absence
from leaderboards.boards.boards import Board
from leaderboards.boards.published import Published
from leaderboards.boards.ratings import BoardRating, published_value
from leaderboards.boards.rows import Yesterday, rank_before
from ranking.api.answers import rating_text
from ranking.api.match_answers import PersonSerializer
from ranking.models import Player, Rating


class RowSerializer(StandingSerializer):
    """A place on the board; below the line of a friends board all standing is null and `unlisted` says why."""

    global_rank = serializers.IntegerField(
        allow_null=True, help_text="Among everyone, as are percentile and tier; `rank` is on this board."
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


def row_data(board: Board, row: BoardRating, published: Published | None, yesterday: Yesterday) -> dict[str, Any]:
    """RowSerializer's data of a listed rating."""
    value = published_value(row)
    standing = published.standing(value) if published else None
    visible = board.mode.shows_rating
    return {
        **standing_data(standing, rating_text(value, board.decimals) if visible else None),
        "rank": published and published.ranks.rank_of(value),
        "global_rank": standing and standing.rank,
        "player": {"id": row.player.key, "name": row.player.name},
        "matches": row.matches,
        "rank_day_ago": rank_before(row, yesterday),
        "unlisted": None,
        "struck": row.struck,
    }


def below_data(player: Player, rating: Rating | None, absence: Absence | None) -> dict[str, Any]:
    """RowSerializer's data of a player below the line."""
    return {
        **standing_data(None, None),
        "global_rank": None,
        "player": {"id": player.key, "name": player.name},
        "matches": rating.matches if rating else 0,
        "rank_day_ago": None,
        "unlisted": absence and absence_data(absence),
        "struck": False,
    }
