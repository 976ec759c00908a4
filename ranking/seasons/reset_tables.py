"""The ranks by which matchmaking compares players, also while the board of a young season lists few of them.

Until a season's board lists a quarter as many players as the board of the season before did, matchmaking uses a rank
table of that board's ratings after the reset. It is written after the season has opened, and shown nowhere. A reset
that makes everybody a newcomer leaves no order: then there are no ranks until the board lists enough.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F, Q

from ranking.database.arrays import FLOAT, INTEGER, read_columns
from ranking.models import Rating, ResetTable, Season
from ranking.modes.parameters import system_of
from ranking.modes.season_entries import SeasonEnd, find_ends
from ranking.rules.rank_table import RankTable
from ranking.standings.snapshots import find_newest, newest_table
from ranking.systems.base import ResetRule, S, System
from ranking.systems.batch.states import FIELDS, States
from ranking.systems.replay.resets import reset_displays

SHARE = 4  # a board counts from a quarter of the one before on


@dataclass(frozen=True, slots=True)
class SeasonRanks:
    """The rank table that matchmaking uses in a season; None: there are no ranks until the board lists enough players.

    `reset`: it is the table of reset ratings. `listed`: how many the board lists; `needed`: how many it needs.
    """

    table: RankTable | None
    reset: bool = False
    listed: int = 0
    needed: int = 0


def find_ranks(season: Season) -> SeasonRanks:
    """The ranks that matchmaking uses in a current season. Two queries, three from the second season on."""
    board = newest_table(season.mode_id, season.pk) or RankTable()
    if season.number == 1:
        return SeasonRanks(board)
    tables = ResetTable.objects.filter(season=season).annotate(given=Q(table__isnull=False))
    listed, given = tables.values_list("listed", "given").first() or (0, False)
    needed = -(-listed // SHARE)
    if len(board) >= needed:
        return SeasonRanks(board)
    return SeasonRanks(_table_of(season.pk) if given else None, given, len(board), needed)


@lru_cache(maxsize=64)
def _table_of(season_id: int) -> RankTable:
    stored: Any = ResetTable.objects.values_list("table", flat=True).get(pk=season_id)
    return RankTable.from_bytes(bytes(stored))


def find_reset_values(season: Season, players: Collection[int]) -> dict[int, int]:
    """The display ratings, in hundredths, with which these players are in the season's reset table. Three queries."""
    before = Rating.objects.filter(season__mode=season.mode_id, season__number=season.number - 1, listed=True)
    end = _end_before(season)
    return {
        rating.player_id: end.reset(rating.state).display_hundredths for rating in before.filter(player__in=players)
    }


def _end_before(season: Season) -> SeasonEnd:
    return find_ends(season.mode, season.mode.generation, before=season.number)[-1]


def write_reset_table(ended: Season) -> None:
    """Write the table for the season after this archived one, unless it is there already.

    The work over all players is done outside of the transaction that writes.
    """
    following = Season.objects.filter(mode=ended.mode_id, number=ended.number + 1, reset_table=None)
    season = following.select_related("mode").first()
    if season is None:
        return
    table = (
        None if ended.rule.starts_anew else count_reset(ended, system_of(_end_before(season).parameters), ended.rule)
    )
    final = find_newest(ended.mode_id, ended.pk)
    listed = 0 if final is None else final.listed
    with transaction.atomic():
        # The end may have been taken back meanwhile.
        if Season.objects.select_for_update(no_key=True).filter(pk=season.pk).exists():
            ResetTable.objects.bulk_create(
                [ResetTable(season=season, listed=listed, table=None if table is None else table.to_bytes())],
                ignore_conflicts=True,
            )


def count_reset(season: Season, system: System[S], rule: ResetRule, *, one_of: int = 1) -> RankTable:
    """The rank table of a board's ratings after a reset. `one_of`: an even sample of one rating of so many is read."""
    listed = Rating.objects.filter(mode=season.mode_id, season=season, listed=True)
    if one_of > 1:
        listed = listed.annotate(part=F("id") % one_of).filter(part=0)
    kinds = {name: INTEGER if name == "display_hundredths" else FLOAT for name in FIELDS}
    columns = read_columns(listed, **kinds)
    states = States(np.ones(len(columns["mu"]), np.bool_), **columns)
    values, counts = np.unique(reset_displays(system, states, rule), return_counts=True)
    return RankTable(zip(values.tolist(), (counts * one_of).tolist(), strict=True))
