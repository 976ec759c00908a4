"""The curves of two players' ratings in one chart, match by match or day by day, with their table."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models.functions import Coalesce

from leaderboards.boards.boards import Board
from leaderboards.display.curves import Chart, chart
from leaderboards.rules.highlights import thinned
from ranking.models import Change
from ranking.wording.dates import date_text
from ranking.wording.translation import gettext, number_text

if TYPE_CHECKING:
    from leaderboards.boards.boards import RatingWithBoard

MATCHES = 200  # of each player, the newest
POINTS = 80  # of each curve, at most
BY_MATCH, BY_DAY = "match", "day"
Points = Sequence[tuple[dt.date, int]]


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row of the table: a match's number or a day, and both ratings there; empty if a player has none."""

    name: str
    ratings: list[str]


@dataclass(frozen=True, slots=True)
class ComparedCurves:
    by: str
    chart: Chart
    levels: list[str]
    rows: list[ComparedRow]


def compare_curves(board: Board, first: Any, second: Any, by: str) -> ComparedCurves | None:
    """Return the chart of two ratings of one board; None if either has fewer than two points. Two queries.

    `by`: BY_DAY draws the last rating of each day; anything else draws match by match.
    """
    series = [_points(board, rating, by) for rating in (first, second)]
    if any(len(points) < 2 for points in series):
        return None
    curves, names, labels = _by_day(series) if by == BY_DAY else _by_match(series)
    drawn = chart(curves, labels, unit=10 ** (2 - board.decimals))
    if drawn is None:  # all on one day
        return compare_curves(board, first, second, BY_MATCH)
    texts = [{index: board.rating_text(value) for index, value in points} for points in curves]
    rows = [
        ComparedRow(name, [text.get(index, "") for text in texts])
        for index, name in enumerate(names)
        if any(index in text for text in texts)
    ]
    levels = [board.rating_text(level) for level in drawn.levels]
    return ComparedCurves(BY_DAY if by == BY_DAY else BY_MATCH, drawn, levels, rows)


def _points(board: Board, rating: RatingWithBoard, by: str) -> Points:
    """Return day and rating after each of the newest matches, by day of the newest changes, oldest first: one query."""
    live = Change.objects.live(board.mode.generation)
    changes = live.filter(player=rating.player_id, mode=board.mode, season=board.season).order_by("-event")
    if by != BY_DAY:
        changes = changes.filter(kind=Change.MATCH)
    rows = changes.values_list(Coalesce("match__ended_at", "event__happened_at"), "display_after")[:MATCHES]
    return [(board.mode.day_of(at), value) for at, value in rows][::-1]


def _by_match(series: Sequence[Points]) -> tuple[list[list[tuple[int, int]]], list[str], list[str]]:
    """Return curves of (index, rating), and each index' name in the table and label below the chart."""
    numbers = thinned(range(max(len(points) for points in series)), POINTS)
    curves = [
        [(index, points[number][1]) for index, number in enumerate(numbers) if number < len(points)]
        for points in series
    ]
    names = [gettext("Match %(number)s") % {"number": number_text(number + 1)} for number in numbers]
    return curves, names, [number_text(number + 1) for number in numbers]


def _by_day(series: Sequence[Points]) -> tuple[list[list[tuple[int, int]]], list[str], list[str]]:
    """Return the same day by day: the last rating of each day on which a player played."""
    first = min(day for points in series for day, _ in points)
    last = max(day for points in series for day, _ in points)
    days = [first + dt.timedelta(days=number) for number in range((last - first).days + 1)]
    curves = [sorted({(day - first).days: value for day, value in points}.items()) for points in series]
    curves = [thinned(curve, POINTS) for curve in curves]
    return curves, [date_text(day, "weekday_of_year") for day in days], [date_text(day, "day") for day in days]
