"""A trial of one rating system on one history, chunk by chunk, and the evaluation at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from time import perf_counter
from typing import Any

from ranking.systems.base import Refused, S, System
from ranking.trials.core.accuracy import Bin, Figures, bins, clip, figures_of
from ranking.trials.core.inflation import HistogramBar, Population, RatingLevels, distribution
from ranking.trials.core.predictions import (
    ByExperience,
    ByUpset,
    CoursePoint,
    Difference,
    PredictionLog,
    Predictions,
    by_experience,
    by_upset,
    course,
    difference,
)
from ranking.trials.core.replay import SystemReplay
from ranking.trials.core.timeline import DAY, PastStep, SeedStretch, Stretch, Timeline

MOMENTS = 50  # times at which the mean rating is measured
LARGEST_CHUNK = 1_000  # matches
ACTIVE = 30 * DAY  # seconds for which a match keeps a player active, unless a mode has its own setting


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of a trial.

    `inflation`: the mean display rating of the players active at the end, less a newcomer's, in rating points.
    `seconds`: the system's computing time, without reading.
    """

    system: str
    matches: int
    figures: Figures
    inflation: float | None
    seconds: float
    start: float  # a newcomer's display rating
    calibration: tuple[Bin, ...]
    distribution: tuple[HistogramBar, ...]
    moments: tuple[RatingLevels, ...]
    difference: Difference | None
    experience: tuple[ByExperience, ...]
    upsets: tuple[ByUpset, ...]
    course: tuple[CoursePoint, ...]

    def row(self) -> dict[str, Any]:
        """The figures as `evaluate --json` gives them."""
        return {
            "system": self.system,
            "matches": self.matches,
            **asdict(self.figures),
            "inflation": self.inflation,
            "seconds": self.seconds,
            "difference": self.difference and asdict(self.difference),
            "experience": [asdict(each) for each in self.experience],
            "upsets": [asdict(each) for each in self.upsets],
            "course": [asdict(each) for each in self.course],
        }


def chunk_size(total: int) -> int:
    """The number of matches in a chunk of a history of `total`: at most LARGEST_CHUNK, and at least MOMENTS chunks."""
    return min(LARGEST_CHUNK, max(1, ceil(total / MOMENTS)))


class Trial:
    """Takes a history of `total` matches, chunk by chunk; `window`: seconds for which a match keeps a player active.

    `timeline` reads the chunks; several trials may take what it has read, each chunk before the next one is read.
    `seconds`: the total time of `take`, by `clock`.
    """

    def __init__(
        self,
        system: System[S],
        timeline: Timeline,
        total: int,
        window: float | None = ACTIVE,
        *,
        name: str = "",
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self.system, self.name, self.seconds = system, name or system.key, 0.0
        self._clock = clock
        self._replay = SystemReplay(system)
        self._log = PredictionLog()
        self._timeline, self._window, self._total = timeline, window, total
        self.population = Population(self._replay, timeline)
        self._between = max(1, ceil(total / MOMENTS))
        self._moments: list[RatingLevels] = []

    @property
    def matches(self) -> int:
        return self._log.matches

    def take(self, chunk: Sequence[Stretch | SeedStretch]) -> None:
        """Predict and rate what the timeline has just read; raises Refused, naming the match."""
        measured, begun = self.matches // self._between, self._clock()
        for stretch in chunk:
            self._log.note(stretch, self._replay.rate(stretch))
        if self.matches // self._between > measured or self.matches == self._total:
            self._moments.append(self.population.levels(self._window))
        self.seconds += self._clock() - begun

    def predictions(self) -> Predictions:
        return self._log.predictions()

    def evaluation(self, seconds: float, against: Trial | None = None) -> Evaluation:
        """The evaluation so far; `seconds`: the total time of `take`. `against`: the trial that it is compared with."""
        predictions, points = self.predictions(), self.population.active(self._window)
        start = float(self.system.display(self.system.newcomer()))
        return Evaluation(
            system=self.name,
            matches=self.matches,
            figures=figures_of(predictions.chances, predictions.won),
            inflation=float(points.mean()) - start if len(points) else None,
            seconds=seconds,
            start=start,
            calibration=bins(clip(predictions.chances), predictions.won),
            distribution=distribution(points, self.system.decimals),
            moments=tuple(self._moments),
            difference=None if against is None else difference(predictions, against.predictions(), against.name),
            experience=tuple(by_experience(predictions)),
            upsets=tuple(by_upset(predictions)),
            course=tuple(course(predictions)),
        )


def take_all(
    trials: list[Trial],
    timeline: Timeline,
    chunks: Iterable[Sequence[PastStep]],
    leave_out: Callable[[Trial, Refused], None] | None = None,
) -> Iterator[int]:
    """Have trials of one timeline take these chunks; yields how many steps each chunk has, once it is rated.

    A trial whose system can't rate the history is removed from the list and given to `leave_out`; without `leave_out`,
    Refused is raised.
    """
    for chunk in chunks:
        stretches = timeline.read(chunk)
        for trial in list(trials):
            try:
                trial.take(stretches)
            except Refused as refused:
                if leave_out is None:
                    raise
                leave_out(trial, refused)
                trials.remove(trial)
        yield len(chunk)
