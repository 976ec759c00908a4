"""Template tags for notices (the header's count) and achievements (badges on players' pages)."""

from typing import NamedTuple

from django import template

from leaderboards.achievements.showing import (
    EarnedAchievement,
    LockedAchievement,
    best_of_series,
    find_earned,
    find_next,
    shares_of,
)
from leaderboards.boards.boards import Board
from leaderboards.notifications.notices import unread_of
from ranking.models import Player

register = template.Library()


@register.simple_tag
def unread(player: Player) -> int:
    return unread_of(player)


class Achievements(NamedTuple):
    """A player's achievements in a mode, only the last of each series; the next ones; and shares by the key."""

    earned: list[EarnedAchievement]
    locked: list[LockedAchievement]
    shares: dict[str, str]


@register.simple_tag
def badges(player: Player, board: Board, shows_progress: bool) -> Achievements:
    """The achievements on a player's page; `shows_progress`: the viewer may see the player's history."""
    earned = find_earned(player, [board.mode])
    locked = [] if board.over else find_next(player, board.mode, earned, board.season, shows_progress=shows_progress)
    return Achievements(best_of_series(earned), locked, shares_of(board.mode))


@register.filter
def share_of(shares: dict[str, str], key: str) -> str:
    return shares.get(key, "")
