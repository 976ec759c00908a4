"""The distribution of a mode's ratings: a histogram of the newest rank table, with tiers and the viewer's place."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboards.boards.boards import Board
from leaderboards.boards.own import find_own
from leaderboards.boards.published import Published, Standing, find_published, find_regions, read_consistently
from leaderboards.boards.ratings import published_value
from leaderboards.display.histogram import Column, Histogram, histogram
from ranking.models import Player
from ranking.rules.rank_table import RankTable
from ranking.rules.tiers import shares_text, tier_bounds

BARS = 40
MARKS = 10  # tiers marked at most; of fifty or a hundred tiers, each fifth or tenth
TAIL = 500  # the axis leaves out one rating of so many at either end; those count in the outermost columns


@dataclass(frozen=True, slots=True)
class Group:
    """A column in words: the lowest and highest rating, how many players, and the colour of the tier in its middle."""

    column: Column
    low: str
    high: str
    count: int
    percent: str
    colour: str


@dataclass(frozen=True, slots=True)
class Mark:
    """The rating at which a tier begins; `x` is in per cent of the width."""

    name: str
    colour: str
    x: float
    rating: str


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """The viewer's place; `below` counts the players with lower ratings."""

    x: float
    rating: str
    standing: Standing
    below: int


@dataclass(frozen=True, slots=True)
class Spread:
    """A distribution; `own` is None if the viewer isn't listed or is a stranger.

    `shares`: the share that each tier holds, in words; empty, as `marks`, if the board gives no tiers.
    """

    published: Published
    groups: list[Group]
    marks: list[Mark]
    shares: str
    own: OwnPlace | None
    low: str
    high: str
    median: str

    @property
    def regions(self) -> list[str]:
        """The regions that have a board."""
        return find_regions(self.published)

    @property
    def fullest(self) -> Group:
        return max(self.groups, key=lambda group: group.count)


def load_distribution(board: Board, *, viewer: Player | None) -> Spread | None:
    """Return the distribution of a published board; None if nobody is listed."""
    return read_consistently(lambda: _load(board, viewer))


def _load(board: Board, viewer: Player | None) -> Spread | None:
    published = find_published(board.mode, board.season)
    if published is None or not published.table:
        return None
    table = published.table
    tail = len(table) // TAIL
    low, high = table.value_at_rank(len(table) - tail), table.value_at_rank(1 + tail)
    drawn = histogram(table.distribution(BARS, low, high))
    assert drawn is not None  # noqa: S101 - somebody is listed
    mine = None if viewer is None else find_own(board, viewer, published)
    return Spread(
        published=published,
        groups=[_group(board, published, column) for column in drawn.columns],
        marks=_marks(board, table, drawn) if published.gives_tiers else [],
        shares=shares_text(board.mode.tier_scheme, board.mode.named_tier_list) if published.gives_tiers else "",
        own=_own(board, published, drawn, published_value(mine)) if mine is not None and mine.listed else None,
        low=board.rating_text(drawn.low),
        high=board.rating_text(drawn.high),
        median=board.rating_text(table.value_at_rank((len(table) + 1) // 2)),
    )


def _group(board: Board, published: Published, column: Column) -> Group:
    bar = column.bar
    percentile = published.table.percentile_of((bar.low + bar.high) // 2)
    return Group(
        column=column,
        low=board.rating_text(bar.low),
        high=board.rating_text(bar.high),
        count=bar.count,
        percent=f"{100 * bar.count / len(published.table):.1f} %",
        colour=published.ladder[percentile - 1].colour if published.gives_tiers else "",
    )


def _marks(board: Board, table: RankTable, drawn: Histogram) -> list[Mark]:
    bounds = tier_bounds(board.mode.tier_scheme, board.mode.named_tier_list)
    marks = []
    for bound in bounds[:: -(-len(bounds) // MARKS)]:
        value = table.find_value_at_percentile(bound.first)
        if value is not None:
            marks.append(Mark(bound.name, bound.colour, drawn.x_of(value), board.rating_text(value)))
    return marks


def _own(board: Board, published: Published, drawn: Histogram, value: int) -> OwnPlace:
    below = published.table.below(value)
    return OwnPlace(drawn.x_of(value), board.rating_text(value), published.standing(value), below)
