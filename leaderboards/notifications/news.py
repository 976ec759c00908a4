"""News of a published board: notices and promotions of players who crossed a bound, such as a tier's."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from leaderboards.models import Notice
from leaderboards.notifications.wording import RANK, TIER, TOP
from leaderboards.rules.crossings import NOWHERE, BoardLadder, Ints, Standings, ranks_gained, standings_of
from ranking.models import Mode, Season
from ranking.rules.rank_table import RankTable
from ranking.rules.tiers import NAMED, Tier


@dataclass(frozen=True, slots=True)
class WatchedPlayer:
    """A player on the board: the published rating now and when the day began (None: not on the board then).

    `level` and `top`: the best that earlier notices told the player; None before the first look.
    """

    player_id: int
    value: int
    value_before: int | None
    level: int | None
    top: int | None


@dataclass(frozen=True, slots=True)
class Promotion:
    """A player who reached a tier, in any division of it, for the first time in the season."""

    player_id: int
    tier: Tier
    rank: int
    listed: int


@dataclass(frozen=True, slots=True)
class News:
    """The notices and promotions of one look. `levels`, `tops`: each player's best from now on."""

    notices: list[Notice]
    promotions: list[Promotion]
    levels: list[int]
    tops: list[int]


def find_news(
    season: Season, players: Sequence[WatchedPlayer], table: RankTable, yesterday: RankTable | None, now: dt.datetime
) -> News:
    """Compare these players with what was told before. A player seen for the first time gets no news of levels and
    shares: the comparison begins with this look."""
    mode = season.mode
    ladder = BoardLadder(mode.ladder, mode.tier_scheme)
    standings = standings_of(np.array([each.value for each in players]), table, ladder)
    if len(table) < mode.tier_least_listed:  # nobody has reached a tier yet: players are told when tiers begin
        standings = replace(standings, level=np.zeros_like(standings.level))
    known = np.array([each.level is not None for each in players])
    level = np.array([each.level or 0 for each in players])
    top = np.array([NOWHERE if each.top is None else each.top for each in players])
    rose = known & (standings.level > level) & mode.gives_tiers(len(table))
    graduated = rose & (ladder.grades(standings.level) > ladder.grades(level))
    entered = known & (standings.top < top) & mode.shows_percentile
    notices = [
        *_tier_notices(season, players, standings, rose, ladder, now),
        *_top_notices(season, players, standings, entered & ~rose, now),  # one climb, one notice: the tier's
        *_rank_notices(season, players, standings, table, yesterday, now),
    ]
    promotions = [
        Promotion(players[index].player_id, ladder.tier_at(percentile), rank, len(table))
        for index, percentile, rank in _rows(graduated, standings.percentile, standings.rank)
    ]
    best = np.maximum(standings.level, level), np.minimum(standings.top, top)
    return News(notices, promotions, best[0].tolist(), best[1].tolist())


def label_of(tier: Tier, mode: Mode) -> str:
    """A tier's name inside a sentence."""
    return tier.label if mode.tier_scheme == NAMED else f"tier {tier.label}"


def _tier_notices(
    season: Season,
    players: Sequence[WatchedPlayer],
    standings: Standings,
    rose: object,
    ladder: BoardLadder,
    now: dt.datetime,
) -> Iterator[Notice]:
    for index, percentile, level in _rows(rose, standings.percentile, standings.level):
        tier = ladder.tier_at(percentile)
        data: dict[str, object] = {"tier": label_of(tier, season.mode), "division": tier.division}
        data |= {"colour": tier.colour, "emblem": tier.emblem}
        if tier.names:
            data["names"] = dict(tier.names)
        yield _notice(season, players[index], TIER, str(level), data, now)


def _top_notices(
    season: Season, players: Sequence[WatchedPlayer], standings: Standings, entered: object, now: dt.datetime
) -> Iterator[Notice]:
    for index, top in _rows(entered, standings.top):
        yield _notice(season, players[index], TOP, str(top), {"percent": top}, now)


def _rank_notices(
    season: Season,
    players: Sequence[WatchedPlayer],
    standings: Standings,
    table: RankTable,
    yesterday: RankTable | None,
    now: dt.datetime,
) -> Iterator[Notice]:
    """Yield at most one notice a day and player: how far the rank has moved since the day began."""
    listed_before = np.array([each.value_before is not None for each in players])
    if yesterday is None or not listed_before.any():
        return
    before = np.array([each.value_before or 0 for each in players])
    gained = ranks_gained(before, yesterday, standings.rank, len(table))
    today = season.mode.day_of(now).isoformat()
    for index, by, rank in _rows(listed_before & (gained != 0), gained, standings.rank):
        yield _notice(season, players[index], RANK, today, {"by": by, "rank": rank}, now)


def _rows(which: Any, *columns: Ints) -> Iterator[tuple[int, ...]]:
    """Yield (index, value of each column) of the marked rows."""
    indices = np.flatnonzero(which)
    return zip(indices.tolist(), *(column[indices].tolist() for column in columns), strict=True)


def _notice(season: Season, player: WatchedPlayer, kind: str, occasion: str, data: Any, now: dt.datetime) -> Notice:
    return Notice(
        player_id=player.player_id, mode=season.mode, kind=kind, occasion=f"{season.pk}:{occasion}", data=data,
        created_at=now,
    )  # fmt: skip
