"""Makes a seeded history of honest duels with planted abuse, for measuring what the search finds.

Honest play has what looks like abuse: friends who play each other again and again, people who quit in anger, siblings
on one device, newcomers who are good. Matches are made between those of about one rating.
"""

import random
from functools import partial

from bench.duel_world import DAYS, Act, Simulation
from bench.plants import PLANTS

CASES = 20  # planted of each kind


def simulate(
    seed: int = 1, *, people: int = 500, duels: int = 9_000, cases: int = CASES, mode: str = "duel"
) -> Simulation:
    """A history with this many honest duels and, among them, this many planted cases of each kind."""
    world = Simulation(random.Random(seed), mode)
    _populate(world, people)
    plans: list[Act] = [plan for plant in PLANTS.values() for number in range(cases) for plan in plant(world, number)]
    honest: list[Act] = [(world.rng.uniform(0, DAYS), partial(_honest, world)) for _ in range(duels)]
    for day, act in sorted([*honest, *plans], key=lambda plan: plan[0]):
        act(day=max(0.0, day))
    world.duels.sort(key=lambda duel: duel[0])
    return world


def _populate(world: Simulation, count: int) -> None:
    rng = world.rng
    for number in range(count):
        late = rng.random() < 0.3
        quits = 0.15 if number % 40 == 0 else 0.02
        devices = (f"dev{number}",) if number % 6 else (f"dev{number}", f"laptop{number}")
        if number % 25 == 1:
            devices = (f"dev{number}", f"dev{number - 1}")  # siblings
        if number % 50 == 3:
            devices = (*devices, "cafe")
        first = rng.uniform(5, 50) if late else 0.0
        world.add(f"p{number}", skill=rng.gauss(0, 200), first=first, quits=quits, devices=devices)
    for number in range(0, count, 20):  # friends, often unequal
        world.people[f"p{number}"].friend, world.people[f"p{number + 1}"].friend = f"p{number + 1}", f"p{number}"


def _honest(world: Simulation, day: float) -> None:
    rng = world.rng
    there = [p for p in world.people.values() if p.id.startswith("p") and p.first <= day]
    one = rng.choice(there)
    friend = world.people.get(one.friend)
    if friend is not None and friend.first <= day and rng.random() < 0.15:
        for again in range(rng.randint(1, 5)):
            world.duel(one, friend, day + again * 0.006)
        return
    other = world.opponent(one, day)
    world.duel(one, other, day)
    while rng.random() < 0.12:  # a rematch
        day += 0.006
        world.duel(one, other, day)
