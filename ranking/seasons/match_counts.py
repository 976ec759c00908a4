"""The number of matches of a season: stored with an archived one, counted on in the running one.

A match belongs to the season in which it was rated for good, so neither a re-rating nor a void changes the number.
"""

from __future__ import annotations

from django.core.cache import cache

from ranking.models import Event, Season

MATCHES = "matches"  # the key in `Season.shown`
UNSETTLED = 5_000  # of the newest sequences: one of them may still be written before others
_KEPT = 7 * 86_400  # seconds


def count_matches(season: Season, *, unsettled: int = UNSETTLED) -> int:
    """Return the number of rated matches in a season, void ones included.

    No query for an archived one. For the running one three, which count what has come since they were asked last, and
    the newest `unsettled` steps of history.
    """
    stored = (season.shown or {}).get(MATCHES)
    if stored is not None:
        return int(stored)
    before = Season.objects.filter(mode=season.mode_id, number__lt=season.number).order_by("-number")
    begin = before.values_list("event", flat=True).first() or 0
    newest = season.event_id or _newest(season)
    key = f"season-matches:{season.pk}:{season.mode.generation}:{begin}"
    upto, counted = cache.get(key) or (begin, 0)
    if newest - unsettled > upto:
        counted += _count_events(season, upto, newest - unsettled)
        upto = newest - unsettled
        cache.set(key, (upto, counted), _KEPT)
    return counted + _count_events(season, upto, newest)


def _newest(season: Season) -> int:
    return Event.objects.filter(mode=season.mode_id).order_by("-id").values_list("id", flat=True).first() or 0


def _count_events(season: Season, after: int, upto: int) -> int:
    """Count the matches of the season's mode after one sequence, up to and including another."""
    return Event.objects.filter(mode=season.mode_id, kind=Event.MATCH, id__gt=after, id__lte=upto).count()
