"""Seasons that end: what a test asks for, and broken ones."""

import datetime as dt
from typing import Any

from ranking.models import Event, Mode, Season
from ranking.seasons.dates import EndRequest, request_end
from ranking.seasons.ending import end_season
from ranking.systems.base import SOFT, ResetRule
from tests.support.factories import NOW

HALF = ResetRule(SOFT, 0.5)


def end(mode: Mode, *, at: dt.datetime = NOW, reset: ResetRule = HALF, **more: Any) -> Season:
    """End a mode's season at a moment, without waiting for late results; returns the archived season."""
    request_end(mode, EndRequest(reset, skip_late=True, **more), by=None, reason="test", now=at)
    archived = end_season(mode)
    assert archived is not None
    return archived


def season_of(mode: Mode) -> Season:
    return Season.objects.select_related("mode").get(mode=mode, current=True)


def break_off(slug: str) -> None:
    """Leave a mode without a current season, which nothing on the site does."""
    season = Season.objects.get(mode__slug=slug, current=True)
    event = Event.objects.create(mode=season.mode, kind=Event.SEASON_END, happened_at=NOW)
    end_at = season.starts_at + dt.timedelta(seconds=1)
    Season.objects.filter(pk=season.pk).update(
        current=False, state=Season.ARCHIVED, event=event, shown={}, ends_at=end_at, late_until=end_at
    )
