"""Seasons that end, and ratings brought along into them: what a test asks for, and broken ones."""

import datetime as dt
from typing import Any

from ranking.models import Event, Mode, Season
from ranking.seasons.dates import EndRequest, request_end
from ranking.seasons.ending import end_season
from ranking.seeds.planning import Plan, plan_seeds
from ranking.seeds.seeding import seed_players
from ranking.systems.base import SOFT, ResetRule
from ranking.systems.foreign_scales import ForeignScale, LinearScale
from ranking.validation.rating_files import read_ratings
from tests.support.factories import NOW

HALF = ResetRule(SOFT, 0.5)


def end(
    mode: Mode, *, at: dt.datetime = NOW, reset: ResetRule = HALF, archived_at: dt.datetime | None = None, **more: Any
) -> Season:
    """End a mode's season at a moment, without waiting for late results; returns the archived season.

    `archived_at`: when its final board is published; by default now.
    """
    request_end(mode, EndRequest(reset, skip_late=True, **more), by=None, reason="test", now=at)
    archived = end_season(mode, at=archived_at)
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


def plan_of(mode: Mode, text: str, *, placed: bool = False, scale: ForeignScale | None = None) -> Plan:
    """What a file with this text will do."""
    lines, faults = read_ratings(text.encode().splitlines(keepends=True))
    return plan_seeds(mode, lines, faults, scale or LinearScale(), placed=placed)


def bring_along(mode: Mode, text: str, *, now: dt.datetime = NOW, batch: int = 1_000, **more: Any) -> tuple[int, int]:
    """Bring ratings along; returns how many were written and how many were known."""
    plan = plan_of(mode, text, **more)
    assert plan.faults == []
    outcomes = list(seed_players(plan, by=None, reason="test", now=now, batch=batch))
    assert [fault for outcome in outcomes for fault in outcome.faults] == []
    return sum(outcome.written for outcome in outcomes), sum(outcome.known for outcome in outcomes)
