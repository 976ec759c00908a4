"""What the header and players' pages show of notices and achievements."""

from django import template

from leaderboards.achievements.showing import Earned, best_of_series, find_earned
from leaderboards.notifications import notices as told
from ranking.models import Mode, Player

register = template.Library()


@register.simple_tag
def unread(player: Player) -> int:
    return told.unread_of(player)


@register.simple_tag
def badges(player: Player, mode: Mode) -> list[Earned]:
    """A player's achievements in a mode, of each series the last."""
    return best_of_series(find_earned(player, [mode]))
