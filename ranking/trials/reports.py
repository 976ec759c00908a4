"""Evaluations and fits as plain text, for the terminal and the docs: aligned tables, and what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ranking.trials.core.predictions import Difference
from ranking.trials.core.trials import Evaluation

HEADINGS = {
    "system": "", "matches": ",", "decided": ",", "error": ".2f", "error_half": ".2f", "log_loss": ".4f",
    "difference": "", "brier": ".4f", "slope": ".3f", "inflation": "+.2f", "seconds": ".2f",
}  # fmt: skip
TITLES = {"error": "error %", "error_half": "error½ %", "log_loss": "log-loss", "brier": "Brier"}
NONE = "–"
FIGURES = (
    ("log_loss", "log-loss", ".4f"), ("error", "error %", ".2f"), ("brier", "Brier", ".4f"), ("slope", "slope", ".3f")
)  # fmt: skip
SPENT = (
    "The last third has been looked at now. To fit again after that, and to choose by it, is no longer a fair test;"
    " {so_far} for this mode so far."
)


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


def whole_report(results: Sequence[Mapping[str, Any]], summary: Mapping[str, Any], fits: int) -> str:
    """All tables; `fits`: how many have been stored for the mode."""
    parts = [result_report(result) for result in results]
    if "ranking" in summary:
        parts.append(ranking_report(summary["ranking"]))
    if "impact" in summary:
        parts.append(impact_report(summary["impact"]))
    if "elite" in summary:
        parts.append(elite_report(summary["elite"]))
    parts.append(SPENT.format(so_far="1 fit is stored" if fits == 1 else f"{fits:,} fits are stored"))
    return "\n\n".join(parts)


def result_report(result: Mapping[str, Any]) -> str:
    """The tables of one system."""
    if "error" in result:
        return f"{result['system']}: {result['error']}"
    params = [["parameter", "default", "fitted"]]
    params += [[row["name"], number(row["default"]), number(row["fitted"])] for row in result["rows"]]
    figures = [["", *(title for _, title, _ in FIGURES)]]
    for part, title in (("fit", "fit part"), ("held_out", "held out")):
        for version, values in zip(("defaults", "fitted"), result[part], strict=True):
            figures.append([f"{title}, {version}", *(cell(values[name], how) for name, _, how in FIGURES)])
    return "\n".join([
        f"{result['system']}: {result['replays']} replays of {result['matches']:,} matches", aligned(params), "",
        aligned(figures), f"gain {gain_text(result['gain'])}: {verdict(result)}",
    ])  # fmt: skip


def verdict(result: Mapping[str, object]) -> str:
    return "recommended" if result["recommended"] else "keep the defaults"


def ranking_report(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = [["held out", "log-loss", "gain over the best that needs no fit"]]
    lines += [[row["title"], f"{row['log_loss']:.4f}", gain_text(row["gain"])] for row in rows]
    return aligned(lines)


def impact_report(impact: Mapping[str, Any]) -> str:
    if "error" in impact:
        return f"impact: {impact['error']}"
    rows = [["statistic", "today", "learnt", "± error"]]
    rows += [
        [each["name"], number(each["today"]), f"{each['learnt']:.3f}", cell(each["error"], ".3f")]
        for each in impact["weights"]
    ]
    today, learnt = impact["log_loss"]
    lines = [
        f"impact: weights of statistics from {impact['matches']:,} matches, {impact['unit']} = 1",
        aligned(rows),
        f"held-out log-loss {today:.4f} by today's weights, {learnt:.4f} by the learnt ones",
        f"gain {gain_text(impact['gain'])}: {'recommended' if impact['recommended'] else 'keep the weights of today'}",
    ]
    if impact["separating"]:
        lines.append(separating_text(impact["separating"]))
    return "\n".join(lines)


def separating_text(names: Sequence[str]) -> str:
    return (
        f"Warning: the team with more {', '.join(names)} always won, or always lost. Such a weight is as large as the"
        " penalty lets it be; ask whether the statistic only repeats the result."
    )


def elite_report(band: Mapping[str, Any]) -> str:
    low, high = band["params"]["elite_from"], band["params"]["elite_to"]
    today = band["today"]
    return (
        f"elite band: {low:g} to {high:g}, the percentiles 97 and 99.5 of {band['listed']:,} listed players;"
        f" today {today['elite_from']:g} to {today['elite_to']:g}"
    )


def number(value: float | None) -> str:
    return "null" if value is None else f"{value:.5g}"


def cell(value: float | None, how: str) -> str:
    return NONE if value is None else format(value, how)


def gain_text(gain: Mapping[str, float]) -> str:
    """The gain with its 95 % interval."""
    return f"{gain['mean']:+.4f} ({gain['low']:+.4f} to {gain['high']:+.4f})".replace("-", "−")
