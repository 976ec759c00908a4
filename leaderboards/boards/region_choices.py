"""Sentences for players who can't choose a region."""

from django.utils import timezone

from leaderboards.display.regions import region_name
from ranking.models import Rating
from ranking.standings.regions import SAME, UNKNOWN, free_from
from ranking.wording.dates import date_text
from ranking.wording.translation import gettext


def no_choice_words(code: str, rating: Rating, region: str) -> str:
    """Return why this player can't choose this region; `code` as ranking.standings.regions has it."""
    if code == UNKNOWN:
        return gettext("There is no such region here.")
    if code == SAME:
        return gettext("You play in %(region)s already.") % {"region": region_name(region)}
    free_at = free_from(rating)
    day = date_text(timezone.localtime(free_at)) if free_at else ""
    return gettext("You can choose a region again on %(day)s.") % {"day": day}
