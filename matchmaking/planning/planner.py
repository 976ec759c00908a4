"""Planning queues by arithmetic: how long people wait, what to change, how many matches place a population. Pure.

From the matchmaking rules: T_wait = modes · T_match · participants · skill buckets / online. The reason: those online
are spread over so many queues that never meet, each queue's players fill online / (modes · buckets · participants)
matches at a time, and somebody who queues waits until one of them ends. Regions that don't play each other multiply
queues as modes do. And: ordering N players takes log2 N bits of each, a match of K tells at most log2 K about each.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import ceil, floor, isfinite, log2
from typing import Any

MINUTE = 60.0  # seconds


class Nonsense(ValueError):
    """Something that can't be planned; `field` is what is at fault, the message a sentence."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True, slots=True)
class Limit:
    """What a number of a plan may be, and how sentences call it."""

    name: str
    least: float
    most: float
    whole: bool = True


LIMITS = {
    "online": Limit("Players online", 1, 100_000_000),
    "participants": Limit("Players of a match", 2, 1_000),
    "match_minutes": Limit("The minutes of a match", 0.1, 1_440, whole=False),
    "modes": Limit("Modes", 1, 1_000),
    "regions": Limit("Regions", 1, 100),
    "buckets": Limit("Skill buckets", 1, 100, whole=False),
}
TARGET = Limit("The seconds of a target wait", 1, 86_400, whole=False)
POPULATION = Limit("Players to place", 2, 10_000_000_000)
WIDTH = Limit("The width of a rank filter", 0.5, 100, whole=False)


@dataclass(frozen=True, slots=True)
class Plan:
    """So many `online` spread evenly over `modes`, `regions` and skill `buckets` that never meet; always playing.

    Raises Nonsense for what can't be.
    """

    online: int
    participants: int
    match_minutes: float
    modes: int = 1
    regions: int = 1
    buckets: float = 1

    def __post_init__(self) -> None:
        for field in fields(self):
            check(field.name, getattr(self, field.name), LIMITS[field.name])

    @property
    def queues(self) -> float:
        """How many pools of players there are that never meet."""
        return self.modes * self.regions * self.buckets

    @property
    def each(self) -> float:
        """How many online share a queue."""
        return self.online / self.queues

    @property
    def fills(self) -> bool:
        """Whether those who share a queue fill a match at all."""
        return self.each >= self.participants

    @property
    def wait(self) -> float:
        """T_wait in seconds."""
        return self.queues * self.match_minutes * MINUTE * self.participants / self.online


@dataclass(frozen=True, slots=True)
class Change:
    """One number changed, all others kept: `to` is what reaches the target, None where nothing that may be does."""

    field: str
    now: float
    to: float | None


def check(field: str, value: Any, limit: Limit) -> None:
    """Raise Nonsense unless this is a number within its limits."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not number or (limit.whole and value != floor(value)):
        raise Nonsense(field, f"{limit.name}: {value!r} isn't a {'whole ' if limit.whole else ''}number.")
    if not limit.least <= value <= limit.most:
        raise Nonsense(
            field, f"{limit.name}: {_said(value)} isn't between {_said(limit.least)} and {_said(limit.most)}."
        )


def _said(value: float) -> str:
    return f"{value:,.0f}" if value == floor(value) else f"{value:,}"


def buckets_of(width: float) -> float:
    """How many skill buckets a rank filter of ±`width` percentiles makes: as many windows as fill the ladder."""
    check("width", width, WIDTH)
    return max(1.0, 100 / (2 * width))


def changes_for(plan: Plan, target: float) -> tuple[Change, ...]:
    """What brings the wait down (or lets it up) to `target` seconds, one number at a time."""
    check("target", target, TARGET)
    return tuple(
        Change(field, getattr(plan, field), _solved(plan, field, target / plan.wait))
        for field in ("online", "buckets", "modes", "regions", "match_minutes", "participants")
    )


def _solved(plan: Plan, field: str, times: float) -> float | None:
    """The number that makes the wait so many times as long, rounded to the side that keeps it there."""
    value, limit = getattr(plan, field), LIMITS[field]
    if field == "online":
        wanted: float = ceil(value / times - 1e-9)
    else:
        wanted = floor(value * times + 1e-9) if limit.whole else floor(100 * value * times + 1e-9) / 100
    return wanted if limit.least <= wanted <= limit.most else None


def with_online(plan: Plan, online: int) -> Plan:
    return replace(plan, online=online)


def matches_to_place(population: int, participants: int) -> float:
    """Matches for each player until everybody can be told apart: log2 N / log2 K.

    At least: the bound of a free-for-all whose every place says all that it can, as if chance had no part.
    """
    check("population", population, POPULATION)
    check("participants", participants, LIMITS["participants"])
    return log2(population) / log2(participants)
