"""What pages and CSV files show of an evaluation: titles, tables and charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from ranking.admin.trials.advice import advice_of_evaluation, title_of
from ranking.models import EvaluationRun, Player
from ranking.rules.spreadsheets import csv_text
from ranking.systems.registry import system_class
from ranking.trials.core import charts
from ranking.trials.core.accuracy import Bin
from ranking.trials.core.inflation import HistogramBar, RatingLevels
from ranking.trials.core.predictions import CoursePoint

COLUMNS = (
    ("decided", "Decided", ",", "Predictions that were put to the test."),
    ("error", "Error %", ".2f", "How often the favourite lost; an even match counts as wrong."),
    ("error_half", "Error½ %", ".2f", "The same, an even match counting half."),
    ("log_loss", "Log-loss", ".4f", "Punishes confidence in what didn't happen. 0.6931 = knowing nothing."),
    (
        "difference",
        "Against in force",
        "+.4f",
        "Log-loss less that of the system in force: below 0 it predicts better.",
    ),
    ("reach", "±", ".4f", "Half of the difference's 95 % interval. A smaller difference may be chance."),
    ("brier", "Brier", ".4f", "Mean square of how far off the chances were. 0.25 = knowing nothing."),
    ("slope", "Slope", ".3f", "1 = calibrated, below 1 = overconfident, above 1 = too timid."),
    ("inflation", "Inflation", "+,.2f", "Mean rating of the active at the end, less a newcomer's."),
    ("seconds", "Seconds", ".1f", "What the arithmetic took."),
)
LISTS = (("top", "top"), ("risers", "rises most"), ("fallers", "falls most"))


@dataclass(frozen=True, slots=True)
class FigureCell:
    text: str
    best: bool


@dataclass(frozen=True, slots=True)
class BoardPlace:
    """A player's place on a candidate's board and on today's board."""

    player_id: int
    name: str
    rank: int
    rating: str
    rank_today: int
    rating_today: str
    risen: SafeString


def figures_table(run: EvaluationRun) -> list[tuple[str, list[FigureCell]]]:
    """Return title and figures of each candidate that is done; the best figure of each column is marked."""
    rows = [figures_of(result) for result in run.results]
    distances = {name: list(_distances_from_perfect(name, rows)) for name, *_ in COLUMNS}
    best = {name: min(values) for name, values in distances.items() if values and len(rows) > 1}
    return [
        (title_of(candidate), [_cell(name, how, row, best) for name, _, how, _ in COLUMNS])
        for candidate, row in zip(run.candidates, rows, strict=False)
    ]


def figures_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result's figures by column."""
    against = result.get("difference") or {}
    return {
        **result["figures"],
        "inflation": result["inflation"],
        "seconds": result["seconds"],
        "difference": against.get("mean"),
        "reach": (against["high"] - against["low"]) / 2 if against else None,
    }


def _distances_from_perfect(name: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[float]:
    """Yield how far each figure is from perfect, if the column can be compared."""
    if name in ("error", "error_half", "log_loss", "brier", "slope"):
        yield from (abs(row[name] - (name == "slope")) for row in rows if row[name] is not None)


def _cell(name: str, how: str, row: Mapping[str, object], best: Mapping[str, float]) -> FigureCell:
    value = row[name]
    if value is None:
        return FigureCell("–", best=False)
    return FigureCell(
        format(value, how).replace("-", "−"), best=name in best and best[name] in _distances_from_perfect(name, [row])
    )


def experience_rows(run: EvaluationRun, chosen: int) -> list[tuple[str, str, str, str]]:
    """Return the log-loss of a candidate, and of the system in force, by the number of matches played before."""
    own, in_force = (run.results[index].get("experience", []) for index in (chosen, 0))
    return [
        (
            f"{each['low']} and more" if each["high"] is None else f"{each['low']} to below {each['high']}",
            f"{each['figures']['decided']:,}",
            _loss(each["figures"]["log_loss"]),
            _loss(other["figures"]["log_loss"]),
        )
        for each, other in zip(own, in_force, strict=True)
    ]


def upset_rows(result: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return how often underdogs won, and were expected to win, by their chance."""
    return [
        (
            f"{100 * each['low']:.0f} to {100 * each['high']:.0f} %",
            f"{each['decided']:,}",
            f"{each['upsets']:,}",
            f"{each['expected']:,.1f}",
        )
        for each in result.get("upsets", [])
    ]


def _loss(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def drawings(result: Mapping[str, Any], in_force: Mapping[str, Any] | None = None) -> list[tuple[str, str, SafeString]]:
    """Return heading, explanation and SVG of each chart; the charts escape their texts."""
    other = [CoursePoint(**each) for each in (in_force or {}).get("course", [])]
    compared = "of the system in force" if in_force else "of knowing nothing"
    figures = [
        (
            "Calibration",
            "The favourite's chance, and how often it won. On the dashed line it is as promised; bars hold 95 %.",
            charts.calibration([Bin(**each) for each in result["calibration"]]),
        ),
        (
            "Log-loss over time",
            f"Over the predictions, in order; lower is better. The dashed line is that {compared}.",
            charts.course([CoursePoint(**each) for each in result.get("course", [])], other),
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
    return [(heading, caption, mark_safe(svg)) for heading, caption, svg in figures]  # noqa: S308


def boards(run: EvaluationRun, index: int) -> dict[str, list[BoardPlace]]:
    """Return the lists of a candidate's board, with the names that players have now: one query."""
    board = run.results[index]["board"]
    ids = {place["player"] for name, _ in LISTS for place in board[name]}
    names = dict(Player.objects.filter(pk__in=ids).values_list("pk", "name"))
    decimals = [system_class(run.candidates[each]["system"]).decimals for each in (index, 0)]
    return {
        name: [_row(place, names.get(place["player"], "–"), *decimals) for place in board[name]] for name, _ in LISTS
    }


def _row(place: Mapping[str, int], name: str, decimals: int, decimals_today: int) -> BoardPlace:
    return BoardPlace(
        player_id=place["player"],
        name=name,
        rank=place["rank"],
        rating=_points(place["hundredths"], decimals),
        rank_today=place["rank_today"],
        rating_today=_points(place["hundredths_today"], decimals_today),
        risen=_rank_change(place["rank_today"] - place["rank"]),
    )


def _points(hundredths: int, decimals: int) -> str:
    return f"{hundredths / 100:,.{decimals}f}".replace("-", "−")


def _rank_change(steps: int) -> SafeString:
    """Return steps up or down as text: ▲ 12. Shape and words tell the direction, not colour alone."""
    if not steps:
        return format_html('<span class="{}" aria-label="{}">{}</span>', "same", "same rank", "=")
    kind, glyph, word = ("up", "▲", "up") if steps > 0 else ("down", "▼", "down")
    return format_html(
        '<span class="{}">{} {}<span class="visually-hidden"> {}</span></span>', kind, glyph, f"{abs(steps):,}", word
    )


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


FILES = {"figures": figures_csv, "boards": boards_csv}


def progress(run: EvaluationRun) -> dict[str, object]:
    """What a page shows of a run: the titles of the candidates, and of the one that is being tried ("" = none)."""
    titles = [title_of(candidate) for candidate in run.candidates]
    return {"titles": titles, "current": next(iter(titles[len(run.results) :]), "")}


def results(run: EvaluationRun, candidate: str) -> dict[str, Any]:
    """What a page shows of the results: the figures of all candidates, and all of the one with this number."""
    done = len(run.results)
    if not done:
        return {}
    number = int(candidate) if candidate.isdecimal() and len(candidate) < 3 else done
    chosen = number if number < done else min(1, done - 1)
    return {
        "advice": advice_of_evaluation(run.candidates, run.results),
        "columns": COLUMNS,
        "figures": figures_table(run),
        "chosen": chosen,
        "chosen_title": title_of(run.candidates[chosen]),
        "drawings": drawings(run.results[chosen], run.results[0] if chosen else None),
        "experience": experience_rows(run, chosen),
        "upsets": upset_rows(run.results[chosen]),
        "board": run.results[chosen]["board"],
        "boards": boards(run, chosen),
    }
