"""The facts on a player's picture and badge: what everybody may see of their standing in a ranked mode."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leaderboards.boards.absence import absence_of
from leaderboards.boards.boards import Board, board_of_rating
from leaderboards.boards.published import published_with, read_consistently
from leaderboards.display.numbers import top_text
from leaderboards.display.player_card import Card
from leaderboards.profiles.profiles import find_ratings
from leaderboards.seasons.past import load_past_seasons
from ranking.models import STRANGER, Change, Player, Rating
from ranking.players.players import find_player
from ranking.wording.translation import number_text

if TYPE_CHECKING:
    from leaderboards.boards.boards import RatingWithBoard

CURVE = 60  # matches


def load_card(key: str, slug: str, now: dt.datetime) -> Card | None:
    """Return a player's card in a mode, by default the ranked mode played last; None if there is nothing to show.

    Three queries at most; one more, of archived seasons, from the second season on. No account is read: pictures are
    the same for everybody.
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
    medal = _best_medal(player, board)
    if published is None or value is None:
        absence = absence_of(rating, player, board.mode, now)
        return Card(player.name, board.mode.local_name, absence="" if absence is None else absence.words, **medal)
    standing = published.standing(value)
    return Card(
        name=player.name,
        mode=board.mode.local_name,
        rank=f"#{number_text(standing.rank)}",
        listed=number_text(standing.listed),
        rating=board.rating_text(value),
        top="" if standing.top_percent is None else top_text(standing.top_percent),
        tier="" if standing.tier is None else standing.tier.text,
        tier_colour="" if standing.tier is None else standing.tier.colour,
        curve=tuple(_curve(player, rating, board)),
        **medal,
    )


def _best_medal(player: Player, board: Board) -> dict[str, Any]:
    """Return the fields of a card that show the best medal of archived seasons; none if there is no medal."""
    medals = load_past_seasons(player, board.mode, STRANGER).medals if board.season.number > 1 else []
    return {"medal": medals[0].rank, "medal_words": medals[0].seasons[0]} if medals else {}


def find_ranked(ratings: Sequence[RatingWithBoard], slug: str) -> RatingWithBoard | None:
    """Return the rating of the ranked mode asked for, by default the one played last."""
    return next((rating for rating in ratings if rating.mode.ranked and slug in ("", rating.mode.slug)), None)


def _curve(player: Player, rating: Rating, board: Board) -> list[int]:
    """Return the ratings after the newest matches, oldest first; none if the player or the mode hides them."""
    if not board.mode.shows_rating or not player.shows_matches_to(STRANGER):
        return []
    live = Change.objects.live(board.mode.generation)
    changes = live.filter(player=player, mode=board.mode, season=board.season)
    return list(changes.order_by("-event").values_list("display_after", flat=True)[:CURVE])[::-1]
