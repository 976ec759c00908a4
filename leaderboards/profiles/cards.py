"""What a player's picture and badge say: nothing but what everybody may see of their standing in a ranked mode."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from leaderboards.boards.absence import absence_of
from leaderboards.boards.boards import Board
from leaderboards.boards.published import published_with, read_consistently
from leaderboards.display.player_card import Card
from leaderboards.profiles.profiles import board_of_rating, find_ratings
from ranking.models import STRANGER, Change, Player, Rating
from ranking.players.players import find_player

CURVE = 60  # matches


def load_card(key: str, slug: str, now: dt.datetime) -> Card | None:
    """The card of a player in a mode, or in the ranked mode played last; None where there is nothing to show.

    Three queries at most, and no account: pictures are the same for everybody.
    """
    player = find_player(key)
    if player is None or player.hidden_at is not None:
        return None
    return read_consistently(lambda: _load(player, slug, now))


def _load(player: Player, slug: str, now: dt.datetime) -> Card | None:
    rating = find_ranked(find_ratings(player), slug)
    if rating is None:
        return None
    board, published = board_of_rating(rating), published_with(rating, rating.mode)
    value = rating.published_hundredths if rating.listed else None
    if published is None or value is None:
        absence = absence_of(rating, player, board.mode, now)
        return Card(player.name, board.mode.name, absence="" if absence is None else absence.words)
    standing = published.standing(value)
    return Card(
        name=player.name,
        mode=board.mode.name,
        rank=f"#{standing.rank:,}",
        listed=f"{standing.listed:,}",
        rating=board.rating_text(value),
        top="" if standing.top_percent is None else f"Top {standing.top_percent} %",
        tier="" if standing.tier is None else standing.tier.label,
        tier_colour="" if standing.tier is None else standing.tier.colour,
        curve=tuple(_curve(player, rating, board)),
    )


def find_ranked(ratings: Sequence[Any], slug: str) -> Any | None:
    """The rating of a ranked mode: the one asked for, else the one played last."""
    return next((r for r in ratings if r.mode.ranked and slug in ("", r.mode.slug)), None)


def _curve(player: Player, rating: Rating, board: Board) -> list[int]:
    """The ratings after the newest matches, oldest first; none where they, or the mode, don't show them."""
    if not board.mode.shows_rating or not player.shows_matches_to(STRANGER):
        return []
    live = Change.objects.live(board.mode.generation)
    changes = live.filter(player=player, mode=board.mode, season=board.season)
    return list(changes.order_by("-event").values_list("display_after", flat=True)[:CURVE])[::-1]
