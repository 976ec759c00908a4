"""When the current season of a mode ends: as asked for, or by the mode's schedule; and how it begins to close."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db import transaction

from ranking.database import locks
from ranking.database.retries import retried
from ranking.models import Match, Mode, Season
from ranking.modes.row_locks import lock_modes
from ranking.modes.season_schedule import scheduled_end
from ranking.operations.audit import record_act
from ranking.systems.base import ResetRule


class EndRefused(Exception):
    """The season can't end so; the message is a sentence for the one who asked."""


@dataclass(frozen=True, slots=True)
class EndRequest:
    """How a season shall end. `next_name` "": the next season is named by its number. `skip_late`: late results of it
    aren't waited for. `next_names`: the next season's name by language.
    """

    reset: ResetRule
    next_name: str = ""
    skip_late: bool = False
    next_names: Mapping[str, str] = field(default_factory=dict)


@retried
@transaction.atomic
def request_end(
    mode: Mode,
    request: EndRequest,
    *,
    by: User | None,
    reason: str,
    now: dt.datetime,
    ends_at: dt.datetime | None = None,
) -> Season:
    """End a mode's season at `ends_at`, by default now. From then on it closes, and the jobs end it.

    Raises EndRefused, ValueError without a reason.
    """
    season = lock_current(mode)
    end = ends_at or now
    if season.state == Season.CLOSING:
        raise EndRefused(f"{season.name} of {mode.name} is ending already.")
    if end <= season.starts_at:
        raise EndRefused(f"{season.name} began at {season.starts_at:%Y-%m-%d %H:%M} UTC; it can't end before that.")
    if end < now - dt.timedelta(minutes=1):
        raise EndRefused("A season ends now or later: results after that moment have been rated in it.")
    if request.skip_late and end > now:
        raise EndRefused("Late results can be left out only if the season ends now.")
    record_act("end season", f"{mode.slug}: {season.name}", by=by, reason=reason, now=now)
    season.ends_at, season.next_name, season.next_names = end, request.next_name, dict(request.next_names)
    season.reset, season.reset_factor = request.reset.kind, request.reset.factor
    if end <= now:
        _close(season, dt.timedelta() if request.skip_late else dt.timedelta(seconds=season.mode.late_results))
    season.save()
    return season


@retried
@transaction.atomic
def close_if_due(mode: Mode, *, now: dt.datetime) -> Season:
    """Let the current season begin to close if its end has come; returns it.

    A season without a rated match is prolonged instead, if the mode has a schedule.
    """
    season = lock_current(mode)
    if season.state != Season.RUNNING or season.ends_at is None or season.ends_at > now:
        return season
    if season.mode.schedule and not Match.objects.filter(season=season).exists():
        season.ends_at = scheduled_end(season.mode, max(now, season.ends_at))
    else:
        _close(season, dt.timedelta(seconds=season.mode.late_results))
    season.save()
    return season


def _close(season: Season, late: dt.timedelta) -> None:
    assert season.ends_at is not None  # noqa: S101 - its end has come
    season.state, season.late_until = Season.CLOSING, season.ends_at + late


def lock_current(mode: Mode) -> Season:
    """Lock a mode alone, and return its current season; inside the caller's transaction."""
    locks.hold_mode(mode.slug)
    lock_modes([mode.pk])
    return Season.objects.select_related("mode").get(mode=mode, current=True)
