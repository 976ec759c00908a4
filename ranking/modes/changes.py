"""Changing a mode that is played: its parameters, a step of its history, and its settings with what follows."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Q

from ranking.database import locks
from ranking.models import Event, Match, Mode, ParameterVersion, Rating, Season
from ranking.modes.parameters import check_fits, current_parameters, system_of
from ranking.standings.activity import active_until_in_sql
from ranking.systems.base import Refused
from ranking.systems.registry import get_system

# What an administrator may change of a mode; its slug stands in addresses and in what games send.
SETTINGS = (
    "name", "description", "team_count", "team_size_min", "team_size_max", "ranked",
    "shows_rating", "shows_percentile", "shows_tier", "tier_scheme", "named_tiers",
    "placement_matches", "activity_matches", "activity_days", "reconnect_grace", "conduct", "entry_days",
    "entry_matches", "entry_mode", "time_zone",
)  # fmt: skip
_LISTING = {"activity_matches", "activity_days", "placement_matches"}  # what decides who is on boards
CHUNK = 10_000  # ratings gone over while a mode is held


@transaction.atomic
def change_parameters(
    mode: Mode, *, params: Mapping[str, Any], now: dt.datetime, system: str | None = None
) -> ParameterVersion:
    """Rate by these parameters from now on: a step of the mode's history. Returns the version in force.

    Nothing happens where they mean what is in force. Raises Refused for bad parameters, and for another
    `system` once a match is rated.
    """
    locks.hold_mode(mode.slug)
    held = Mode.objects.get(pk=mode.pk)
    if held.lease_id is not None:
        raise Refused(f"{mode.slug} is being rated anew; change its parameters when that is done.")
    old = current_parameters(mode)
    key = old.system if system is None else system
    rules = get_system(key, params)
    if rules == system_of(old):
        return old
    if key != old.system and has_rated_matches(mode):
        raise Refused(f"{mode.slug} has rated matches: going over to another system rates them all anew (rerate).")
    check_fits(rules, mode)
    event = Event.objects.create(mode=mode, kind=Event.PARAMETERS, happened_at=now)
    number = old.number + 1
    return ParameterVersion.objects.create(
        mode=mode, number=number, event=event, system=key, params=dict(params), generation=held.generation
    )


@transaction.atomic
def change_settings(mode: Mode, *, now: dt.datetime, chunk: int = CHUNK, **settings: Any) -> None:
    """Change fields of a mode; boards follow with the next publication, those of very many players with later ones.

    `chunk`: so many ratings are gone over at once, the rest by relist.

    Raises ValidationError naming the fields, Misfit where the rating system can't rate such teams.
    """
    if unknown := sorted(settings.keys() - set(SETTINGS)):
        raise ValueError(f"{unknown[0]!r} is no setting of a mode; they are {', '.join(SETTINGS)}.")
    locks.hold_mode(mode.slug)
    held = Mode.objects.get(pk=mode.pk)
    changed = {name for name, value in settings.items() if getattr(held, name) != value}
    if "team_count" in changed and has_matches(held):
        raise ValidationError({"team_count": "The number of teams is fixed: matches of this mode exist."})
    for name in changed:
        setattr(held, name, settings[name])
        setattr(mode, name, settings[name])
    held.full_clean()
    check_fits(system_of(current_parameters(held)), held)
    held.save(update_fields=changed)
    if changed & _LISTING:
        _relist_chunk(held, 0, now, chunk)


def relist(mode: Mode, *, now: dt.datetime, chunk: int = CHUNK) -> None:
    """Go on to the last rating where a change of settings hasn't come to it yet: a short transaction a chunk.

    Whoever is stopped leaves the rest to the next one; two at work take turns.
    """
    while True:
        with transaction.atomic():
            locks.hold_mode(mode.slug)
            held = Mode.objects.get(pk=mode.pk)
            if held.relisted_to is None:
                return
            _relist_chunk(held, held.relisted_to, now, chunk)


def _relist_chunk(mode: Mode, done: int, now: dt.datetime, most: int) -> None:
    """Have the next publication list and unlist by the mode's rules; finished seasons stay as they were.

    Rows needn't be locked in id order: nobody rates while the mode is held, publishing waits for no row, and
    whoever hides a player wants but one row of a mode and season.
    """
    ratings = Rating.objects.filter(mode=mode, season=Season.objects.get(mode=mode, current=True), pk__gt=done)
    # The last row of the chunk, if there are more behind it.
    mode.relisted_to = ratings.order_by("pk").values_list("pk", flat=True)[most - 1 : most].first()
    chunk = ratings if mode.relisted_to is None else ratings.filter(pk__lte=mode.relisted_to)
    chunk.update(active_until=active_until_in_sql(mode))
    placed = Q(wins__gte=mode.placement_matches - F("draws") - F("losses"))
    listable = Q(active_until__gte=now) & placed
    chunk.filter(Q(listed=True) & ~listable | Q(listed=False) & listable).update(to_publish=True)
    mode.save(update_fields=["relisted_to"])


def has_matches(mode: Mode) -> bool:
    return Match.objects.filter(mode=mode).exists()


def has_rated_matches(mode: Mode) -> bool:
    return Match.objects.filter(mode=mode, event__isnull=False).exists()
