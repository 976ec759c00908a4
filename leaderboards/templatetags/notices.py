"""What the header and players' pages show of notices and achievements."""

from django import template

from leaderboards import achievements
from leaderboards import notices as told
from leaderboards.achievements import Earned
from ranking.models import Mode, Player

register = template.Library()


@register.simple_tag
def unread(player: Player) -> int:
    return told.unread_of(player)


@register.simple_tag
def badges(player: Player, mode: Mode) -> list[Earned]:
    """A player's achievements in a mode, of each series the last."""
    return achievements.best_of_series(achievements.find_earned(player, [mode]))
