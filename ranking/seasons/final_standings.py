"""The standings of a season, the best first: what rewards are given by.

Those of an archived season never change. Those of a running one are as boards show them, and preliminary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Exists

from ranking.database.keyset import Order
from ranking.models import Mode, Rating, Season
from ranking.modes.parameters import current_parameters
from ranking.rules.rank_table import RankTable
from ranking.rules.tiers import Tier
from ranking.seasons.archives import mode_of, system_in
from ranking.seasons.strikes import strike_in_force
from ranking.standings.snapshots import newest_table
from ranking.systems.registry import system_class

ORDER = Order((("board_order", "whole"), ("published_reached_at", "moment"), ("id", "whole")))
CHUNK = 5_000  # rows read by one query
_COLUMNS = (
    *ORDER.names(), "player__key", "player__name", "player__hidden_at", "published_hundredths", "wins", "draws",
    "losses", "leaves", "struck",
)  # fmt: skip


class FinalRow(NamedTuple):
    """A listed player. `key` and `name` are empty if the player is hidden or has left for good.

    `tier` None: the mode showed no tiers, or too few players were listed for them. `struck`: the player gets no reward.
    """

    rank: int
    key: str
    name: str
    hundredths: int
    percentile: int
    tier: Tier | None
    wins: int
    draws: int
    losses: int
    leaves: int
    struck: bool

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses + self.leaves


class TierCount(NamedTuple):
    """The number of players who ended in a division of a tier."""

    tier: Tier
    players: int


@dataclass(frozen=True, slots=True)
class FinalStandings:
    """`mode`: with the settings that the season's boards show. `decimals`: how many its ratings show."""

    season: Season
    mode: Mode
    decimals: int
    table: RankTable

    def __len__(self) -> int:
        """The number of listed players."""
        return len(self.table)

    def rating_text(self, hundredths: int) -> str:
        """A rating as programs read it: 1021.84."""
        return f"{Decimal(hundredths).scaleb(-2):.{self.decimals}f}"

    def rows(self, most: int | None = None, *, chunk: int = CHUNK) -> Iterator[FinalRow]:
        """Yield the listed players in order, `most` at most. One query for each chunk of them."""
        listed = Rating.objects.filter(mode=self.season.mode_id, season=self.season, listed=True)
        listed = listed.annotate(struck=Exists(strike_in_force())).order_by(*ORDER.names())
        ladder = self._ladder()
        left, page = most, listed
        while left is None or left > 0:
            size = chunk if left is None else min(chunk, left)
            rows = list(page.values_list(*_COLUMNS)[:size])
            for row in rows:
                yield self._row(row, ladder)
            if len(rows) < size:
                return
            left = None if left is None else left - size
            page = listed.filter(ORDER.after_key(rows[-1][:3]))

    def count_tiers(self) -> list[TierCount]:
        """Count the players in each division of each tier that holds any, the best first; empty without tiers."""
        ladder, counts = self._ladder(), dict[Tier, int]()
        below = 0
        for percentile, tier in enumerate(ladder, 1):
            value = self.table.find_value_at_percentile(percentile + 1)
            upto = len(self.table) if value is None else self.table.below(value)
            counts[tier] = counts.get(tier, 0) + upto - below
            below = upto
        held = sorted((tier for tier in counts if counts[tier]), key=lambda tier: -tier.index)
        return [TierCount(tier, counts[tier]) for tier in held]

    def _ladder(self) -> Sequence[Tier]:
        """The tiers of the percentiles 1 to 100; empty if there are none."""
        return self.mode.ladder if self.mode.gives_tiers(len(self.table)) else ()

    def _row(self, row: tuple[Any, ...], ladder: Sequence[Tier]) -> FinalRow:
        *_, key, name, hidden_at, hundredths, wins, draws, losses, leaves, struck = row
        percentile = self.table.percentile_of(hundredths)
        if hidden_at is not None:
            key = name = ""
        return FinalRow(
            self.table.rank_of(hundredths), key, name, hundredths, percentile,
            ladder[percentile - 1] if ladder else None, wins, draws, losses, leaves, struck,
        )  # fmt: skip


def load_standings(season: Season) -> FinalStandings:
    """Load the rank table of a season; its rows are read later. Three queries at most."""
    system = system_in(season) or current_parameters(season.mode).system
    table = newest_table(season.mode_id, season.pk) or RankTable()
    return FinalStandings(season, mode_of(season), system_class(system).decimals, table)
