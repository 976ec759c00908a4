"""The players and duels of a made-up history, in which honest play and planted abuse happen."""

from __future__ import annotations

import datetime as dt
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from ranking.rules.report import PlayerReport, Report, TeamReport

DAYS, BEGIN = 60, dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
LIMIT = 7  # a duel's points
ELO, STEP = 400 / math.log(10), 24.0
Act = tuple[float, Callable[..., None]]  # when, and what


@dataclass(slots=True)
class Person:
    """A player; `skill` in Elo points; `rating`: the one that matches are made by."""

    id: str
    skill: float
    first: float = 0.0  # day
    last: float = DAYS
    quits: float = 0.01  # how often, of matches that they lose
    friend: str = ""
    devices: tuple[str, ...] = ()
    rating: float = 0.0
    played: int = 0


@dataclass(slots=True)
class Planted:
    """A planted case: its kind and its players."""

    kind: str
    players: frozenset[str]


@dataclass(slots=True)
class Simulation:
    rng: random.Random
    mode: str
    people: dict[str, Person] = field(default_factory=dict)
    duels: list[tuple[float, Report]] = field(default_factory=list)
    planted: list[Planted] = field(default_factory=list)

    def add(self, id: str, **said: object) -> Person:
        person = self.people[id] = Person(id, **said)  # type: ignore[arg-type]
        return person

    def duel(
        self, one: Person, other: Person, day: float, *, winner: Person | None = None, lopsided: bool | None = None,
        quits: float | None = None, points: int | None = None, quick: bool = False,
        devices: tuple[str, str] | None = None,
    ) -> None:  # fmt: skip
        """Play a match that ends at this time, by skill or as given; `quits`: the share that the loser played."""
        rng = self.rng
        chance = 1 / (1 + math.exp((other.skill - one.skill) / ELO))
        won = one if (rng.random() < chance if winner is None else winner is one) else other
        lost = other if won is one else one
        if quits is None and rng.random() < lost.quits:
            quits = rng.uniform(0.05, 0.95)
        even = 1 - abs(2 * chance - 1)
        lost_points = min(LIMIT - 1, max(0, round(rng.gauss(1 + 4.5 * even, 2))))
        if lopsided is not None:
            lost_points = rng.choice((0, 0, 0, 1)) if lopsided else rng.randint(2, 6)
        if points is not None:
            lost_points = points
        duration = round(rng.uniform(60, 140) if quick else rng.lognormvariate(5.7, 0.25))
        used = devices or (self._device(one), self._device(other))
        self.duels.append((day, self._report(one, other, won, (LIMIT, lost_points), duration, quits, day, used)))
        expected = 1 / (1 + math.exp((lost.rating - won.rating) / ELO))
        won.rating += STEP * (1 - expected)
        lost.rating -= STEP * (1 - expected)
        won.played, lost.played = won.played + 1, lost.played + 1

    def _report(
        self, one: Person, other: Person, won: Person, points: tuple[int, int], duration: float, quits: float | None,
        day: float, devices: tuple[str, ...],
    ) -> Report:  # fmt: skip
        ended_at = BEGIN + dt.timedelta(days=day)
        teams = []
        for person, device in zip((one, other), devices, strict=True):
            left = quits is not None and person is not won
            seconds = round(duration * (quits or 1)) if left else duration
            said = PlayerReport(id=person.id, seconds=float(seconds), left_early=left, device=device)
            teams.append(TeamReport(players=(said,), score=float(points[person is not won])))
        number = len(self.duels)
        return Report(
            id=f"d{number}", mode=self.mode, ended_at=ended_at, teams=tuple(teams), duration=float(duration),
            started_at=ended_at - dt.timedelta(seconds=duration),
        )  # fmt: skip

    def _device(self, person: Person) -> str:
        """The device of a player, mostly their first one."""
        devices = person.devices or ("",)
        return self.rng.choices(devices, [6, *[1] * (len(devices) - 1)])[0]

    def opponent(self, person: Person, day: float) -> Person:
        """An honest player online with about the same rating."""
        there = [
            p for p in self.people.values() if p.id.startswith("p") and p.first <= day <= p.last and p is not person
        ]
        some = self.rng.sample(there, min(12, len(there)))
        return min(some, key=lambda p: abs(p.rating - person.rating))
