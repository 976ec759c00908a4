"""What is told of a published board: notices and promotions of those who crossed a bound."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboards.models import Notice
from leaderboards.notifications.wording import RANK, TIER, TOP
from leaderboards.rules.crossings import NOWHERE, BoardLadder, Ints, Standings, ranks_gained, standings_of
from ranking.models import Mode, Season
from ranking.rules.rank_table import RankTable
from ranking.rules.tiers import NAMED, Tier


@dataclass(frozen=True, slots=True)
class Seen:
    """Somebody on the board: published now and when the day began (None: not on it), and the best told before."""

    player_id: int
    value: int
    value_before: int | None
    level: int | None
    top: int | None


@dataclass(frozen=True, slots=True)
class Promotion:
    """Somebody who reached a tier, whatever its division, for the first time in the season."""

    player_id: int
    tier: Tier
    rank: int
    listed: int


@dataclass(frozen=True, slots=True)
class Tidings:
    """`levels` and `tops`: the best of each from now on."""

    notices: list[Notice]
    promotions: list[Promotion]
    levels: list[int]
    tops: list[int]


def find_tidings(
    season: Season, seen: Sequence[Seen], table: RankTable, yesterday: RankTable | None, now: dt.datetime
) -> Tidings:
    """What these players of a board are told. Whoever is on it for the first time only begins to be compared."""
    mode = season.mode
    ladder = BoardLadder(mode.ladder, mode.tier_scheme)
    standings = standings_of(np.array([each.value for each in seen]), table, ladder)
    known = np.array([each.level is not None for each in seen])
    level = np.array([each.level or 0 for each in seen])
    top = np.array([NOWHERE if each.top is None else each.top for each in seen])
    rose = known & (standings.level > level) & mode.shows_tier
    graduated = rose & (ladder.grades(standings.level) > ladder.grades(level))
    entered = known & (standings.top < top) & mode.shows_percentile
    notices = [
        *_tier_notices(season, seen, standings, rose, ladder, now),
        *_top_notices(season, seen, standings, entered, now),
        *_rank_notices(season, seen, standings, table, yesterday, now),
    ]
    promotions = [
        Promotion(seen[index].player_id, ladder.tier_at(percentile), rank, len(table))
        for index, percentile, rank in _rows(graduated, standings.percentile, standings.rank)
    ]
    best = np.maximum(standings.level, level), np.minimum(standings.top, top)
    return Tidings(notices, promotions, best[0].tolist(), best[1].tolist())


def label_of(tier: Tier, mode: Mode) -> str:
    """A tier as a sentence names it."""
    return tier.label if mode.tier_scheme == NAMED else f"tier {tier.label}"


def _tier_notices(
    season: Season, seen: Sequence[Seen], standings: Standings, rose: Any, ladder: BoardLadder, now: dt.datetime
) -> Iterator[Notice]:
    for index, percentile, level in _rows(rose, standings.percentile, standings.level):
        tier = ladder.tier_at(percentile)
        data = {"tier": label_of(tier, season.mode), "division": tier.division, "colour": tier.colour}
        yield _notice(season, seen[index], TIER, str(level), data, now)


def _top_notices(
    season: Season, seen: Sequence[Seen], standings: Standings, entered: Any, now: dt.datetime
) -> Iterator[Notice]:
    for index, top in _rows(entered, standings.top):
        yield _notice(season, seen[index], TOP, str(top), {"percent": top}, now)


def _rank_notices(
    season: Season,
    seen: Sequence[Seen],
    standings: Standings,
    table: RankTable,
    yesterday: RankTable | None,
    now: dt.datetime,
) -> Iterator[Notice]:
    """One a day: how far somebody has come since it began."""
    there = np.array([each.value_before is not None for each in seen])
    if yesterday is None or not there.any():
        return
    before = np.array([each.value_before or 0 for each in seen])
    gained = ranks_gained(before, yesterday, standings.rank, len(table))
    today = season.mode.day_of(now).isoformat()
    for index, by, rank in _rows(there & (gained != 0), gained, standings.rank):
        yield _notice(season, seen[index], RANK, today, {"by": by, "rank": rank}, now)


def _rows(which: Any, *columns: Ints) -> Iterator[tuple[int, ...]]:
    """(index, value of each column) of the rows that are marked."""
    indices = np.flatnonzero(which)
    return zip(indices.tolist(), *(column[indices].tolist() for column in columns), strict=True)


def _notice(season: Season, seen: Seen, kind: str, occasion: str, data: Any, now: dt.datetime) -> Notice:
    return Notice(
        player_id=seen.player_id, mode=season.mode, kind=kind, occasion=f"{season.pk}:{occasion}", data=data,
        created_at=now,
    )  # fmt: skip
