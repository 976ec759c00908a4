"""Template filters for values that stand inside sentences: times that go on being told, names, numbers."""

import datetime as dt
from collections.abc import Iterable

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from leaderboards.accounts.conduct_words import appeal_words
from leaderboards.templatetags.rungs import ago, ago_time, local_time
from ranking.models import Ban, Player
from ranking.moderation.wording import moment_text
from ranking.wording.translation import number_text

register = template.Library()


@register.filter
def ago_element(moment: dt.datetime) -> str:
    """How long ago a moment was; js/pages.js goes on telling it."""
    return ago_time(moment, ago(moment))


@register.filter
def moment_element(moment: dt.datetime) -> SafeString:
    """A moment in the reader's own time; see `local_time`."""
    return local_time(moment)


@register.filter
def bold_names(players: Iterable[Player]) -> SafeString:
    """The names of players in bold, with commas between them."""
    return format_html_join(", ", "<b>{}</b>", ((player.name,) for player in players))


@register.filter
def plain_number(number: float) -> str:
    """A number with one decimal if it has any: 20; 2.5, in German 2,5."""
    return number_text(number, 0 if number == int(number) else 1)


@register.filter
def appealed(ban: Ban) -> str:
    """Against what an appeal is, in a sentence."""
    return appeal_words(ban, "" if ban.ends_at is None else moment_text(ban.ends_at))


@register.filter
def plural_form(number: float) -> int:
    """A whole number that takes the same plural form: 1 for 1, else at least 2."""
    return 1 if number == 1 else max(2, int(number))
