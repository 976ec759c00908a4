"""What a trial of a mode came to, with the board that it would make beside today's: stored nowhere but in its run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from ranking.evaluation.core.dry_runs import Comparison, compare
from ranking.evaluation.core.trials import Trial
from ranking.models import Mode, Rating


def dry_run(mode: Mode, trial: Trial, seconds: float) -> dict[str, Any]:
    """The evaluation as JSON, with `board`: the listed players by the trial's ratings and by the published ones."""
    return {**asdict(trial.evaluation(seconds)), "board": asdict(_board(mode, trial))}


def _board(mode: Mode, trial: Trial) -> Comparison:
    """Who is listed depends on matches alone, so it is the same under every system."""
    listed = Rating.objects.filter(mode=mode, season__current=True, listed=True)
    rows = listed.order_by("board_order", "published_reached_at", "id").values_list("player", "published_hundredths")
    board = np.fromiter(rows.iterator(chunk_size=10_000), dtype=[("player", "i8"), ("hundredths", "i8")])
    players: list[int] = board["player"].tolist()
    newcomer = trial.system.to_state(trial.system.newcomer()).display_hundredths
    found = (trial.population.hundredths_of((mode.slug, str(player))) for player in players)
    dry = np.fromiter((newcomer if one is None else one for one in found), dtype=np.int64, count=len(players))
    return compare(players, board["hundredths"], dry)
