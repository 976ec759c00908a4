"""The report of an evening: waits, quality of matches, how well ratings know true skill, inflation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from math import ceil, lgamma, log, log2
from statistics import fmean
from typing import Any

import numpy as np

from matchmaking.simulation._waits import GONE, STILL, QueueSample, Wait
from matchmaking.simulation.evening import Evening
from matchmaking.simulation.play import SimulatedMatch
from matchmaking.simulation.scenarios import Scenario
from ranking.trials.core.dry_runs import spearman

BANDS = ((1, 20), (21, 40), (41, 60), (61, 80), (81, 98), (99, 100))  # percentiles by the matchmaker
TOP = 0.02  # of the population by true skill
CHECKPOINTS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000)
FEWEST = 20  # players that a checkpoint needs
ONE_SIDED = 0.75
SETTLED = 5.0  # percentiles


@dataclass(frozen=True, slots=True)
class WaitRow:
    """Waits of one kind in seconds, including the unfinished waits so far; None if there are none."""

    of: str
    waits: int
    still: int
    median: float | None
    p95: float | None
    longest: float | None


@dataclass(frozen=True, slots=True)
class MeanQuality:
    """Means over matches: `difference` and `spread` in rating points, `distance` in percentiles, chances 0 to 1.

    `one_sided`: the share of matches whose favourite has a true chance above ONE_SIDED.
    """

    difference: float
    spread: float
    distance: float
    favourite: float | None
    truly: float | None
    one_sided: float | None


@dataclass(frozen=True, slots=True)
class Knowledge:
    """How well display ratings know true skill after `matches` of each player.

    `players`: those who have played as many; `correlation`: of the two orders; `off` and `median_off`: mean and median
    error in percentiles.
    """

    matches: int
    players: int
    correlation: float | None
    off: float
    median_off: float


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """`hours`: the simulated time; `inflation`: mean display rating of everybody who has played, less a newcomer's.

    `settled`: after how many matches of each player half of them are within SETTLED percentiles of the truth; None if
    they never were. `least_matches`: how many it takes at least to tell everybody apart, see `least_matches_of`.
    """

    scenario: Scenario
    hours: float
    matches: int
    played: int  # people who have played
    locked_out: int
    missed: int
    waits: tuple[WaitRow, ...]
    oldest: float
    quality: MeanQuality | None
    known: tuple[Knowledge, ...]
    settled: int | None
    least_matches: float
    inflation: float | None
    newcomer: float
    moments: tuple[QueueSample, ...]
    chances: tuple[float, ...]  # of true favourites, a match each

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def report_of(evening: Evening) -> SimulationReport:
    """The report of an evening so far."""
    since = 3_600 * evening.scenario.from_hour
    waits = [*(wait for wait in evening.waits if wait.at >= since), *evening.waiting()]
    matches = [match for match in evening.matches if match.began_at >= since]
    ladder = evening.ladder
    shown = [rating for rating, past in zip(ladder.shown, ladder.shown_after, strict=True) if past]
    return SimulationReport(
        scenario=evening.scenario,
        hours=evening.now / 3_600,
        matches=len(evening.matches),
        played=len(shown),
        locked_out=evening.locked_out,
        missed=sum(wait.end == GONE for wait in waits),
        waits=tuple(_wait_rows(evening, waits)),
        oldest=evening.oldest,
        quality=_quality(matches) if matches else None,
        known=tuple(known_after(evening, CHECKPOINTS)),
        settled=settled_after(lambda checkpoints: known_after(evening, checkpoints)),
        least_matches=least_matches_of(evening.scenario),
        inflation=(fmean(shown) - ladder.newcomer) / 100 if shown else None,
        newcomer=ladder.newcomer / 100,
        moments=tuple(evening.moments),
        chances=tuple(match.truly for match in matches if match.truly is not None),
    )


def _wait_rows(evening: Evening, waits: Sequence[Wait]) -> Iterable[WaitRow]:
    def row(of: str, chosen: Callable[[Wait], bool]) -> WaitRow:
        return wait_row(of, [wait for wait in waits if chosen(wait)])

    yield row("everybody", lambda _: True)
    for low, high in BANDS:
        yield row(f"percentile {low}–{high}", lambda wait, low=low, high=high: low <= wait.percentile <= high)  # type: ignore[misc]
    people = evening.community.people
    best = sorted(range(len(people)), key=lambda number: -people[number].skill)
    truly = set(best[: ceil(TOP * len(people))])
    yield row("best 2 % by true skill", lambda wait: wait.player in truly)
    for size in sorted({wait.size for wait in waits}):
        name = "alone" if size == 1 else f"party of {size}"
        yield row(name, lambda wait, size=size: wait.size == size)  # type: ignore[misc]


def wait_row(of: str, waits: Sequence[Wait]) -> WaitRow:
    seconds = sorted(wait.seconds for wait in waits)
    if not seconds:
        return WaitRow(of, 0, 0, None, None, None)
    still = sum(wait.end == STILL for wait in waits)
    return WaitRow(of, len(seconds), still, _nearest(seconds, 0.5), _nearest(seconds, 0.95), seconds[-1])


def _nearest(ordered: Sequence[float], share: float) -> float:
    """The quantile by nearest rank: the least value that at least this share of values doesn't exceed."""
    return ordered[max(0, ceil(share * len(ordered) - 1e-9) - 1)]


def _quality(matches: Sequence[SimulatedMatch]) -> MeanQuality:
    favourites = [match.favourite for match in matches if match.favourite is not None]
    truly = [match.truly for match in matches if match.truly is not None]
    return MeanQuality(
        difference=fmean(match.difference for match in matches),
        spread=fmean(match.spread for match in matches),
        distance=fmean(match.distance for match in matches),
        favourite=fmean(favourites) if favourites else None,
        truly=fmean(truly) if truly else None,
        one_sided=fmean(chance > ONE_SIDED for chance in truly) if truly else None,
    )


def least_matches_of(scenario: Scenario) -> float:
    """The least matches of each player that tell the whole population apart, if luck had no part.

    An order of N players holds log2 N bits a player; a match gives the bits of its teams' possible orders at most, to
    all of its participants together.
    """
    orders = lgamma(scenario.team_count + 1) / log(2)  # log2 of n!
    return scenario.players * log2(scenario.population) / orders


def settled_after(known_at: Callable[[Iterable[int]], Iterable[Knowledge]]) -> int | None:
    """The first number of matches with a median error of at most SETTLED, from the checkpoint before it on.

    `known_at` gives the knowledge after some numbers of matches, until too few players have played as many.
    """
    last = 0
    for checkpoint in known_at(CHECKPOINTS):
        if checkpoint.median_off <= SETTLED:
            between = known_at(range(last + 1, checkpoint.matches + 1))
            return next(one.matches for one in between if one.median_off <= SETTLED)
        last = checkpoint.matches
    return None


def known_after(evening: Evening, checkpoints: Iterable[int]) -> Iterable[Knowledge]:
    """How well ratings know true skill after these numbers of matches, while enough players have played as many."""
    skills = np.array([person.skill for person in evening.community.people])
    shown_after = evening.ladder.shown_after
    for matches in checkpoints:
        players = [number for number, shown in enumerate(shown_after) if len(shown) >= matches]
        if len(players) < FEWEST:
            return
        shown = np.array([shown_after[number][matches - 1] for number in players])
        true = np.argsort(np.argsort(skills[players]))
        off = np.abs(_percentiles(shown) - _percentiles(true))
        yield Knowledge(matches, len(players), spearman(shown, true), float(off.mean()), float(np.median(off)))


def _percentiles(values: Any) -> Any:
    """The percentile of each value among these, 0 to 100; equal values share the middle of their places."""
    ordered = np.sort(values)
    below, up_to = np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
    return 50 * (below + up_to) / len(values)
