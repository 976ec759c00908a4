"""The distribution of a mode's ratings: a histogram of the newest rank table, with tiers and the viewer's place.

It may be that of players who have completed so many matches; then the axis stays that of everybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from leaderboards.boards.boards import Board
from leaderboards.boards.own import find_own
from leaderboards.boards.published import Published, Standing, find_published, find_regions, read_consistently
from leaderboards.boards.rows import published_value
from leaderboards.display.histogram import Column, Histogram, histogram
from ranking.models import Mode, Player, Season
from ranking.rules.rank_table import RankTable
from ranking.rules.tiers import shares_text, tier_bounds
from ranking.standings.matches_played import tables_by_matches
from ranking.wording.translation import number_text

BARS = 40
ROOM = 5  # per cent of the width that the name of a tier takes
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
    """The rating at which a tier begins; `x` is in per cent of the width. `named`: its name has room at its line."""

    name: str
    colour: str
    x: float
    rating: str
    named: bool


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """The viewer's place; `below` counts the players with lower ratings."""

    x: float
    rating: str
    standing: Standing
    below: int


@dataclass(frozen=True, slots=True)
class Spread:
    """A distribution; `own` is None if the viewer isn't listed or is a stranger. `home`: their region.

    `shares`: the share that each tier holds, in words; empty, as `marks`, if the board gives no tiers. `least`: the
    players have completed so many matches; 0 is everybody. `players`: how many they are. `counts` and `values`: the
    labels of the axes, with their places in per cent from the top and from the left.
    """

    published: Published
    season: Season
    least: int
    players: int
    groups: list[Group]
    marks: list[Mark]
    shares: str
    own: OwnPlace | None
    low: str
    high: str
    median: str
    counts: list[tuple[float, int]]
    values: list[tuple[float, str]]
    home: str = ""

    @property
    def regions(self) -> list[str]:
        """The regions that have a board, the viewer's first."""
        return find_regions(self.published, self.home)

    @property
    def choices(self) -> list[int]:
        """The numbers of matches to choose from: the chosen one, and those that somebody has completed.

        One query every ten minutes.
        """
        reached = tables_by_matches(self.season)
        return [0, *(least for least, table in reached.items() if len(table) or least == self.least)]

    @property
    def fullest(self) -> Group:
        return max(self.groups, key=lambda group: group.count)


def load_distribution(board: Board, *, viewer: Player | None, least: int = 0) -> Spread | None:
    """Return the distribution of a published board; None if nobody is listed.

    `least`: one of ranking.standings.matches_played.LEAST_MATCHES, or 0 for everybody.
    """
    return read_consistently(lambda: _load(board, viewer, least))


def _load(board: Board, viewer: Player | None, least: int) -> Spread | None:
    published = find_published(board.mode, board.season)
    if published is None or not published.table:
        return None
    table = published.table
    tail = len(table) // TAIL
    low, high = table.value_at_rank(len(table) - tail), table.value_at_rank(1 + tail)
    chosen = tables_by_matches(board.season)[least] if least else table
    unit = 10 ** (2 - board.decimals)
    drawn = histogram((chosen if len(chosen) else table).distribution(BARS, low, high, unit=unit))
    assert drawn is not None  # noqa: S101 - somebody is listed
    mine = None if viewer is None else find_own(board, viewer, published)
    return Spread(
        published=published,
        season=board.season,
        least=least,
        players=len(chosen),
        groups=[_group(board, published, column, len(chosen)) for column in drawn.columns] if len(chosen) else [],
        marks=_marks(board, table, drawn) if published.gives_tiers else [],
        shares=shares_text(board.mode.tier_scheme, board.mode.named_tier_list) if published.gives_tiers else "",
        own=_own(board, published, drawn, published_value(mine)) if mine is not None and mine.listed else None,
        low=board.rating_text(drawn.low),
        high=board.rating_text(drawn.high),
        median=board.rating_text(chosen.value_at_rank((len(chosen) + 1) // 2)) if len(chosen) else "",
        counts=drawn.counts,
        values=[(x, board.rating_text(value)) for x, value in drawn.values],
        home="" if mine is None else mine.region,
    )


def _group(board: Board, published: Published, column: Column, players: int) -> Group:
    bar = column.bar
    percentile = published.table.percentile_of((bar.low + bar.high) // 2)
    return Group(
        column=column,
        low=board.rating_text(bar.low),
        high=board.rating_text(bar.high),
        count=bar.count,
        percent=f"{number_text(100 * bar.count / players, 1)} %",
        colour=published.ladder[percentile - 1].colour if published.gives_tiers else "",
    )


def _marks(board: Board, table: RankTable, drawn: Histogram) -> list[Mark]:
    marks: list[Mark] = []
    for number, start in enumerate(tier_starts(board.mode, table)):
        x = drawn.x_of(start.value)
        before = max((mark.x for mark in marks if mark.named), default=0.0)
        named = number > 0 and x - before >= ROOM  # the lowest tier has no line
        marks.append(Mark(start.name, start.colour, x, board.rating_text(start.value), named))
    return marks


class TierStart(NamedTuple):
    """The rating, in hundredths, at which a tier begins on a board; `name` in the language of the reader."""

    name: str
    colour: str
    value: int


def tier_starts(mode: Mode, table: RankTable) -> list[TierStart]:
    """Return where tiers begin, from the lowest up: at most MARKS of them, and only those that somebody holds."""
    bounds = tier_bounds(mode.tier_scheme, mode.named_tier_list)
    starts = []
    for bound in bounds[:: -(-len(bounds) // MARKS)]:
        value = table.find_value_at_percentile(bound.first)
        if value is not None:
            starts.append(TierStart(bound.text, bound.colour, value))
    return starts


def _own(board: Board, published: Published, drawn: Histogram, value: int) -> OwnPlace:
    below = published.table.below(value)
    return OwnPlace(drawn.x_of(value), board.rating_text(value), published.standing(value), below)
