"""Plans queues by arithmetic: how long people wait, what to change, how many matches it takes to place a population.

T_wait = modes · T_match · participants · skill buckets / online. The reason: players are spread over queues that never
meet, each queue fills online / (modes · buckets · participants) matches at a time, and a player who queues waits until
one of these ends. Regions that don't play each other multiply queues, as modes do. Placement: ordering N players takes
log2 N bits about each of them, and a match of K players tells at most log2 K bits about each.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import ceil, floor, isfinite, log2
from typing import Any

MINUTE = 60.0  # seconds


class Nonsense(ValueError):
    """These numbers can't be planned; `field` names the one at fault, and the message is a sentence."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True, slots=True)
class Limit:
    """The range of a number, and its name in sentences."""

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
class QueuePlan:
    """Players `online`, who always play, spread evenly over `modes`, `regions` and skill `buckets` that never meet.

    Raises Nonsense for impossible numbers.
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
        """The number of queues that never meet."""
        return self.modes * self.regions * self.buckets

    @property
    def each(self) -> float:
        """The players online in each queue."""
        return self.online / self.queues

    @property
    def fills(self) -> bool:
        """True if the players of a queue fill a match at all."""
        return self.each >= self.participants

    @property
    def wait(self) -> float:
        """T_wait in seconds."""
        return self.queues * self.match_minutes * MINUTE * self.participants / self.online


@dataclass(frozen=True, slots=True)
class PlanChange:
    """A change of one number that reaches the target wait; `to` is None if no allowed number does."""

    field: str
    now: float
    to: float | None


def check(field: str, value: Any, limit: Limit) -> None:
    """Raise Nonsense if `value` isn't a number within its limits."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not number or (limit.whole and value != floor(value)):
        raise Nonsense(field, f"{limit.name}: {value!r} isn't a {'whole ' if limit.whole else ''}number.")
    if not limit.least <= value <= limit.most:
        raise Nonsense(
            field, f"{limit.name}: {_text(value)} isn't between {_text(limit.least)} and {_text(limit.most)}."
        )


def _text(value: float) -> str:
    return f"{value:,.0f}" if value == floor(value) else f"{value:,}"


def buckets_of(width: float) -> float:
    """The skill buckets that a rank filter of ±`width` percentiles makes: the windows that fill the ladder."""
    check("width", width, WIDTH)
    return max(1.0, 100 / (2 * width))


def changes_for(plan: QueuePlan, target: float) -> tuple[PlanChange, ...]:
    """The changes that bring the wait to `target` seconds, each of one number alone; none if it is that already."""
    check("target", target, TARGET)
    changes = (
        PlanChange(field, getattr(plan, field), _solved(plan, field, target / plan.wait))
        for field in ("online", "buckets", "modes", "regions", "match_minutes", "participants")
    )
    return tuple(change for change in changes if change.to != change.now)


def _solved(plan: QueuePlan, field: str, times: float) -> float | None:
    """The number that multiplies the wait by `times`, rounded to the side of the shorter wait."""
    value, limit = getattr(plan, field), LIMITS[field]
    if field == "online":
        solution: float = ceil(value / times - 1e-9)
    else:
        solution = floor(value * times + 1e-9) if limit.whole else floor(100 * value * times + 1e-9) / 100
    return solution if limit.least <= solution <= limit.most else None


def with_online(plan: QueuePlan, online: int) -> QueuePlan:
    return replace(plan, online=online)


def matches_to_place(population: int, participants: int) -> float:
    """The least matches for each player until all players are ordered: log2 N / log2 K.

    It is a lower bound: a free-for-all in which places depend on skill alone would reach it.
    """
    check("population", population, POPULATION)
    check("participants", participants, LIMITS["participants"])
    return log2(population) / log2(participants)
