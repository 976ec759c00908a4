"""Template tags and filters for queues, and for the header's navigation."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.template.context import RequestContext
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from leaderboards.boards.rows import BoardPlayer
from leaderboards.display.numbers import clock
from matchmaking.lobbies.under_way import MatchUnderWay, find_playing, find_playing_friends, find_under_way
from matchmaking.models import Queue
from matchmaking.operations import navigation
from matchmaking.operations.navigation import Navigation
from matchmaking.queues.activity import Activity, find_activity, find_activity_of_all
from ranking.models import Mode, Player
from ranking.wording.translation import number_text

register = template.Library()
_NUMBERS = (
    pgettext_lazy("number", "no"), pgettext_lazy("number", "one"), pgettext_lazy("number", "two"),
    pgettext_lazy("number", "three"), pgettext_lazy("number", "four"), pgettext_lazy("number", "five"),
    pgettext_lazy("number", "six"), pgettext_lazy("number", "seven"), pgettext_lazy("number", "eight"),
    pgettext_lazy("number", "nine"), pgettext_lazy("number", "ten"), pgettext_lazy("number", "eleven"),
    pgettext_lazy("number", "twelve"),
)  # fmt: skip


@register.simple_tag(takes_context=True)
def site_navigation(context: RequestContext) -> Navigation:
    """The navigation for the account that is logged in. On error pages the request may be missing."""
    return navigation.find_navigation(getattr(context.get("request"), "user", None))


@register.simple_tag
def under_way() -> list[MatchUnderWay]:
    """The matches that are being played, some minutes late."""
    return find_under_way(timezone.now())


@register.simple_tag
def activity_of(mode: Mode) -> Activity:
    """How many wait for a mode, and how many play it."""
    return find_activity(timezone.now()).get(mode.pk, Activity())


@register.simple_tag
def activity_of_all() -> Activity:
    """How many wait and play in all modes."""
    return find_activity_of_all(timezone.now())


@register.simple_tag(takes_context=True)
def playing_among(context: RequestContext, players: Iterable[BoardPlayer]) -> frozenset[int]:
    """The ids of those of these players who are in a match, as far as the viewer may know."""
    viewer = context.get("viewer")
    return find_playing([player.pk for player in players], timezone.now(), viewer=viewer and viewer.pk)


@register.simple_tag(takes_context=True)
def playing_friends(context: RequestContext) -> list[tuple[Player, Mode]]:
    """Friends of the viewer who play, and what."""
    viewer = context.get("viewer")
    return find_playing_friends(viewer.pk, timezone.now()) if viewer else []


def _shape_between(fewest: int, most: int, size: int) -> str:
    numbers = {"fewest": fewest, "most": most, "size": _number(size)}
    if size == 1:
        return _("%(fewest)s to %(most)s players, each for themselves") % numbers
    return _("%(fewest)s to %(most)s teams of %(size)s") % numbers


@register.filter
def shape(queue: Queue) -> str:
    """A queue's teams in words: "Two teams of four", "Eight players, each for themselves", "One against one"."""
    teams, size = queue.mode.team_count, queue.players_a_team
    if queue.mode.fewest_teams < teams:
        return _shape_between(queue.mode.fewest_teams, teams, size)
    if size == 1 and teams == 2:
        return _("One against one")
    if size == 1:
        words = _("%(players)s players, each for themselves") % {"players": _number(teams)}
    else:
        words = _("%(teams)s teams of %(players)s") % {"teams": _number(teams), "players": _number(size)}
    return words[:1].upper() + words[1:]


@register.filter
def shape_sentence(queue: Queue) -> str:
    """A queue's teams in a sentence, with the order in which players are matched if that isn't by skill."""
    sentence = _("%(shape)s, first come, first served.") if queue.strategy == Queue.FIFO else _("%(shape)s.")
    return sentence % {"shape": shape(queue)}


@register.filter
def strategy(queue: Queue) -> str:
    return _("by skill") if queue.strategy == Queue.SKILL else _("first in, first out")


@register.filter
def fixed(number: float, decimals: int) -> str:
    """A number with so many decimals: 1.50, in German 1,50."""
    return number_text(number, decimals)


@register.filter
def of(values: Mapping[int, Any], key: int) -> Any:
    """The value of a key, such as a player's id; None if it has none."""
    return values.get(key)


@register.filter
def since(moment: dt.datetime) -> str:
    """The time since `moment`, as a clock shows it."""
    return clock(max(0.0, (timezone.now() - moment).total_seconds()))


def _number(number: int) -> str:
    return str(_NUMBERS[number]) if number < len(_NUMBERS) else number_text(number)
