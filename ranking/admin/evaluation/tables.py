"""An evaluation's results as the admin shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from ranking.evaluation.core import charts
from ranking.evaluation.core.calibration import Bin
from ranking.evaluation.core.inflation import HistogramBar, RatingLevels
from ranking.models import EvaluationRun, Player
from ranking.systems.registry import system_class

COLUMNS = (
    ("decided", "Decided", ",", "Predictions that were put to the test."),
    ("error", "Error %", ".2f", "How often the favourite lost; an even match counts as wrong."),
    ("error_half", "Error½ %", ".2f", "The same, an even match counting half."),
    ("log_loss", "Log-loss", ".4f", "Punishes confidence in what didn't happen. 0.6931 = knowing nothing."),
    ("brier", "Brier", ".4f", "Mean square of how far off the chances were. 0.25 = knowing nothing."),
    ("slope", "Slope", ".3f", "1 = calibrated, below 1 = overconfident, above 1 = too timid."),
    ("inflation", "Inflation", "+,.2f", "Mean rating of the active at the end, less a newcomer's."),
    ("seconds", "Seconds", ".1f", "What the arithmetic took."),
)
LISTS = (("top", "top"), ("risers", "rises most"), ("fallers", "falls most"))


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    best: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A player on both boards."""

    player_id: int
    name: str
    rank: int
    rating: str
    rank_today: int
    rating_today: str
    risen: SafeString


def title_of(candidate: Mapping[str, Any]) -> str:
    """Gaussian Elo, alpha 0.05"""
    given = [f"{name} {value}" for name, value in candidate["params"].items()]
    return ", ".join([system_class(candidate["system"]).title, *given])


def figures_table(run: EvaluationRun) -> list[tuple[str, list[Cell]]]:
    """A line for each candidate that is done: its title, its figures, the best of each column marked."""
    rows = [figures_of(result) for result in run.results]
    best = {name: min(offs) for name, *_ in COLUMNS if (offs := list(_offs(name, rows))) and len(rows) > 1}
    return [
        (title_of(candidate), [_cell(name, how, row, best) for name, _, how, _ in COLUMNS])
        for candidate, row in zip(run.candidates, rows, strict=False)
    ]


def figures_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result's figures by column."""
    return {**result["figures"], "inflation": result["inflation"], "seconds": result["seconds"]}


def _offs(name: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[float]:
    """How far each is from perfect, in a column that can be compared."""
    if name in ("error", "error_half", "log_loss", "brier", "slope"):
        yield from (abs(row[name] - (name == "slope")) for row in rows if row[name] is not None)


def _cell(name: str, how: str, row: Mapping[str, Any], best: Mapping[str, float]) -> Cell:
    value = row[name]
    if value is None:
        return Cell("–", best=False)
    return Cell(format(value, how).replace("-", "−"), best=name in best and best[name] in _offs(name, [row]))


def drawings(result: Mapping[str, Any]) -> list[tuple[str, str, SafeString]]:
    """Heading, explanation and SVG of each chart; the charts escape their words."""
    drawn = [
        (
            "Calibration",
            "The favourite's chance, and how often it won. On the dashed line it is as promised; bars hold 95 %.",
            charts.calibration([Bin(**each) for each in result["calibration"]]),
        ),
        (
            "Ratings of the active",
            "How many players hold which rating at the end.",
            charts.distribution([HistogramBar(**each) for each in result["distribution"]]),
        ),
        (
            "Mean rating over time",
            "Of the players active at the time; the dashed line is a newcomer's rating.",
            charts.mean_rating([RatingLevels(**each) for each in result["moments"]], result["start"]),
        ),
    ]
    return [(heading, said, mark_safe(svg)) for heading, said, svg in drawn]  # noqa: S308


def boards(run: EvaluationRun, index: int) -> dict[str, list[Row]]:
    """The lists of a candidate's board, with the names that players have now: one query."""
    board = run.results[index]["board"]
    ids = {place["player"] for name, _ in LISTS for place in board[name]}
    names = dict(Player.objects.filter(pk__in=ids).values_list("pk", "name"))
    decimals = [system_class(run.candidates[each]["system"]).decimals for each in (index, 0)]
    return {
        name: [_row(place, names.get(place["player"], "–"), *decimals) for place in board[name]] for name, _ in LISTS
    }


def _row(place: Mapping[str, int], name: str, decimals: int, decimals_today: int) -> Row:
    return Row(
        player_id=place["player"],
        name=name,
        rank=place["rank"],
        rating=_points(place["hundredths"], decimals),
        rank_today=place["rank_today"],
        rating_today=_points(place["hundredths_today"], decimals_today),
        risen=_risen(place["rank_today"] - place["rank"]),
    )


def _points(hundredths: int, decimals: int) -> str:
    return f"{hundredths / 100:,.{decimals}f}".replace("-", "−")


def _risen(steps: int) -> SafeString:
    """▲ 12, told apart by shape and words, not by colour alone."""
    if not steps:
        return format_html('<span class="{}" aria-label="{}">{}</span>', "same", "same rank", "=")
    kind, glyph, word = ("up", "▲", "up") if steps > 0 else ("down", "▼", "down")
    return format_html(
        '<span class="{}">{} {}<span class="visually-hidden"> {}</span></span>', kind, glyph, f"{abs(steps):,}", word
    )
