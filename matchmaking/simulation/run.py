"""Runs a scenario: prepares its evening, plays it, and gives the report. Commands and pages call this."""

from __future__ import annotations

import random
from dataclasses import dataclass

from matchmaking.simulation.arrivals import make_visits
from matchmaking.simulation.evening import Evening
from matchmaking.simulation.ladder import RatingLadder
from matchmaking.simulation.people import make_community
from matchmaking.simulation.reports import SimulationReport, report_of
from matchmaking.simulation.scenarios import Scenario
from ranking.systems.registry import get_system


@dataclass(slots=True)
class Simulation:
    """An evening in progress. For every strategy the same people come at the same times. It may be pickled."""

    evening: Evening

    @property
    def share(self) -> float:
        """The share of the evening that is over, 0 to 1."""
        return min(1.0, self.evening.now / self.evening.scenario.seconds)

    @property
    def is_over(self) -> bool:
        return self.evening.is_over

    @property
    def report(self) -> SimulationReport:
        return report_of(self.evening)

    def go_on(self) -> bool:
        """Play another tick; return False if the evening is over."""
        return next(self.evening.run(), None) is not None


def prepare(scenario: Scenario) -> Simulation:
    # Three streams of chance, so that a change to one of them doesn't change the others.
    people, coming, playing = (random.Random(f"{scenario.seed} {of}") for of in ("people", "visits", "matches"))  # noqa: S311
    community = make_community(scenario, people)
    visits = make_visits(scenario, community.groups, coming)
    ladder = RatingLadder(get_system(scenario.system), len(community.people), scenario.placement)
    evening = Evening(scenario, community, visits, ladder, playing)
    return Simulation(evening)
