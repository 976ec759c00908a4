"""Changes of a mode that is already played: its parameters, and its settings with their effects on boards."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q

from ranking.database import locks
from ranking.database.retries import retried
from ranking.models import Event, Match, Mode, ParameterVersion, Rating, Season, Seed
from ranking.modes.mode_states import forget_lessons
from ranking.modes.parameters import begin_learning, check_fits, current_parameters, stored_params, system_of
from ranking.modes.season_schedule import scheduled_end
from ranking.standings.activity import active_until_in_sql
from ranking.standings.placement import placed_in_sql
from ranking.systems.base import Refused
from ranking.systems.registry import get_system

# The fields of a mode that an administrator may change. Not the slug: addresses and games use it.
SETTINGS = (
    "name", "names", "description", "team_count", "team_count_min", "team_size_min", "team_size_max", "ranked",
    "shows_rating", "shows_percentile", "shows_tier", "tier_scheme", "named_tiers", "tier_least_listed",
    "placement_matches", "activity_matches", "activity_days", "reconnect_grace", "leave_after_abandon", "equal_teams",
    "least_is_best", "least_seconds", "least_rounds", "withdraw_seconds", "conduct", "entry_days",
    "entry_matches", "entry_mode", "scoreboard", "best_by", "link_hosts", "time_zone", "schedule", "late_results",
    "placement_after_reset",
)  # fmt: skip
# These decide who is on boards.
_LISTING = {"activity_matches", "activity_days", "placement_matches", "placement_after_reset"}
CHUNK = 10_000  # ratings updated in one transaction, which locks the mode


class ModeBusy(Refused):
    """A job holds the mode, such as a re-rating; the change can be made when it is done."""


@retried
@transaction.atomic
def change_parameters(
    mode: Mode, *, params: Mapping[str, object], now: dt.datetime, system: str | None = None
) -> ParameterVersion:
    """Rate by these parameters from now on, as an event in the mode's history. Returns the version in force.

    Parameters equal to those in force change nothing. Raises Refused for bad parameters, and for another `system`
    if the mode has ratings; ModeBusy while a job holds the mode.
    """
    locks.hold_mode(mode.slug)
    stored = Mode.objects.get(pk=mode.pk)
    if stored.lease is not None:
        raise ModeBusy(f"{mode.slug} is {stored.lease.doing}; change its parameters when that is done.")
    old = current_parameters(mode)
    key = old.system if system is None else system
    rules = get_system(key, params)
    if rules == system_of(old):
        return old
    if key != old.system and has_ratings(mode):
        raise Refused(f"{mode.slug} has ratings: going over to another system rates them all anew (rerate).")
    check_fits(rules, mode)
    event = Event.objects.create(mode=mode, kind=Event.PARAMETERS, happened_at=now)
    version = ParameterVersion.objects.create(
        mode=mode,
        number=old.number + 1,
        event=event,
        system=key,
        params=stored_params(key, params),
        generation=stored.generation,
    )
    forget_lessons(mode)
    begin_learning(version, stored.generation)
    return version


@retried
@transaction.atomic
def change_settings(mode: Mode, *, now: dt.datetime, chunk: int = CHUNK, **settings: Any) -> None:
    """Change fields of a mode. Boards follow with the next publication; boards of very many players take a few more.

    A new schedule names the end of the running season, and takes away the one before.

    `chunk`: how many ratings are updated at once; relist updates the rest.

    Raises ValidationError, which names the fields, and Misfit if the rating system can't rate such teams.
    """
    if unknown := sorted(settings.keys() - set(SETTINGS)):
        raise ValueError(f"{unknown[0]!r} is no setting of a mode; they are {', '.join(SETTINGS)}.")
    locks.hold_mode(mode.slug)
    stored = Mode.objects.get(pk=mode.pk)
    changed = {name for name, value in settings.items() if getattr(stored, name) != value}
    if "team_count" in changed and (objection := team_count_objection(stored, settings["team_count"])):
        raise ValidationError({"team_count": objection})
    for name in changed:
        setattr(stored, name, settings[name])
        setattr(mode, name, settings[name])
    stored.full_clean()
    check_fits(system_of(current_parameters(stored)), stored)
    stored.save(update_fields=changed)
    if "schedule" in changed or ("time_zone" in changed and stored.schedule):
        running = Season.objects.filter(mode=stored, current=True, state=Season.RUNNING)
        running.update(ends_at=scheduled_end(stored, now))
    if changed & _LISTING:
        _relist_chunk(stored, 0, now, chunk)


def relist(mode: Mode, *, now: dt.datetime, chunk: int = CHUNK) -> None:
    """Finish the update of ratings after a change of settings, in one short transaction a chunk.

    If the process stops, the next call goes on with the rest; two concurrent calls take turns.
    """
    while True:
        with transaction.atomic():
            locks.hold_mode(mode.slug)
            stored = Mode.objects.get(pk=mode.pk)
            if stored.relisted_to is None:
                return
            _relist_chunk(stored, stored.relisted_to, now, chunk)


def relist_if_changed(mode: Mode, since: Mapping[str, object], *, now: dt.datetime, chunk: int = CHUNK) -> None:
    """Update the current season's ratings if the settings that list players aren't those of `since`.

    Inside the caller's transaction, which holds the mode. relist updates what a chunk leaves.
    """
    if any(name in since and since[name] != getattr(mode, name) for name in _LISTING):
        _relist_chunk(mode, 0, now, chunk)


def _relist_chunk(mode: Mode, after: int, now: dt.datetime, most: int) -> None:
    """Mark ratings for the next publication, which lists and unlists them. Finished seasons stay as they were.

    The rows needn't be locked in id order: while the mode is held, only publishing locks ratings, and it skips rows.
    """
    ratings = Rating.objects.filter(mode=mode, season=Season.objects.get(mode=mode, current=True), pk__gt=after)
    # The last row of the chunk; None if no rows follow it.
    mode.relisted_to = ratings.order_by("pk").values_list("pk", flat=True)[most - 1 : most].first()
    chunk = ratings if mode.relisted_to is None else ratings.filter(pk__lte=mode.relisted_to)
    chunk.update(active_until=active_until_in_sql(mode))
    listable = Q(active_until__gte=now) & placed_in_sql(mode)
    chunk.filter(Q(listed=True) & ~listable | Q(listed=False) & listable).update(to_publish=True)
    mode.save(update_fields=["relisted_to"])


def team_count_objection(mode: Mode, team_count: int) -> str:
    """Why the mode can't go over to so many teams; "" if it can. Pages tell wins of two teams, and places of more."""
    if team_count != mode.team_count and 2 in (mode.team_count, team_count) and has_matches(mode):
        return "Matches of this mode exist: it stays a mode of two teams, or one of more."
    return ""


def has_matches(mode: Mode) -> bool:
    return Match.objects.filter(mode=mode).exists()


def has_ratings(mode: Mode) -> bool:
    """True if the mode has rated matches, or ratings that players brought along."""
    return Match.objects.filter(mode=mode, event__isnull=False).exists() or Seed.objects.filter(mode=mode).exists()
