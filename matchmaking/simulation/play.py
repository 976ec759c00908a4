"""Plays a match: scores from true skill and luck, and players who leave."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import erf, sqrt

from matchmaking.simulation.people import SimulatedPerson

Teams = tuple[tuple[int, ...], ...]  # people by number
# Draws each team's score: people, teams, leavers' seconds, the match's seconds, luck, the source of chance.
ScoreDraw = Callable[
    [Sequence[SimulatedPerson], Teams, Mapping[int, float], float, float, random.Random], tuple[float, ...]
]

# Draws late joiners, by number: teams, leavers' seconds, the match's seconds, the match's number.
LateDraw = Callable[[Teams, Mapping[int, float], float, int], "Mapping[int, LateJoiner]"]


@dataclass(frozen=True, slots=True)
class LateJoiner:
    """When a player came, in seconds since the start, and who stood in for them until then; None if nobody did."""

    at: float
    substitute: int | None = None


@dataclass(frozen=True, slots=True)
class SimulatedMatch:
    """A match that was played.

    `difference` (between the teams' mean strengths) and `spread` (from the weakest to the strongest player) are in
    rating points, `distance` (from the lowest to the highest player) in percentiles. `favourite`: the stronger team's
    chance by the rating system; `truly`: by true skill; both None with more than two teams. `left`: leavers' seconds;
    `late`: who came after the start.
    """

    began_at: float
    seconds: float
    region: str
    teams: Teams
    difference: float
    spread: float
    distance: float
    favourite: float | None
    truly: float | None
    scores: tuple[float, ...] = ()
    left: Mapping[int, float] = field(default_factory=dict)
    late: Mapping[int, LateJoiner] = field(default_factory=dict)
    variant: str = ""

    @property
    def ended_at(self) -> float:
        return self.began_at + self.seconds

    @property
    def players(self) -> tuple[int, ...]:
        return tuple(number for team in self.teams for number in team)

    @property
    def rosters(self) -> Teams:
        """The teams with those who stood in for late joiners."""
        stand_in = {number: came.substitute for number, came in self.late.items() if came.substitute is not None}
        return tuple((*team, *[stand_in[number] for number in team if number in stand_in]) for team in self.teams)

    @property
    def replaced(self) -> dict[int, float]:
        """When those who stood in were replaced, by number."""
        return {came.substitute: came.at for came in self.late.values() if came.substitute is not None}


def true_chance(people: Sequence[SimulatedPerson], teams: Teams, luck: float) -> float | None:
    """The favourite's chance by true skill if nobody leaves and no score is rounded."""
    if len(teams) != 2:
        return None
    one, other = (sum(people[number].skill for number in team) / sqrt(len(team)) for team in teams)
    return 0.5 * (1 + erf(abs(one - other) / (2 * luck)))


def draw_leavers(
    people: Sequence[SimulatedPerson], teams: Teams, seconds: float, rng: random.Random
) -> dict[int, float]:
    """Draw the leavers, with the seconds that each has played before."""
    left = {}
    for team in teams:
        for number in team:
            if rng.random() < people[number].leaves:
                left[number] = float(round(seconds * rng.uniform(0.1, 0.9)))
    return left


def draw_nobody(teams: Teams, left: Mapping[int, float], seconds: float, number: int) -> dict[int, LateJoiner]:
    """Everybody is there from the start."""
    return {}


def draw_scores(
    people: Sequence[SimulatedPerson],
    teams: Teams,
    left: Mapping[int, float],
    seconds: float,
    luck: float,
    rng: random.Random,
) -> tuple[float, ...]:
    """Draw each team's score from its players' true skill, weighted by their time in game, and from luck."""
    scores = []
    for team in teams:
        skill = sum(people[number].skill * left.get(number, seconds) / seconds for number in team)
        scores.append(float(max(0, round(10 + 4 * (skill / sqrt(len(team)) + rng.gauss(0, luck))))))
    return tuple(scores)


def draw_scores_to(
    target: int,
    people: Sequence[SimulatedPerson],
    teams: Teams,
    left: Mapping[int, float],
    seconds: float,
    luck: float,
    rng: random.Random,
) -> tuple[float, ...]:
    """Draw the scores of a match that ends when a team reaches the target, so that one team alone has it.

    A team that all its players left loses, with no more points than its time in game allows.
    """
    gone = [all(number in left for number in team) for team in teams]
    played = [max(left.get(number, seconds) for number in team) / seconds for team in teams]
    performances = [
        sum(people[number].skill for number in team) / sqrt(len(team)) + rng.gauss(0, luck) for team in teams
    ]
    winner = max(range(len(teams)), key=lambda index: (not gone[index], performances[index]))
    scores = []
    for index, performance in enumerate(performances):
        behind = 1 + abs(round(target / 5 * (performances[winner] - performance)))
        most = min(target - 1, int(played[index] * target))
        scores.append(float(target if index == winner else min(most, max(0, target - behind))))
    return tuple(scores)
