"""Makes the visits of an evening: a group comes whenever one goes, so that as many are online as the scenario says."""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence
from dataclasses import dataclass

from matchmaking.simulation.people import SimulatedGroup
from matchmaking.simulation.scenarios import Scenario


@dataclass(frozen=True, slots=True)
class Visit:
    """A group (by number) is online from `at` to `until`, in seconds; it still finishes a match that began before."""

    at: float
    until: float
    group: int


def make_visits(scenario: Scenario, groups: Sequence[SimulatedGroup], rng: random.Random) -> list[Visit]:
    """Visits in order of time. The first groups come within the length of a match, as if play had been going on."""
    away = list(range(len(groups)))
    rng.shuffle(away)
    visits: list[Visit] = []
    ends: list[tuple[float, int]] = []
    online, at = 0, 0.0
    while at < scenario.seconds:
        while away and online < scenario.online:
            group = away.pop()
            online += len(groups[group].members)
            come = at or rng.uniform(0, 60 * scenario.match_minutes)
            until = come + 60 * rng.expovariate(1 / scenario.visit_minutes)
            visits.append(Visit(come, until, group))
            heapq.heappush(ends, (until, group))
        at, group = heapq.heappop(ends)
        online -= len(groups[group].members)
        away.insert(rng.randrange(len(away) + 1), group)
    return sorted((visit for visit in visits if visit.at < scenario.seconds), key=lambda visit: (visit.at, visit.group))
