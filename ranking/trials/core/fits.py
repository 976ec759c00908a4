"""Fits several rating systems to one history, one after the other, and ranks them by the held-out part."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import numpy as np

from ranking.systems.base import Refused
from ranking.systems.registry import get_system
from ranking.trials.core.accuracy import losses_of
from ranking.trials.core.fit_history import FitHistory
from ranking.trials.core.fitting import Fit, Prediction, by_match, check_size, judge, predict_all, rank
from ranking.trials.core.impact import impact_result
from ranking.trials.core.parameters import MOST, fittable, is_fittable
from ranking.trials.core.repeated_replay import NotFinite, Replays
from ranking.trials.core.search import MOST_REPLAYS, Known

POINTS = 40  # of a picture of log-loss by time
SOURCE_OF_WEIGHTS = "two-layer"  # the system with weights of statistics, and with an elite band

Candidate = Mapping[str, Any]  # "system" and "params", as the mode has chosen them
BENCHMARK: Candidate = {"system": "margin", "params": {}}
Jsonable = dict[str, Any]


class Fits:
    """Fits of these systems. `results`: those that an earlier process has finished; new ones are added.

    `known`: objectives of the first unfinished fit that an earlier process has computed. `in_force`: the version that
    the mode is rated by, to be compared. Raises Refused for a history that is too small.
    """

    def __init__(
        self,
        history: FitHistory,
        wanted: Sequence[Candidate],
        *,
        in_force: Candidate | None = None,
        impact: bool = False,
        most: int = MOST,
        replays: int = MOST_REPLAYS,
        results: list[Jsonable] | None = None,
        known: Known | None = None,
    ) -> None:
        check_size(history)
        self.history, self.wanted, self.in_force, self.impact = history, wanted, in_force, impact
        self.results: list[Jsonable] = [] if results is None else results
        self.summary: Jsonable = {}
        self.known: Known = {} if known is None else known
        self.current: Fit | None = None
        self._most, self._replays = most, replays
        self._versions: list[tuple[str, Prediction]] = []
        self._existing: list[Prediction] = []

    def run(self) -> Generator[int, None, None]:
        """Fit all; yields the number of matches of the current replay that are rated, and -1 after each result."""
        for number, candidate in enumerate(self.wanted):
            finished = number < len(self.results)
            try:
                result = yield from self._fit(candidate, self.results[number] if finished else None)
            except Refused as refused:
                result = {**candidate, "error": str(refused)}
            if not finished:
                self.results.append(result)
                self.current = None
                self.known.clear()
                yield -1
        if self._versions:
            for candidate, title in self._others():
                with suppress(Refused, NotFinite, OverflowError, ZeroDivisionError):
                    yield from self._predict(candidate["system"], candidate["params"], title)
            rows = rank(self._versions, self._existing, self.history)
            self.summary["ranking"] = [asdict(row) for row in rows]
        if self.impact:
            chosen = [*self.wanted, *([self.in_force] if self.in_force else [])]
            today: Candidate = next((each for each in chosen if each["system"] == SOURCE_OF_WEIGHTS), {})
            try:
                system = get_system(SOURCE_OF_WEIGHTS, today.get("params"))
                self.summary["impact"] = impact_result(self.history, system)
            except Refused as refused:
                self.summary["impact"] = {"error": str(refused)}

    def _others(self) -> Iterator[tuple[Candidate, str]]:
        """Versions that the ranking has, too: the one in force, and the system that does best without a fit."""
        for candidate, title in ((self.in_force, "in force"), (BENCHMARK, "defaults")):
            ranked = [(own.system, own.params) for _, own in self._versions]
            if candidate is not None and (candidate["system"], candidate["params"]) not in ranked:
                yield candidate, title

    def _fit(self, candidate: Candidate, done: Jsonable | None) -> Generator[int, None, Jsonable]:
        """The result of one system; `done`: that of an earlier process, whose predictions alone are made again."""
        key = candidate["system"]
        if not is_fittable(key):
            yield from self._predict(key, candidate["params"], "as it is")
            return {**candidate, "error": f"{key} has no parameters to fit."}
        if done is not None and "error" in done:
            return done
        history = self.history
        check_size(history)
        base: dict[str, Any]
        wanted = fittable(key, candidate["params"], history, self._most)
        if done is None:
            self.current = fit = Fit(wanted, history, self.known, self._replays)
            yield from fit.run()
            base, params = dict(wanted.base), fit.params
        else:
            base, params = done["base"], done["params"]
        replays = Replays(wanted.default(), history)
        default = yield from predict_all(key, base, history, replays)
        fitted = yield from predict_all(key, params, history, replays)
        if done is None:
            done = {
                "system": key, "base": base, "params": params, "rows": [asdict(row) for row in fit.rows()],
                "replays": fit.replays, "matches": history.matches, **judge(default, fitted, history).as_json(),
                "over_time": over_time(default, fitted, history),
            }  # fmt: skip
        self._existing.append(default)
        chosen = fitted if done["recommended"] else default
        self._versions.append((f"{key}, {'fitted' if done['recommended'] else 'defaults'}", chosen))
        return done

    def _predict(self, key: str, params: Mapping[str, Any], title: str) -> Generator[int, None, None]:
        """Replay a version that isn't fitted, for the ranking."""
        prediction = yield from predict_all(key, params, self.history)
        if prediction.counted.any():
            self._existing.append(prediction)
            self._versions.append((f"{key}, {title}", prediction))


def over_time(default: Prediction, fitted: Prediction, history: FitHistory) -> list[list[float]]:
    """Points of a picture: when a run of matches ended, whether it is held out, and both versions' log-loss in it."""
    counted = default.counted & fitted.counted
    won, match = history.pairs.won[counted], history.pairs.match[counted]
    old, new = (by_match(losses_of(each.chances[counted], won), match) for each in (default, fitted))
    matches, points = np.unique(match), []
    for run in np.array_split(np.arange(len(matches)), min(POINTS, max(1, len(matches)))):
        last = int(matches[run[-1]])
        at, held_out = float(history.ended_at[last]), float(last >= history.fit_matches)
        points.append([at, held_out, float(old[run].mean()), float(new[run].mean())])
    return points
