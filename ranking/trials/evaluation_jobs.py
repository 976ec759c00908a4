"""Runs evaluations as jobs, which store the result of one candidate after another.

A process that finds an expired lease starts the candidate again; stored results stay. A dry run adds the board that
the candidate would give.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import asdict
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from ranking.models import EvaluationRun, Mode, Rating
from ranking.systems.registry import get_system
from ranking.trials.core.dry_runs import BoardComparison, compare
from ranking.trials.core.timeline import Timeline
from ranking.trials.core.trials import Trial, chunk_size
from ranking.trials.histories import active_seconds, mode_history
from ranking.trials.jobs import LEASE, NOTED_EVERY, Clock, Jobs, Leased


def dry_run(mode: Mode, trial: Trial, seconds: float, against: Trial | None = None) -> dict[str, Any]:
    """The evaluation as JSON; `board` compares the listed players' ratings in the trial with the published ones."""
    return {**asdict(trial.evaluation(seconds, against)), "board": asdict(_board(mode, trial))}


def _board(mode: Mode, trial: Trial) -> BoardComparison:
    """Compare both boards. Listing depends on matches alone, so the players are the same under every system."""
    listed = Rating.objects.filter(mode=mode, season__current=True, listed=True)
    rows = listed.order_by("board_order", "published_reached_at", "id").values_list("player", "published_hundredths")
    board = np.fromiter(rows.iterator(chunk_size=10_000), dtype=[("player", "i8"), ("hundredths", "i8")])
    players: list[int] = board["player"].tolist()
    newcomer = trial.system.to_state(trial.system.newcomer()).display_hundredths
    ratings = (trial.population.hundredths_of((mode.slug, str(player))) for player in players)
    dry = np.fromiter((newcomer if one is None else one for one in ratings), dtype=np.int64, count=len(players))
    return compare(players, board["hundredths"], dry)


class Evaluations(Jobs[EvaluationRun, Leased[EvaluationRun]]):
    model = EvaluationRun
    command = "manage.py evaluate --mode"
    begun: ClassVar[dict[str, Any]] = {"progress": 0}

    def begin(self, run: EvaluationRun, lease: str, now: dt.datetime) -> Leased[EvaluationRun]:
        return Leased(run, lease, now, _steps(run))

    def step(self, leased: Leased[EvaluationRun], clock: Clock) -> bool:
        """Rate one chunk; see Jobs.step."""
        before = len(leased.run.results)
        progress = next(leased.steps, None)
        now = clock()
        if progress is None:
            self.row(leased).end(EvaluationRun.DONE, now, error="")
            return False
        if len(leased.run.results) > before:
            fields: dict[str, Any] = {"results": leased.run.results, "attempts": 1, "progress": 0, "error": ""}
        elif now >= leased.noted_at + NOTED_EVERY:
            fields = {"progress": progress}
        else:
            return True
        leased.noted_at = now
        return bool(self.row(leased).update(claimed_until=now + LEASE, **fields))

    def to_leave(self, leased: Leased[EvaluationRun]) -> dict[str, Any]:
        return {"progress": 0}  # the current candidate will start again


def _steps(run: EvaluationRun) -> Iterator[int]:
    """Rate the history by each candidate without a result; add its result to `run.results` at the end.

    The parameters in force, which are the first candidate, go along with each of the others, for the difference.
    """
    window, size = active_seconds(run.mode), chunk_size(run.matches)
    for number in range(len(run.results), len(run.candidates)):
        timeline = Timeline()
        trials = [
            Trial(get_system(candidate["system"], candidate["params"]), timeline, run.matches, window)
            for candidate in (run.candidates[number], run.candidates[0])[: 1 + (number > 0)]
        ]
        took = 0.0
        for chunk in mode_history(run.mode, until=run.until, size=size):
            stretches = timeline.read(chunk)
            begun = perf_counter()
            trials[0].take(stretches)
            took += perf_counter() - begun
            for against in trials[1:]:
                against.take(stretches)
            yield trials[0].matches
        run.results.append(dry_run(run.mode, trials[0], took, *trials[1:]))
        yield trials[0].matches


EVALUATIONS = Evaluations()
