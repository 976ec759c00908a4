"""How a mode's ratings are spread: the newest rank table as a histogram, with tiers and the viewer's own place."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboards.boards.boards import Board
from leaderboards.boards.own import find_own
from leaderboards.boards.published import Published, Standing, find_published, read_consistently
from leaderboards.boards.ratings import published_value
from leaderboards.display.histogram import Column, Histogram, histogram
from ranking.models import Player
from ranking.rules.rank_table import RankTable
from ranking.rules.tiers import tier_bounds

BARS = 40
MARKS = 10  # bounds drawn: of the schemes with fifty or a hundred tiers, every fifth or tenth
TAIL = 500  # of so many, one at either end may lie outside and count in the last column


@dataclass(frozen=True, slots=True)
class Group:
    """A column with its words: from one rating up to another, how many, and the tier of its middle."""

    column: Column
    low: str
    high: str
    count: int
    percent: str
    colour: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a tier begins: `x` in per cent of the width."""

    name: str
    colour: str
    x: float
    rating: str


@dataclass(frozen=True, slots=True)
class OwnPlace:
    x: float
    rating: str
    standing: Standing
    below: int


@dataclass(frozen=True, slots=True)
class Spread:
    """`own` None: not listed, or a stranger. `median` is the rating in the middle."""

    published: Published
    groups: list[Group]
    marks: list[Mark]
    own: OwnPlace | None
    low: str
    high: str
    median: str

    @property
    def fullest(self) -> Group:
        return max(self.groups, key=lambda group: group.count)


def load_distribution(board: Board, *, viewer: Player | None) -> Spread | None:
    """The distribution of a board as published; None where nobody is listed."""
    return read_consistently(lambda: _load(board, viewer))


def _load(board: Board, viewer: Player | None) -> Spread | None:
    shown = find_published(board.mode, board.season)
    if shown is None or not shown.table:
        return None
    table = shown.table
    tail = len(table) // TAIL
    low, high = table.value_at_rank(len(table) - tail), table.value_at_rank(1 + tail)
    drawn = histogram(table.distribution(BARS, low, high))
    assert drawn is not None  # noqa: S101 - somebody is listed
    mine = None if viewer is None else find_own(board, viewer, shown)
    return Spread(
        published=shown,
        groups=[_group(board, shown, column) for column in drawn.columns],
        marks=_marks(board, table, drawn) if board.mode.shows_tier else [],
        own=_own(board, shown, drawn, published_value(mine)) if mine is not None and mine.listed else None,
        low=board.rating_text(drawn.low),
        high=board.rating_text(drawn.high),
        median=board.rating_text(table.value_at_rank((len(table) + 1) // 2)),
    )


def _group(board: Board, shown: Published, column: Column) -> Group:
    bar = column.bar
    percentile = shown.table.percentile_of((bar.low + bar.high) // 2)
    return Group(
        column=column,
        low=board.rating_text(bar.low),
        high=board.rating_text(bar.high),
        count=bar.count,
        percent=f"{100 * bar.count / len(shown.table):.1f} %",
        colour=shown.ladder[percentile - 1].colour if board.mode.shows_tier else "",
    )


def _marks(board: Board, table: RankTable, drawn: Histogram) -> list[Mark]:
    bounds = tier_bounds(board.mode.tier_scheme, board.mode.named_tier_list)
    marks = []
    for bound in bounds[:: -(-len(bounds) // MARKS)]:
        value = table.find_value_at_percentile(bound.first)
        if value is not None:
            marks.append(Mark(bound.name, bound.colour, drawn.x_of(value), board.rating_text(value)))
    return marks


def _own(board: Board, shown: Published, drawn: Histogram, value: int) -> OwnPlace:
    return OwnPlace(drawn.x_of(value), board.rating_text(value), shown.standing(value), shown.table.below(value))
