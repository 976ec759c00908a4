"""CSV files of an evaluation's results, for spreadsheets."""

from __future__ import annotations

from typing import Any

from ranking.admin.trials.evaluation_tables import COLUMNS, boards, figures_of, title_of
from ranking.models import EvaluationRun
from ranking.rules.spreadsheets import csv_text


def figures_csv(run: EvaluationRun) -> str:
    """Return a line for each candidate, with unrounded numbers."""
    rows = [
        [title_of(candidate), result["matches"], *(figures_of(result)[name] for name, *_ in COLUMNS)]
        for candidate, result in zip(run.candidates, run.results, strict=False)
    ]
    return csv_text([["system", "matches", *(name for name, *_ in COLUMNS)], *rows])


def boards_csv(run: EvaluationRun) -> str:
    """Return a line for each player in each list of each candidate's board."""
    lines: list[list[Any]] = [["system", "list", "player", "rank", "rating", "rank today", "rating today"]]
    for index, candidate in enumerate(run.candidates[: len(run.results)]):
        for name, rows in boards(run, index).items():
            for row in rows:
                place = [row.name, row.rank, row.rating, row.rank_today, row.rating_today]
                lines.append([title_of(candidate), name, *place])
    return csv_text(lines)
