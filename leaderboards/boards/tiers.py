"""A mode's tiers: how far the next one is, and the page that explains them, as the newest snapshot has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from leaderboards.boards.boards import Board
from leaderboards.boards.own import find_own
from leaderboards.boards.published import Published, find_published, find_regions, read_consistently
from leaderboards.boards.rows import published_value
from ranking.models import Player
from ranking.rules.tiers import Tier, shares_text
from ranking.wording.tiers import tier_name_text


@dataclass(frozen=True, slots=True)
class TierTarget:
    """The next tier or division that somebody holds, the points that it takes, and the way there in per cent."""

    tier: Tier
    points: str
    percent: int


class TierPlaces(NamedTuple):
    """The places on the board that a tier or division holds; while nobody has it, `last` is one less than `first`."""

    first: int
    last: int

    @property
    def players(self) -> int:
        return self.last - self.first + 1


_NOBODYS = TierPlaces(1, 0)


@dataclass(frozen=True, slots=True)
class TierStep:
    """A tier or a division. `rating`: the lowest that has it, empty while nobody has it. `own`: the viewer has it."""

    tier: Tier
    rating: str
    places: TierPlaces
    own: bool


@dataclass(frozen=True, slots=True)
class TierLine:
    """A tier with its divisions, the highest first; `name` in the language of the reader.

    `share`: the per cent of the ranked players that it is made for. `places`: those that it holds now.
    """

    name: str
    colour: str
    emblem: str
    share: int
    places: TierPlaces
    steps: list[TierStep]


@dataclass(frozen=True, slots=True)
class Tiers:
    """The page, the highest tier first. `gives_tiers` False: too few players are ranked so far.

    `listed`: the viewer is on the board; `own`: the viewer's next tier. `home`: their region.
    """

    published: Published | None
    gives_tiers: bool
    shares: str
    lines: list[TierLine]
    listed: bool = False
    own: TierTarget | None = None
    home: str = ""

    @property
    def regions(self) -> list[str]:
        """The regions that have a board, the viewer's first."""
        return [] if self.published is None else find_regions(self.published, self.home)


def find_tier_target(published: Published, board: Board, value: int) -> TierTarget | None:
    """Return the next tier above a published rating; None at the top, and if the board shows no tiers or ratings.

    The way there begins at the best rating of the tier below.
    """
    table, ladder = published.table, published.ladder
    if not published.gives_tiers or not board.mode.shows_rating:
        return None
    now = ladder[table.percentile_of(value) - 1].index
    first = next((number for number, tier in enumerate(ladder, 1) if tier.index == now), 1)
    above = next((number for number, tier in enumerate(ladder, 1) if tier.index > now), None)
    goal = None if above is None else table.find_value_at_percentile(above)
    if goal is None:
        return None
    start = table.find_value_at_percentile(first)
    worst = value if start is None else min(start, value)
    below = table.find_next_below(worst)
    low = worst if below is None else below
    percent = 100 * (value - low) // (goal - low)
    return TierTarget(ladder[table.percentile_of(goal) - 1], board.rating_text(goal - value), percent)


def find_tier_places(published: Published, value: int) -> TierPlaces | None:
    """Return the places of the tier that a published rating has, with all its divisions; None if none are given."""
    if not published.gives_tiers:
        return None
    name = published.ladder[published.table.percentile_of(value) - 1].name
    return _places(published, [number for number, tier in enumerate(published.ladder, 1) if tier.name == name])


def load_tiers(board: Board, *, viewer: Player | None) -> Tiers:
    """Return the page of a board whose mode shows tiers."""
    return read_consistently(lambda: _load(board, viewer))


def _load(board: Board, viewer: Player | None) -> Tiers:
    published = find_published(board.mode, board.season)
    mine = None if viewer is None or published is None else find_own(board, viewer, published)
    value = published_value(mine) if mine is not None and mine.listed else None
    gives = published is not None and published.gives_tiers
    own = find_tier_target(published, board, value) if published is not None and value is not None else None
    shares = shares_text(board.mode.tier_scheme, board.mode.named_tier_list)
    lines = _lines(board, published if gives else None, value)
    home = "" if mine is None else mine.region
    return Tiers(published, gives, shares, lines, value is not None, own, home)


def _lines(board: Board, published: Published | None, value: int | None) -> list[TierLine]:
    steps = _steps(board, published, value)
    lines: list[TierLine] = []
    for _, group in groupby(steps[::-1], key=lambda pair: pair[0].tier.name):
        pairs = list(group)
        best, worst = pairs[0][0], pairs[-1][0]
        lines.append(
            TierLine(
                name=tier_name_text(best.tier.name, dict(best.tier.names)),
                colour=best.tier.colour,
                emblem=f"{best.tier.emblem.partition('-')[0]}-0",
                share=sum(share for _, share in pairs),
                places=TierPlaces(best.places.first, worst.places.last),
                steps=[step for step, _ in pairs],
            )
        )
    return lines


def _steps(board: Board, published: Published | None, value: int | None) -> list[tuple[TierStep, int]]:
    """Each tier or division with the number of percentiles that it covers, the lowest first."""
    steps = []
    for tier, group in groupby(enumerate(board.mode.ladder, 1), key=lambda pair: pair[1]):
        percentiles = [number for number, _ in group]
        if published is None:
            steps.append((TierStep(tier, "", _NOBODYS, own=False), len(percentiles)))
            continue
        table, places = published.table, _places(published, percentiles)
        own = value is not None and table.percentile_of(value) in percentiles
        rating = board.rating_text(table.value_at_rank(places.last)) if places.players else ""
        steps.append((TierStep(tier, rating, places, own=own), len(percentiles)))
    return steps


def _places(published: Published, percentiles: Sequence[int]) -> TierPlaces:
    """The places of whoever has one of these percentiles, which follow each other."""
    table = published.table

    def reached(percentile: int) -> int:
        """How many players have the percentile or a higher one."""
        low = table.find_value_at_percentile(percentile)
        return 0 if low is None else len(table) - table.below(low)

    return TierPlaces(reached(percentiles[-1] + 1) + 1, reached(percentiles[0]))
