"""Plants each kind of abuse: what cheaters do, and when; otherwise they play like everybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from bench.duel_world import Act, Person, Planted, Simulation

MINUTE = 1 / 1440  # of a day


def _plain(world: Simulation, person: Person, count: int, since: float, until: float) -> Iterator[Act]:
    """Plant ordinary duels of a cheater, here and there."""
    for _ in range(count):
        yield world.rng.uniform(since, until), lambda day: world.duel(person, world.opponent(person, day), day)


def _sessions(world: Simulation, count: int, since: float, gap: float = 6.0) -> Iterator[float]:
    """The times of this many matches, in sessions of a few, minutes apart."""
    day = since
    while count:
        some = min(count, world.rng.randint(5, 12))
        for number in range(some):
            yield day + number * gap * MINUTE
        count -= some
        day += world.rng.uniform(0.5, 3)


def boosting(world: Simulation, number: int) -> Iterator[Act]:
    """A throwaway account loses to one, or leaves at once; the first pair meets 50 times, nearly all 7–0."""
    rng = world.rng
    boosted, feeder = world.add(f"boosted{number}", skill=rng.gauss(0, 150)), world.add(f"feeder{number}", skill=0)
    world.planted.append(Planted("boosting", frozenset((boosted.id, feeder.id))))
    since = rng.uniform(15, 40)
    yield from _plain(world, boosted, rng.randint(6, 14), since - 10, since + 15)
    yield from _plain(world, feeder, rng.randint(0, 6), since - 5, since + 15)
    if number == 0:
        moments = [since + meeting * 2.4 * MINUTE for meeting in range(49)] + [since + 3]
        for moment in moments:
            yield moment, partial(world.duel, boosted, feeder, winner=boosted, points=0 if rng.random() < 0.95 else 1)
        return
    for moment in _sessions(world, rng.randint(14, 32), since):
        if number % 3 == 0:
            act = partial(world.duel, boosted, feeder, winner=boosted, quits=rng.uniform(0.02, 0.15), points=0)
        else:
            winner = boosted if rng.random() < 0.95 else feeder
            act = partial(world.duel, boosted, feeder, winner=winner, lopsided=rng.random() < 0.8)
        yield moment, act


def trading(world: Simulation, number: int) -> Iterator[Act]:
    """Two accounts win in turn, one or a few at a time."""
    rng = world.rng
    one, other = (world.add(f"trader{number}{side}", skill=rng.gauss(0, 150)) for side in "ab")
    world.planted.append(Planted("trading", frozenset((one.id, other.id))))
    since, block = rng.uniform(10, 40), 1 + number % 3
    for person in (one, other):
        yield from _plain(world, person, rng.randint(4, 20), since - 8, since + 12)
    for meeting, moment in enumerate(_sessions(world, rng.randint(16, 36), since)):
        winner = (one, other)[meeting // block % 2] if rng.random() < 0.95 else rng.choice((one, other))
        yield moment, partial(world.duel, one, other, winner=winner, lopsided=rng.random() < 0.85)


def delevelling(world: Simulation, number: int) -> Iterator[Act]:
    """A good player throws matches for a while: with negative scores, by leaving at once, or by losing quickly."""
    rng = world.rng
    person = world.add(f"faller{number}", skill=rng.uniform(100, 350))
    world.planted.append(Planted("delevelling", frozenset((person.id,))))
    since = rng.uniform(20, 45)
    yield from _plain(world, person, rng.randint(20, 40), 0, since)
    for moment in _sessions(world, rng.randint(9, 20), since, gap=10):
        yield moment, partial(_throw, world, person, number % 3)
    yield from _plain(world, person, 5, since + 8, 60)


def _throw(world: Simulation, person: Person, how: int, day: float) -> None:
    rng, other = world.rng, world.opponent(person, day)
    if rng.random() < 0.05:
        world.duel(person, other, day)
    elif how == 0:
        world.duel(person, other, day, winner=other, points=-rng.randint(5, 34))
    elif how == 1:
        world.duel(person, other, day, winner=other, points=rng.randint(0, 1), quits=rng.uniform(0.01, 0.2))
    else:
        world.duel(person, other, day, winner=other, lopsided=True, quick=rng.random() < 0.8)


def smurfing(world: Simulation, number: int) -> Iterator[Act]:
    """A new account of somebody who is far better than newcomers are, in weeks when there are others.

    An account that was there on the first day now and then plays on the same device.
    """
    rng = world.rng
    since, device = rng.uniform(12, 50), f"desk{number}"
    person = world.add(f"smurf{number}", skill=rng.uniform(600, 800), first=since, devices=(device,))
    older = [other for other in world.people.values() if other.id.startswith("p") and not other.first][number]
    older.devices = (*older.devices, device)
    world.planted.append(Planted("smurfing", frozenset((person.id,))))
    for moment in _sessions(world, rng.randint(18, 38), since, gap=9):
        yield moment, lambda day: world.duel(person, world.opponent(person, day), day)


def sharing(world: Simulation, number: int) -> Iterator[Act]:
    """One plays another's account on a device of theirs; or several play one account, on their devices by turns."""
    rng = world.rng
    person = world.add(f"shared{number}", skill=rng.gauss(0, 150), devices=(f"home{number}",))
    since = rng.uniform(5, 40)
    yield from _plain(world, person, rng.randint(10, 25), since - 5, since + 15)
    if number % 2:
        owner = world.add(f"owner{number}", skill=rng.gauss(150, 100), devices=(f"theirs{number}",))
        world.planted.append(Planted("sharing", frozenset((person.id, owner.id))))
        yield from _plain(world, owner, rng.randint(25, 40), 0, 60)
        for moment in _sessions(world, rng.randint(13, 24), since, gap=12):
            yield moment, partial(_play_on, world, person, rng.choice([f"theirs{number}"] * 3 + [f"home{number}"]))
        return
    world.planted.append(Planted("sharing", frozenset((person.id,))))
    for meeting, moment in enumerate(_sessions(world, rng.randint(14, 28), since, gap=12)):
        yield moment, partial(_play_on, world, person, f"friend{number}-{(meeting + rng.randint(0, 1)) % 3}")


def _play_on(world: Simulation, person: Person, device: str, day: float) -> None:
    other = world.opponent(person, day)
    world.duel(person, other, day, devices=(device, next(iter(other.devices), "")))


PLANTS: dict[str, Callable[[Simulation, int], Iterator[Act]]] = {
    plant.__name__: plant for plant in (boosting, trading, delevelling, smurfing, sharing)
}
