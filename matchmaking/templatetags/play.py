"""Template tags and filters for queues, and for the header's navigation."""

import datetime as dt

from django import template
from django.template.context import RequestContext
from django.utils import timezone

from leaderboards.display.numbers import clock
from matchmaking.models import Queue
from matchmaking.operations import navigation
from matchmaking.operations.navigation import Navigation

register = template.Library()
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@register.simple_tag(takes_context=True)
def site_navigation(context: RequestContext) -> Navigation:
    """The navigation for the account that is logged in. On error pages the request may be missing."""
    return navigation.find_navigation(getattr(context.get("request"), "user", None))


@register.filter
def shape(queue: Queue) -> str:
    """A queue's teams in words: "Two teams of four", "Eight players, each for themselves", "One against one"."""
    teams, size = queue.mode.team_count, queue.players_a_team
    if size == 1:
        return "One against one" if teams == 2 else f"{_number(teams)} players, each for themselves".capitalize()
    return f"{_number(teams)} teams of {_number(size)}".capitalize()


@register.filter
def since(moment: dt.datetime) -> str:
    """The time since `moment`, as a clock shows it."""
    return clock(max(0.0, (timezone.now() - moment).total_seconds()))


def _number(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"
