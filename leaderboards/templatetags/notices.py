"""Template tags for notices (the header's count) and achievements (badges on players' pages)."""

from django import template

from leaderboards.achievements.showing import EarnedAchievement, best_of_series, find_earned
from leaderboards.notifications.notices import unread_of
from ranking.models import Mode, Player

register = template.Library()


@register.simple_tag
def unread(player: Player) -> int:
    return unread_of(player)


@register.simple_tag
def badges(player: Player, mode: Mode) -> list[EarnedAchievement]:
    """A player's achievements in a mode, only the last of each series."""
    return best_of_series(find_earned(player, [mode]))
