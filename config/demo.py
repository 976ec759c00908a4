"""A seeded season of a small community, for looking at: who they are, and the results of their matches.

Everybody has a true skill, some leave, some stop playing, some have just come, and some queue as a pair
from their first match on, so that their ratings are tied.
"""

import datetime as dt
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ranking.report import PlayerReport, Report, TeamReport

DAYS = 45
_FIRST = (
    "Kestrel Borealis Umbra Mistral Onyx Petrel Quill Rook Sable Talon Vesper Wren Zephyr Aster Briar Cinder Drift"
    " Ember Flint Gale Hollow Iris Juno Karst Lumen Moss Nettle Orchid Pike Quartz Raven Slate Thorn Ursa Vale Willow"
    " Yarrow Zinc Alder Basalt Comet Dune Echo Fable Glint Heron Ivory Jasper Kelp Lynx"
).split()
_SECOND = "Fox Owl Grid Nine Byte Jack Moth Volt Dash Hex".split()
REGIONS = ("eu-west", "us-east", "ap-east")


@dataclass(frozen=True, slots=True)
class Person:
    """`skill` is N(0, 1); they play on days `first` to `last` of the season, each day with `zeal`."""

    id: str
    name: str
    skill: float
    zeal: float
    first: int
    last: int
    leaves: float
    region: str
    pair: str = ""


@dataclass(frozen=True, slots=True)
class Play:
    """How a mode is played: how many matches a season, of how many teams of how many players."""

    mode: str
    matches: int
    teams: int
    size: int
    minutes: tuple[float, float]
    variants: tuple[str, ...]


PLAYS = (
    Play("control-6v6", 520, 2, 6, (9, 18), ("Foundry", "Harbour", "Skybridge", "Canyon")),
    Play("duel", 760, 2, 1, (3, 9), ("Aerie", "Cellar", "Prism")),
    Play("free-for-all", 170, 8, 1, (6, 11), ("Atrium", "Orbit")),
    Play("casual", 60, 2, 4, (6, 14), ("Foundry", "Snowball")),
)


def population(rng: random.Random) -> list[Person]:
    """Two hundred people, the player of the demo login (`demo-player`) first."""
    names = [*_FIRST, *(first + second for first, second in itertools.product(_FIRST, _SECOND))]
    others = rng.sample(names[len(_FIRST) :], 149)
    people = [Person("demo-player", "GridFox", 0.9, 1.0, 0, DAYS, 0.0, "eu-west")]
    for number, name in enumerate([*_FIRST, *others], 1):
        quit_early, came_late = rng.random() < 0.12, rng.random() < 0.14
        people.append(
            Person(
                id=f"player-{number:03}",
                name=name,
                skill=rng.gauss(0, 1),
                zeal=rng.choice((0.15, 0.4, 0.4, 0.8)),
                first=DAYS - rng.randint(0, 2) if came_late else rng.randint(0, 8),
                last=rng.randint(8, 12) if quit_early else DAYS,
                leaves=rng.choice((0.0, 0.0, 0.01, 0.03)) if number % 40 else 0.3,
                region=rng.choice(REGIONS),
                pair=f"pair-{number // 2}" if number in (20, 21, 60, 61) else "",
            )
        )
    return people


def season(people: Sequence[Person], rng: random.Random, now: dt.datetime) -> list[Report]:
    """Results of the last DAYS days, in the order in which they ended, the last minutes before `now`."""
    reports = [report for play in PLAYS for report in _results(play, people, rng, now)]
    return sorted(reports, key=lambda report: report.ended_at)


def _results(play: Play, people: Sequence[Person], rng: random.Random, now: dt.datetime) -> Iterator[Report]:
    for number in range(play.matches):
        moment = DAYS * (number + rng.random()) / play.matches  # days since the season began
        ended_at = now - dt.timedelta(days=DAYS - moment) - dt.timedelta(minutes=2)
        roster = _roster(play, people, rng, int(moment))
        if len(roster) == play.teams * play.size:
            yield _result(play, number, roster, rng, ended_at)


def _roster(play: Play, people: Sequence[Person], rng: random.Random, day: int) -> list[Person]:
    """Who plays; pairs keep together by standing side by side in the list."""
    there = [person for person in people if person.first <= day <= person.last and rng.random() < person.zeal]
    solo = [person for person in there if not person.pair]
    roster = rng.sample(solo, min(len(solo), play.teams * play.size))
    if play.size > 2 and rng.random() < 0.15 and day <= 20:
        pairs = sorted({person.pair for person in people if person.pair and person.first <= day})
        if pairs:
            chosen = rng.choice(pairs)
            roster[:2] = [person for person in people if person.pair == chosen]
    return roster


def _result(play: Play, number: int, roster: list[Person], rng: random.Random, ended_at: dt.datetime) -> Report:
    minutes = rng.uniform(*play.minutes)
    duration = float(round(60 * minutes))
    left = {person.id: round(duration * rng.uniform(0.1, 0.9)) for person in roster if rng.random() < person.leaves}
    sides = [roster[side * play.size : (side + 1) * play.size] for side in range(play.teams)]
    strength = [
        sum(person.skill * left.get(person.id, duration) / duration for person in side) / play.size**0.5
        + rng.gauss(0, 0.9)
        for side in sides
    ]
    scores = [max(0, round(10 + 4 * value)) for value in strength]
    return Report(
        id=f"{play.mode}-{number:04}",
        mode=play.mode,
        started_at=ended_at - dt.timedelta(seconds=duration),
        ended_at=ended_at,
        duration=duration,
        variant=rng.choice(play.variants),
        server=f"{roster[0].region}-{rng.randint(1, 3)}",
        region=roster[0].region,
        teams=tuple(
            TeamReport(
                name=("Blue", "Amber")[index] if play.size > 1 else "",
                score=float(score),
                players=tuple(_part(person, left, duration, rng, score) for person in side),
            )
            for index, (side, score) in enumerate(zip(sides, scores, strict=True))
        ),
    )


def _part(person: Person, left: dict[str, int], duration: float, rng: random.Random, score: int) -> PlayerReport:
    gone = person.id in left
    return PlayerReport(
        id=person.id,
        name=person.name,
        seconds=float(left[person.id]) if gone else duration,
        left_early=gone,
        party=person.pair,
        stats={
            "score": float(max(0, round(3 * score + 8 * person.skill + rng.gauss(0, 8)))),
            "kills": float(max(0, round(8 + 3 * person.skill + rng.gauss(0, 3)))),
            "deaths": float(max(0, round(8 - 2 * person.skill + rng.gauss(0, 3)))),
        },
    )
