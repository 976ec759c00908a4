"""Computes conduct points and lockouts from a player's lapses.

Leaving a match, or a lobby that everybody had accepted, costs points, which decay continuously:
points(t) = Σ 3 · 0.9^days. A lockout begins at the lapse that caused it; its length depends on the points right after
the lapse, or on the number of missed accepts. Nothing is stored: once a lapse is removed, its consequences are gone.
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
FORGOTTEN = dt.timedelta(days=365)  # nobody reads older incidents; at 10 % a day their points are long gone

_DAY, _MINUTE = dt.timedelta(days=1), dt.timedelta(minutes=1)
_MOST_LEVELS, _MOST_MINUTES = 20, 100 * 24 * 60


@dataclass(frozen=True, slots=True)
class Settings:
    """A mode's numbers for conduct.

    `lockouts`: pairs (points, minutes), ascending; a lockout takes the last pair whose points are reached.
    `missed_minutes`: for the first, second … missed accept within `missed_hours`; the last one for all further ones.
    """

    points: float = 3.0
    decay_percent: float = 10.0
    lockouts: tuple[tuple[float, float], ...] = ((1.5, 10), (4.5, 30), (7.5, 120), (10.5, 720), (13.5, 2880))
    missed_minutes: tuple[float, ...] = (0, 3, 10, 30)
    missed_hours: float = 24.0


DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class Lapse:
    """A player's lapse, and the numbers of its mode; `id` breaks ties.

    `appeal`: the decision on the player's appeal, "" until there is one; None if they haven't appealed.
    """

    kind: str
    at: dt.datetime
    settings: Settings = DEFAULTS
    id: int = 0
    appeal: str | None = None


@dataclass(frozen=True, slots=True)
class Lockout:
    """The time [since, until) in which a player may not queue, and the lapse that caused it."""

    since: dt.datetime
    until: dt.datetime
    lapse: Lapse

    @property
    def minutes(self) -> int:
        """How long it is, in whole minutes."""
        return round((self.until - self.since) / _MINUTE)


def points(lapses: Sequence[Lapse], now: dt.datetime) -> float:
    """The points at `now` for leaving; lapses may come in any order, and later ones don't count."""
    return fsum(
        lapse.settings.points * (1 - lapse.settings.decay_percent / 100) ** ((now - lapse.at) / _DAY)
        for lapse in lapses
        if lapse.kind != MISSED and lapse.at <= now
    )


def level(reached: float, settings: Settings = DEFAULTS) -> int:
    """The number of lockout bounds that these points reach; 0 = none."""
    return sum(reached >= bound for bound, _ in settings.lockouts)


def lockout_of(lapse: Lapse, lapses: Sequence[Lapse]) -> Lockout:
    """The lockout that follows from one of these lapses; its length is zero if none follows."""
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
    """The lockout that runs at `now`, or None; if several run, the one that ends last."""
    running = (lockout for lockout in _recent_lockouts(lapses, now) if lockout.since <= now < lockout.until)
    return max(running, key=lambda lockout: (lockout.until, lockout.since, lockout.lapse.id), default=None)


def _recent_lockouts(lapses: Sequence[Lapse], now: dt.datetime) -> Iterator[Lockout]:
    """The lockouts of lapses so recent that one may still run."""
    for lapse in lapses:
        longest = max((*lapse.settings.missed_minutes, *(minutes for _, minutes in lapse.settings.lockouts)))
        if now - longest * _MINUTE < lapse.at <= now:
            yield lockout_of(lapse, lapses)


def read_settings(value: object) -> Settings:
    """A mode's numbers from JSON, with defaults for missing ones; raises ValueError with a sentence."""
    if not isinstance(value, Mapping):
        raise ValueError('Write an object, such as {"points": 3}.')
    names = list(Settings.__dataclass_fields__)
    if unknown := sorted(str(name) for name in value if name not in names):
        raise ValueError(f"{unknown[0]!r} is no setting of conduct; they are {', '.join(names)}.")
    numbers: dict[str, Any] = {}
    for name, content in value.items():
        if name == "lockouts":
            numbers[name] = _read_lockouts(content)
        elif name == "missed_minutes":
            numbers[name] = tuple(_number(name, minutes, 0, _MOST_MINUTES) for minutes in _list(name, content))
        else:
            low, high = {"points": (0, 1000), "decay_percent": (1, 100), "missed_hours": (1, 24 * 7)}[name]
            numbers[name] = _number(name, content, low, high)
    return Settings(**numbers)


def _read_lockouts(value: object) -> tuple[tuple[float, float], ...]:
    steps = []
    for step in _list("lockouts", value):
        if not isinstance(step, list | tuple) or len(step) != 2:
            raise ValueError("Each of lockouts is a pair: points, and minutes.")
        bound, minutes = _number("lockouts", step[0], 0, 100_000), _number("lockouts", step[1], 0, _MOST_MINUTES)
        steps.append((bound, minutes))
    if any(a[0] >= b[0] or a[1] > b[1] for a, b in pairwise(steps)):
        raise ValueError("The points of lockouts rise, and no lockout is shorter than the one before.")
    return tuple(steps)


def _list(name: str, value: object) -> Sequence[object]:
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= _MOST_LEVELS:
        raise ValueError(f"{name} is a list of 1 to {_MOST_LEVELS}.")
    return value


def _number(name: str, value: object, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or not low <= value <= high:
        raise ValueError(f"{name}: {value!r} isn't a number from {low:g} to {high:g}.")
    return value
