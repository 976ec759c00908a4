"""Tables and pictures of a fit's results, for pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.safestring import mark_safe

from ranking.admin.trials.advice import advice_of_fit, capital, version_title
from ranking.models import FitRun
from ranking.systems.registry import system_class
from ranking.trials.core.charts import log_loss_over_time
from ranking.trials.core.search import MOST_REPLAYS
from ranking.trials.reports import FIGURES, cell, gain_text, number, separating_text, verdict


def progress(run: FitRun) -> dict[str, object]:
    """What a page shows of a run: its systems, and which one is being fitted ("" = none)."""
    titles = [system_class(candidate["system"]).title for candidate in run.candidates]
    return {"titles": titles, "current": next(iter(titles[len(run.results) :]), ""), "most": MOST_REPLAYS}


def results(run: FitRun, _: str) -> dict[str, Any]:
    """What a page shows of the results: the advice, once the run has ended, the tables of each system, the summary."""
    return {
        "results": [_tables(index, result, run) for index, result in enumerate(run.results)],
        "advice": [] if run.is_unfinished else advice_of_fit(run.results, run.summary.get("ranking", [])),
        **_summary_tables(run),
    }


def _tables(index: int, result: Mapping[str, Any], run: FitRun) -> dict[str, Any]:
    shown: dict[str, Any] = {"title": system_class(result["system"]).title, "name": str(index)}
    if "error" in result:
        return {**shown, "error": result["error"]}
    rows = zip(("Defaults", "Fitted"), result["fit"], result["held_out"], strict=True)
    return {
        **shown,
        "rows": [(row["name"], number(row["default"]), number(row["fitted"])) for row in result["rows"]],
        "figures": [(title, _cells(fit), _cells(held_out)) for title, fit, held_out in rows],
        "gain": gain_text(result["gain"]),
        "recommended": result["recommended"],
        "verdict": verdict(result).capitalize(),
        "replays": result["replays"],
        "matches": result["matches"],
        "used": str(index) in run.used,
        "chart": mark_safe(log_loss_over_time(result["over_time"])),  # noqa: S308
    }


def _cells(figures: Mapping[str, Any]) -> list[str]:
    return [cell(figures[name], how).replace("-", "−") for name, _, how in FIGURES]


def _summary_tables(run: FitRun) -> dict[str, object]:
    """What a page shows of the summary: the ranking, weights of statistics and the elite band."""
    shown: dict[str, object] = {"headings": [title for _, title, _ in FIGURES]}
    if "ranking" in run.summary:
        shown["ranking"] = [
            (capital(version_title(row["title"])), f"{row['log_loss']:.4f}", gain_text(row["gain"]))
            for row in run.summary["ranking"]
        ]
    if impact := run.summary.get("impact"):
        shown["impact"] = impact if "error" in impact else _impact(impact, run)
    if band := run.summary.get("elite"):
        shown["elite"] = {**band, "used": "elite" in run.used}
    return shown


def _impact(impact: Mapping[str, Any], run: FitRun) -> dict[str, Any]:
    return {
        **impact,
        "rows": [
            (each["name"], number(each["today"]), f"{each['learnt']:.3f}".replace("-", "−"), cell(each["error"], ".3f"))
            for each in impact["weights"]
        ],
        "losses": [f"{value:.4f}" for value in impact["log_loss"]],
        "gain": gain_text(impact["gain"]),
        "warning": separating_text(impact["separating"]) if impact["separating"] else "",
        "used": "impact" in run.used,
    }
