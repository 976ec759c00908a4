"""Fits the parameters of one rating system to the first two thirds of a history, and judges them by the rest."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf
from typing import Any

import numpy as np

from ranking.systems.base import Refused
from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.registry import describe_params, get_system
from ranking.trials.core.accuracy import Figures, figures_of, losses_of
from ranking.trials.core.fit_history import FitHistory
from ranking.trials.core.judging import NEEDED, Gain, gain_of
from ranking.trials.core.parameters import Fittable
from ranking.trials.core.repeated_replay import NotFinite, Replays
from ranking.trials.core.search import MOST_REPLAYS, Known, Point, Search


def check_size(history: FitHistory) -> None:
    """Raise Refused if either part has too few decided matches."""
    for name, part in (
        ("first two thirds", slice(history.fit_matches)),
        ("last third", slice(history.fit_matches, None)),
    ):
        decided = int(history.decided[part].sum())
        if decided < NEEDED:
            raise Refused(f"A fit needs {NEEDED} decided matches in the {name} of the history, which has {decided:,}.")


@dataclass(frozen=True, slots=True)
class FittedParameter:
    """A parameter with its default and its fitted value."""

    name: str
    default: float
    fitted: float


class Fit:
    """A fit of one system. `known`: objectives that an earlier process has computed; new ones are added to it.

    Raises Refused if the system can't rate the history.
    """

    def __init__(
        self, fittable: Fittable, history: FitHistory, known: Known | None = None, most: int = MOST_REPLAYS
    ) -> None:
        self.fittable, self.history = fittable, history
        self.known: Known = {} if known is None else known
        self._replays = Replays(fittable.default(), history, history.fit_matches)
        own = slice(history.fit_pairs)
        self._won, self._weights = history.pairs.won[own], history.weights[own]
        self._decided = int(history.decided[: history.fit_matches].sum())
        self.searches = [
            Search(len(fittable.parameters), number, self._objective, self.known, most)
            for number in range(len(fittable.alternatives))
        ]

    @property
    def replays(self) -> int:
        return sum(search.replays for search in self.searches)

    @property
    def value(self) -> float:
        """The lowest objective so far."""
        return self.searches[self.best].value

    @property
    def best(self) -> int:
        """The number of the alternative with the lowest objective so far."""
        return min(range(len(self.searches)), key=lambda number: self.searches[number].value)

    @property
    def params(self) -> dict[str, Any]:
        """The best parameters so far, without those at their defaults."""
        return self.fittable.params(self.best, self.searches[self.best].best)

    def run(self) -> Generator[int, None, None]:
        """Search; yields the number of matches of the current replay that are rated."""
        for search in self.searches:
            yield from search.run()

    def _objective(self, number: int, x: Point) -> Generator[int, None, float]:
        """Mean log-loss of the fit part, and how unlikely x is by the prior; infinite if it can't be computed."""
        try:
            system = get_system(self.fittable.key, self.fittable.params(number, x))
        except Refused:
            return inf  # out of the parameter's bounds
        try:
            chances = yield from self._replays.chances(system)
        except (NotFinite, OverflowError, ZeroDivisionError):
            return inf
        if np.isnan(chances).any():
            return inf
        prior = sum(
            value**2 / (2 * parameter.sd**2 * self._decided)
            for parameter, value in zip(self.fittable.parameters, x, strict=True)
        )
        return float(np.average(losses_of(chances, self._won), weights=self._weights)) + prior

    def rows(self) -> list[FittedParameter]:
        """The parameters that the fit may change."""
        defaults = {parameter.name: parameter.default for parameter in describe_params(self.fittable.key)}
        return [
            FittedParameter(name, defaults[name], self.params.get(name, defaults[name]))
            for name in self.fittable.names()
        ]


@dataclass(frozen=True, slots=True)
class Prediction:
    """The chances of one version over a whole history, by pair; NaN where it gives none."""

    system: str
    params: Mapping[str, Any]
    chances: Floats

    @property
    def counted(self) -> Bools:
        return ~np.isnan(self.chances)


def predict_all(
    system: str, params: Mapping[str, Any], history: FitHistory, replays: Replays | None = None
) -> Generator[int, None, Prediction]:
    """Replay the whole history by this version."""
    version = get_system(system, params)
    replays = replays or Replays(version, history)
    chances = yield from replays.chances(version)
    return Prediction(system, params, chances)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the fit part and the held-out part say of the defaults and of the fitted parameters."""

    fit: tuple[Figures, Figures]  # of defaults, fitted
    held_out: tuple[Figures, Figures]
    gain: Gain

    def as_json(self) -> dict[str, Any]:
        return {
            "fit": [asdict(each) for each in self.fit],
            "held_out": [asdict(each) for each in self.held_out],
            "gain": asdict(self.gain),
            "recommended": self.gain.is_sure,
        }


def judge(default: Prediction, fitted: Prediction, history: FitHistory) -> Verdict:
    """Compare both versions over the pairs that both predict."""
    counted = default.counted & fitted.counted
    won, weights = history.pairs.won, history.weights
    parts = [counted & (np.arange(len(counted)) < history.fit_pairs)]
    parts.append(counted & ~parts[0])
    by_part = [
        tuple(figures_of(each.chances[part], won[part], weights[part]) for each in (default, fitted)) for part in parts
    ]
    return Verdict(by_part[0], by_part[1], gain_between(default, fitted, history, parts[1]))  # type: ignore[arg-type]


def gain_between(old: Prediction, new: Prediction, history: FitHistory, counted: Bools) -> Gain:
    """The gain by the counted pairs."""
    won = history.pairs.won[counted]
    gains = losses_of(old.chances[counted], won) - losses_of(new.chances[counted], won)
    return gain_of(by_match(gains, history.pairs.match[counted]))


def by_match(values: Floats, match: Ints) -> Floats:
    """The mean of the values of each match that has some. `match`: by value, ascending."""
    _, number, count = np.unique(match, return_inverse=True, return_counts=True)
    means: Floats = np.bincount(number, values) / count
    return means


@dataclass(frozen=True, slots=True)
class Ranked:
    """A version on the held-out part; `gain` over the best one that needs no fit."""

    title: str
    log_loss: float
    gain: Gain


def rank(
    versions: Sequence[tuple[str, Prediction]], existing: Sequence[Prediction], history: FitHistory
) -> list[Ranked]:
    """Versions by their log-loss on the held-out pairs that all predict, the best first."""
    held_out = np.arange(len(history.pairs)) >= history.fit_pairs
    for each in [*(prediction for _, prediction in versions), *existing]:
        held_out &= each.counted
    won, weights = history.pairs.won[held_out], history.weights[held_out]

    def loss(prediction: Prediction) -> float:
        losses = losses_of(prediction.chances[held_out], won)
        return float(np.average(losses, weights=weights)) if held_out.any() else inf

    best = min(existing, key=loss)
    ranked = [Ranked(title, loss(each), gain_between(best, each, history, held_out)) for title, each in versions]
    return sorted(ranked, key=lambda row: row.log_loss)
