"""What comes next for a player after their latest match: the next rank, the next tier and who follows."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, F

from leaderboards.boards.boards import board_of_rating, ratings_with_boards
from leaderboards.boards.own import Target, Threat, find_target, find_threat
from leaderboards.boards.published import published_with, read_consistently
from leaderboards.boards.rows import published_value
from leaderboards.boards.tiers import TierTarget, find_tier_target
from ranking.models import Change, Match, Player, Rating


@dataclass(frozen=True, slots=True)
class NextSteps:
    """The rank on the newest board, the next rank above, the next tier, and who follows.

    Each but the rank is None if there is none, or if it isn't shown.
    """

    rank: int
    target: Target | None
    tier_target: TierTarget | None
    threat: Threat | None

    def __bool__(self) -> bool:
        return any((self.target, self.tier_target, self.threat))


def find_next_steps(match: Match, viewer: Player) -> NextSteps | None:
    """What comes next for the viewer in the match's mode, by the newest board, with the rating that the match left.

    None if it left another one than the board has: before the next publication, after their next match or forfeit, in a
    season that is over, for a void match, and if they aren't listed. One query.
    """
    counts = match.mode.ranked and not match.is_void and match.event_id is not None
    return read_consistently(lambda: _find(match, viewer)) if counts else None


def _find(match: Match, viewer: Player) -> NextSteps | None:
    place = {"player": viewer, "mode": match.mode_id, "season": match.season_id}
    later = Change.objects.live(match.mode.generation).filter(**place, event__gt=match.event_id)
    own = Rating.objects.filter(~Exists(later), **place, season__current=True, listed=True)
    rating = ratings_with_boards(own.filter(published_hundredths=F("display_hundredths"))).first()
    if rating is None or (published := published_with(rating, match.mode)) is None:
        return None
    board, value = board_of_rating(rating), published_value(rating)
    return NextSteps(
        published.ranks.rank_of(value),
        find_target(board, published.ranks, value),
        find_tier_target(published, board, value),
        find_threat(board, published.ranks, value),
    )
