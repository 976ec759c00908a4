"""What comes next for a player after a match: the next rank, the next tier and who follows, on the board of now."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboards.boards.boards import board_of_rating, ratings_with_boards
from leaderboards.boards.own import Target, Threat, find_target, find_threat
from leaderboards.boards.published import published_with, read_consistently
from leaderboards.boards.ratings import published_value
from leaderboards.boards.tiers import TierTarget, find_tier_target
from ranking.models import Match, Player, Rating


@dataclass(frozen=True, slots=True)
class NextSteps:
    """The next rank above, the next tier, and who follows; each None if there is none, or if it isn't shown."""

    target: Target | None
    tier_target: TierTarget | None
    threat: Threat | None

    def __bool__(self) -> bool:
        return any((self.target, self.tier_target, self.threat))


def find_next_steps(match: Match, viewer: Player) -> NextSteps | None:
    """What comes next for the viewer in the match's mode; None in a season that is over, if they aren't listed, and
    for a void match.

    One query.
    """
    counts = match.mode.ranked and not match.is_void
    return read_consistently(lambda: _find(match, viewer)) if counts else None


def _find(match: Match, viewer: Player) -> NextSteps | None:
    own = Rating.objects.filter(player=viewer, mode=match.mode_id, season=match.season_id, season__current=True)
    rating = ratings_with_boards(own.filter(listed=True)).first()
    if rating is None or (published := published_with(rating, match.mode)) is None:
        return None
    board, value = board_of_rating(rating), published_value(rating)
    return NextSteps(
        find_target(board, published.ranks, value),
        find_tier_target(published, board, value),
        find_threat(board, published.ranks, value),
    )
