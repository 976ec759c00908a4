"""After how many matches ratings know true skill, and how many it takes at least."""

from math import factorial, log2

import pytest

from matchmaking.simulation.reports import SETTLED, Knowledge, known_after, least_matches_of, settled_after
from matchmaking.simulation.run import prepare
from matchmaking.simulation.scenarios import Scenario
from ranking.systems.registry import get_system


@pytest.mark.parametrize(("size", "count", "least"), [(1, 2, 20), (5, 2, 100), (1, 8, 80 / log2(factorial(8)))])
def test_the_least_matches_by_information(size, count, least):
    scenario = Scenario(team_size=size, team_count=count, online=100, population=1_024)
    assert least_matches_of(scenario) == pytest.approx(least)


KNOWN = {1: 30.0, 2: 20.0, 3: 9.0, 4: 6.0, 5: 5.0, 6: 4.0, 7: 3.0}


@pytest.mark.parametrize(("errors", "settled"), [(KNOWN, 5), ({1: 30.0, 2: 20.0}, None), ({1: 4.0}, 1), ({}, None)])
def test_when_half_of_all_are_known(errors, settled):
    def known_at(checkpoints):
        return [Knowledge(number, 50, None, 0.0, errors[number]) for number in checkpoints if number in errors]

    assert settled_after(known_at) == settled


def test_an_evening_without_luck_settles_and_the_ladder_learns():
    scenario = Scenario(
        strategy="fifo", system="margin", online=40, population=40, hours=6, team_size=1, match_minutes=2.0, luck=0.01,
        pause_seconds=0.0, visit_minutes=1_000.0, in_parties=0.0, regions=1, leaves=0.0, misses=0.0, tick=10.0,
    )  # fmt: skip
    simulation = prepare(scenario)
    while simulation.go_on():
        pass
    report = simulation.report
    assert report.settled is not None
    [within] = known_after(simulation.evening, [report.settled])
    assert within.median_off <= SETTLED
    learnt = simulation.evening.ladder.system.learning
    assert learnt != get_system("margin").learning
    assert list(learnt.margins) == [""]
