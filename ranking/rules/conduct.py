"""Conduct: points, lockouts and the ladder of missed accepts. Pure: functions of what happened, and of a time.

Leaving a match, or a lobby that everybody had accepted, costs points, which decay continuously:
points(t) = Σ 3 · 0.9^days. A lockout begins with what caused it, as long as the points right after it say. Nothing of
this is kept anywhere: take something out of what happened, and its consequences never were.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, isfinite
from typing import Any

LEAVE, DROPOUT, MISSED = "leave", "dropout", "missed"
KINDS = (LEAVE, DROPOUT, MISSED)
FORGOTTEN = dt.timedelta(days=365)  # after which nobody reads an incident; at 10 % a day nothing is left long before

_DAY, _MINUTE = dt.timedelta(days=1), dt.timedelta(minutes=1)
_MOST_LEVELS, _MOST_MINUTES = 20, 100 * 24 * 60


@dataclass(frozen=True, slots=True)
class Settings:
    """A mode's numbers. `lockouts`: (points, minutes), inclusive, rising; `missed_minutes`: of the first, second …
    missed accept within `missed_hours`, the last of them for every further one.
    """

    points: float = 3.0
    decay_percent: float = 10.0
    lockouts: tuple[tuple[float, float], ...] = ((1.5, 10), (4.5, 30), (7.5, 120), (10.5, 720), (13.5, 2880))
    missed_minutes: tuple[float, ...] = (0, 3, 10, 30)
    missed_hours: float = 24.0


DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class Lapse:
    """Something that a player did, and the numbers of the mode where they did it. `id` tells which."""

    kind: str
    at: dt.datetime
    settings: Settings = DEFAULTS
    id: int = 0


@dataclass(frozen=True, slots=True)
class Lockout:
    """[since, until) in which a player may not queue, and what for."""

    since: dt.datetime
    until: dt.datetime
    lapse: Lapse


def points(lapses: Sequence[Lapse], now: dt.datetime) -> float:
    """What leaving still weighs at `now`, whatever the order of what happened; later things don't count yet."""
    return fsum(
        lapse.settings.points * (1 - lapse.settings.decay_percent / 100) ** ((now - lapse.at) / _DAY)
        for lapse in lapses
        if lapse.kind != MISSED and lapse.at <= now
    )


def level(given: float, settings: Settings = DEFAULTS) -> int:
    """How many of the bounds these points reach: 0 = none."""
    return sum(given >= bound for bound, _ in settings.lockouts)


def lockout_of(lapse: Lapse, lapses: Sequence[Lapse]) -> Lockout:
    """The lockout that one of these lapses led to, of no length where it led to none."""
    settings = lapse.settings
    if lapse.kind == MISSED:
        since = lapse.at - dt.timedelta(hours=settings.missed_hours)
        missed = sum(other.kind == MISSED and since < other.at <= lapse.at for other in lapses)
        minutes = settings.missed_minutes[min(missed, len(settings.missed_minutes)) - 1]
    else:
        reached = level(points(lapses, lapse.at), settings)
        minutes = settings.lockouts[reached - 1][1] if reached else 0
    return Lockout(lapse.at, lapse.at + minutes * _MINUTE, lapse)


def find_lockout(lapses: Sequence[Lapse], now: dt.datetime) -> Lockout | None:
    """The lockout that runs at `now`, of several the one that ends last; None where there is none."""
    running = (lockout for lockout in _recent_lockouts(lapses, now) if lockout.since <= now < lockout.until)
    return max(running, key=lambda lockout: (lockout.until, lockout.since, lockout.lapse.id), default=None)


def _recent_lockouts(lapses: Sequence[Lapse], now: dt.datetime) -> Iterator[Lockout]:
    """Lockouts of what happened so lately that one may still run."""
    for lapse in lapses:
        longest = max((*lapse.settings.missed_minutes, *(minutes for _, minutes in lapse.settings.lockouts)))
        if now - longest * _MINUTE < lapse.at <= now:
            yield lockout_of(lapse, lapses)


def read_settings(given: object) -> Settings:
    """A mode's numbers as it keeps them: what isn't said is at its default. Raises ValueError with a sentence."""
    if not isinstance(given, Mapping):
        raise ValueError('Write an object, such as {"points": 3}.')
    names = list(Settings.__dataclass_fields__)
    if unknown := sorted(str(name) for name in given if name not in names):
        raise ValueError(f"{unknown[0]!r} is no setting of conduct; they are {', '.join(names)}.")
    read: dict[str, Any] = {}
    for name, value in given.items():
        if name == "lockouts":
            read[name] = _read_lockouts(value)
        elif name == "missed_minutes":
            read[name] = tuple(_number(name, minutes, 0, _MOST_MINUTES) for minutes in _some(name, value))
        else:
            low, high = {"points": (0, 1000), "decay_percent": (1, 100), "missed_hours": (1, 24 * 7)}[name]
            read[name] = _number(name, value, low, high)
    return Settings(**read)


def _read_lockouts(given: object) -> tuple[tuple[float, float], ...]:
    steps = []
    for step in _some("lockouts", given):
        if not isinstance(step, list | tuple) or len(step) != 2:
            raise ValueError("Each of lockouts is a pair: points, and minutes.")
        bound, minutes = _number("lockouts", step[0], 0, 100_000), _number("lockouts", step[1], 0, _MOST_MINUTES)
        steps.append((bound, minutes))
    if any(a[0] >= b[0] or a[1] > b[1] for a, b in pairwise(steps)):
        raise ValueError("The points of lockouts rise, and no lockout is shorter than the one before.")
    return tuple(steps)


def _some(name: str, given: object) -> Sequence[Any]:
    if not isinstance(given, list | tuple) or not 1 <= len(given) <= _MOST_LEVELS:
        raise ValueError(f"{name} is a list of 1 to {_MOST_LEVELS}.")
    return given


def _number(name: str, given: object, low: float, high: float) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not isfinite(given) or not low <= given <= high:
        raise ValueError(f"{name}: {given!r} isn't a number from {low:g} to {high:g}.")
    return given
