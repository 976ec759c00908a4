"""Players of a board by their keys: a lobby, a clan, a list of friends from elsewhere."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from django.db.models.functions import Coalesce

from leaderboards.boards.boards import Board
from leaderboards.boards.rows import DrawnColumns, drawn_ratings
from ranking.models import Player, Rating

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    DrawnRating = WithAnnotations[Rating, DrawnColumns]


def find_listed_ratings(board: Board, keys: Collection[str]) -> dict[str, DrawnRating]:
    """Return the listed ratings of the players with these keys, by key; those who aren't on the board are left out.

    The key of a player who was merged into another leads to the other one. Two queries; the second one reads all
    ratings together with the snapshot in force.
    """
    owners = dict(Player.objects.filter(key__in=keys).values_list("key", Coalesce("merged_into", "pk")))
    ratings = drawn_ratings().filter(
        mode=board.mode, season=board.season, listed=True, player_id__in=set(owners.values())
    )
    by_player = {rating.player_id: rating for rating in ratings}
    return {key: by_player[owner] for key, owner in owners.items() if owner in by_player}
