"""Evaluations as tables of text, for the terminal and the docs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ranking.trials.core.comparison import Difference
from ranking.trials.core.trials import Evaluation

HEADINGS = {
    "system": "", "matches": ",", "decided": ",", "error": ".2f", "error_half": ".2f", "log_loss": ".4f",
    "difference": "", "brier": ".4f", "slope": ".3f", "inflation": "+.2f", "seconds": ".2f",
}  # fmt: skip
TITLES = {"error": "error %", "error_half": "error½ %", "log_loss": "log-loss", "brier": "Brier"}
NONE = "–"


def table(evaluations: Sequence[Evaluation]) -> str:
    """A table with aligned columns and a row for each system."""
    rows = [[TITLES.get(name, name) for name in HEADINGS]]
    for evaluation in evaluations:
        row = evaluation.row() | {"difference": _difference(evaluation.difference)}
        rows.append([NONE if row[name] is None else format(row[name], how) for name, how in HEADINGS.items()])
    return aligned(rows)


def details(evaluations: Sequence[Evaluation]) -> str:
    """Tables of log-loss by experience and of upsets, with a row for each system."""
    return "\n\n".join(aligned(list(rows)) for rows in (_by_experience(evaluations), _by_upset(evaluations)))


def _by_experience(evaluations: Sequence[Evaluation]) -> Iterator[list[str]]:
    groups = evaluations[0].experience
    spans = [f"{each.low}+" if each.high is None else f"{each.low} to {each.high}" for each in groups]
    yield ["log-loss after", *(f"{span} matches" for span in spans)]
    yield ["decided", *(f"{each.figures.decided:,}" for each in groups)]
    for one in evaluations:
        losses = [each.figures.log_loss for each in one.experience]
        yield [one.system, *(NONE if loss is None else f"{loss:.4f}" for loss in losses)]


def _by_upset(evaluations: Sequence[Evaluation]) -> Iterator[list[str]]:
    spans = [f"{100 * each.low:.0f} to {100 * each.high:.0f} %" for each in evaluations[0].upsets]
    yield ["wins of underdogs with", *spans]
    for one in evaluations:
        yield [one.system, *(f"{each.upsets:,}, {each.expected:,.1f} expected" for each in one.upsets)]


def _difference(difference: Difference | None) -> str | None:
    if difference is None:
        return None
    return f"{difference.mean:+.4f}±{(difference.high - difference.low) / 2:.4f}"


def aligned(rows: Sequence[Sequence[Any]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
