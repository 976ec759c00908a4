"""Whole evenings of the simulation, as the command plays them."""

from matchmaking.simulation.reports import SimulationReport
from matchmaking.simulation.run import prepare
from matchmaking.simulation.scenarios import Scenario


def simulate(scenario: Scenario) -> SimulationReport:
    """Play the whole evening and return its report."""
    simulation = prepare(scenario)
    while simulation.go_on():
        pass
    return simulation.report
