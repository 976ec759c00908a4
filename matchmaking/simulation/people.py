"""Makes the community: people with a true skill that no rating system sees, and the groups in which they come."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matchmaking.simulation.scenarios import Scenario

PING_LIMIT = 120.0  # milliseconds
LARGEST_PARTY = 4
ALIKE = 0.6  # correlation of a member's skill with what the party has in common
QUITTER = 0.5  # largest chance to leave a match


@dataclass(frozen=True, slots=True)
class SimulatedPerson:
    """`skill` is N(0, 1) over everybody; `leaves` the chance to leave a match; `pings` milliseconds by region."""

    id: str
    skill: float
    leaves: float
    strict: bool
    pings: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SimulatedGroup:
    """People (by number) who come, queue and go together; `pings`: the highest in each region that is good for all."""

    id: str
    members: tuple[int, ...]
    pings: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Community:
    people: Sequence[SimulatedPerson]
    groups: Sequence[SimulatedGroup]


def make_community(scenario: Scenario, rng: random.Random) -> Community:
    people: list[SimulatedPerson] = []
    groups: list[SimulatedGroup] = []
    regions = [f"region-{number}" for number in range(1, scenario.regions + 1)]
    while len(people) < scenario.population:
        size = min(_party_size(scenario, rng), scenario.population - len(people))
        home, base, strict = rng.choice(regions), rng.gauss(0, 1), rng.random() < scenario.strict
        members = [_person(len(people) + number, scenario, rng, home, strict) for number in range(size)]
        if size > 1:
            own = (1 - ALIKE**2) ** 0.5
            members = [_with_skill(member, ALIKE * base + own * member.skill) for member in members]
        groups.append(group_of(members, range(len(people), len(people) + size)))
        people += members
    return Community(people, groups)


def _party_size(scenario: Scenario, rng: random.Random) -> int:
    """Draw the size of a group, so that `in_parties` is the share of players (not of tickets) in parties."""
    largest = min(LARGEST_PARTY, scenario.team_size)
    if largest < 2:
        return 1
    sizes = range(2, largest + 1)
    mean = sum(sizes) / len(sizes)
    parties = scenario.in_parties / mean
    return rng.choice(sizes) if rng.random() * (parties + 1 - scenario.in_parties) < parties else 1


def _person(number: int, scenario: Scenario, rng: random.Random, home: str, strict: bool) -> SimulatedPerson:
    pings = {
        f"region-{each}": float(round(rng.uniform(10, 70) if f"region-{each}" == home else rng.uniform(80, 200)))
        for each in range(1, scenario.regions + 1)
    }
    leaves = min(QUITTER, scenario.leaves * rng.expovariate(1))
    return SimulatedPerson(f"p{number}", rng.gauss(0, 1), leaves, strict, pings)


def _with_skill(person: SimulatedPerson, skill: float) -> SimulatedPerson:
    return SimulatedPerson(person.id, skill, person.leaves, person.strict, person.pings)


def group_of(members: Sequence[SimulatedPerson], numbers: Sequence[int]) -> SimulatedGroup:
    worst = {region: max(member.pings[region] for member in members) for region in members[0].pings}
    good = {region: ping for region, ping in worst.items() if ping <= PING_LIMIT}
    return SimulatedGroup(f"g{numbers[0]}", tuple(numbers), good)
