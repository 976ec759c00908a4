"""From a scenario to its evening and its report: what commands, pages and tests call."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from matchmaking.simulation.arrivals import make_visits
from matchmaking.simulation.evening import Evening
from matchmaking.simulation.ladder import Ladder
from matchmaking.simulation.people import make_community
from matchmaking.simulation.reports import Report, report_of
from matchmaking.simulation.scenarios import Scenario
from ranking.systems.registry import get_system


@dataclass(slots=True)
class Simulation:
    """An evening that goes on as it is asked to. The same people come at the same times whatever the strategy."""

    evening: Evening
    steps: Iterator[float]

    @property
    def share(self) -> float:
        """How much of it is over, 0 to 1."""
        return min(1.0, self.evening.now / self.evening.scenario.seconds)

    @property
    def report(self) -> Report:
        return report_of(self.evening)

    def go_on(self) -> bool:
        """Play another tick; False where it is over."""
        return next(self.steps, None) is not None


def prepare(scenario: Scenario) -> Simulation:
    # Chance in three streams, so that a change to one thing leaves the others as they were.
    people, coming, playing = (random.Random(f"{scenario.seed} {of}") for of in ("people", "visits", "matches"))  # noqa: S311
    community = make_community(scenario, people)
    visits = make_visits(scenario, community.groups, coming)
    ladder = Ladder(get_system(scenario.system), len(community.people), scenario.placement)
    evening = Evening(scenario, community, visits, ladder, playing)
    return Simulation(evening, evening.run())


def simulate(scenario: Scenario) -> Report:
    """The whole evening."""
    simulation = prepare(scenario)
    while simulation.go_on():
        pass
    return simulation.report
