"""Which regions there are, and sentences for players who can't choose one."""

from django.utils import timezone

from leaderboards.boards.boards import Board
from leaderboards.display.regions import is_named, region_name
from ranking.models import Rating
from ranking.standings.regions import SAME, UNKNOWN, free_from
from ranking.standings.snapshots import find_newest, regions_of
from ranking.wording.dates import date_text
from ranking.wording.translation import gettext


def is_region(board: Board) -> bool:
    """True if the board's region has a name, or listed players; at most one query, and one a publication."""
    if is_named(board.region):
        return True
    newest = find_newest(board.mode.pk, board.season.pk)
    return newest is not None and board.region in regions_of(newest)


def no_choice_words(code: str, rating: Rating, region: str) -> str:
    """Return why this player can't choose this region; `code` as ranking.standings.regions has it."""
    if code == UNKNOWN:
        return gettext("There is no such region here.")
    if code == SAME:
        return gettext("You play in %(region)s already.") % {"region": region_name(region)}
    free_at = free_from(rating)
    day = date_text(timezone.localtime(free_at)) if free_at else ""
    return gettext("You can choose a region again on %(day)s.") % {"day": day}
