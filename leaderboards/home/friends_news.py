"""What the players whom the viewer follows have achieved lately."""

from __future__ import annotations

from leaderboards.achievements.showing import EarnedAchievement, find_latest
from leaderboards.models.friends import on_friends_board_of
from ranking.models import Player

MOST = 6


def find_friends_news(viewer: Player) -> list[EarnedAchievement]:
    """Return the last achievements of followed players who don't hide from friends boards. One query.

    Of a player's achievements of one series, such as tiers, only the last is news.
    """
    friends = on_friends_board_of(viewer.pk).filter(hidden_at__isnull=True).exclude(pk=viewer.pk)
    news: dict[tuple[int, int, str], EarnedAchievement] = {}
    for earned in find_latest(friends, most=3 * MOST):
        news.setdefault((earned.row.player_id, earned.row.mode_id, earned.kind.series), earned)
    return list(news.values())[:MOST]
