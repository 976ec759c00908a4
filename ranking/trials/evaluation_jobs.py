"""Runs evaluations as jobs, which store the result of one candidate after another.

A process that finds an expired lease starts the candidate again; stored results stay. A dry run adds the board that
the candidate would give.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np

from ranking.models import EvaluationRun, Mode, Rating
from ranking.systems.registry import get_system
from ranking.trials.core.dry_runs import BoardComparison, compare
from ranking.trials.core.timeline import Timeline
from ranking.trials.core.trials import Trial, chunk_size, take_all
from ranking.trials.histories import active_seconds, mode_history
from ranking.trials.jobs import NEW_RESULT, Jobs, Work


def dry_run(mode: Mode, trial: Trial, against: Trial | None = None) -> dict[str, Any]:
    """The evaluation as JSON; `board` compares the listed players' ratings in the trial with the published ones."""
    return {**asdict(trial.evaluation(trial.seconds, against)), "board": asdict(_board(mode, trial))}


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


class EvaluationWork(Work):
    model = EvaluationRun
    command = "manage.py evaluate --mode"
    begun: ClassVar[dict[str, Any]] = {"progress": 0}  # the current candidate starts again

    def start(self) -> Iterator[int]:
        """Rate the history by each candidate without a result; yields how many matches are rated.

        The parameters in force, which are the first candidate, go along with each of the others, for the difference.
        """
        run = self.run
        window, size = active_seconds(run.mode), chunk_size(run.matches)
        for number in range(len(run.results), len(run.candidates)):
            timeline = Timeline()
            trials = [
                Trial(get_system(candidate["system"], candidate["params"]), timeline, run.matches, window)
                for candidate in (run.candidates[number], run.candidates[0])[: 1 + (number > 0)]
            ]
            for _ in take_all(trials, timeline, mode_history(run.mode, until=run.until, size=size)):
                yield trials[0].matches
            run.results.append(dry_run(run.mode, *trials))
            yield NEW_RESULT

    def note(self, progress: int) -> dict[str, Any]:
        if progress == NEW_RESULT:
            return {"results": self.run.results, "attempts": 1, "progress": 0, "error": ""}
        return {"progress": progress}


EVALUATIONS = Jobs(EvaluationWork)
