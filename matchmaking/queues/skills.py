"""A player's skill for matchmaking: strength, display rating, percentile. From the standing and matchmaking rules.

The percentile is the one that the player's live rating would have in the newest snapshot, without the player's own row.
A player who hasn't played has a newcomer's rating.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ranking.models import Mode, ParameterVersion, Rating, Season
from ranking.modes.parameters import current_parameters, system_of
from ranking.rules.rank_table import ASSUMED_PERCENTILE, RankTable
from ranking.standings.snapshots import newest_table
from ranking.systems.base import State


@dataclass(frozen=True, slots=True)
class Skill:
    """What matchmaking knows of a player. `strength`: mu if the system has one, else the display rating.

    `hundredths`: the live display rating; `own`: the published one, if the player is listed.
    """

    strength: float
    hundredths: int
    percentile: int
    own: int | None = None


def strength_of(state: State) -> float:
    return state.display_hundredths / 100 if state.mu is None else state.mu


def load_skills(mode: Mode, players: Collection[int]) -> dict[int, Skill]:
    """Load the skills of these players, by player. Four queries for any number of players."""
    season = Season.objects.get(mode=mode, current=True)
    table = newest_table(mode.pk, season.pk) or RankTable()
    newcomer = newcomer_state(current_parameters(mode))
    ratings = {rating.player_id: rating for rating in Rating.objects.filter(season=season, player__in=players)}
    return {player: _skill(ratings.get(player), newcomer, table) for player in players}


def newcomer_state(parameters: ParameterVersion) -> State:
    system = system_of(parameters)
    return system.to_state(system.newcomer())


def _skill(rating: Rating | None, newcomer: State, table: RankTable) -> Skill:
    state = newcomer if rating is None else rating.state
    own = rating.published_hundredths if rating is not None and rating.listed else None
    value = state.display_hundredths
    percentile = table.assumed_percentile_of(value, excluding=own) if len(table) else ASSUMED_PERCENTILE
    return Skill(strength_of(state), value, percentile, own)


def count_listed_within(mode: Mode, low: float, high: float) -> int | None:
    """How many players of the mode's board have a percentile from `low` to `high`; None if the board lists nobody."""
    table = newest_table(mode.pk, Season.objects.get(mode=mode, current=True).pk) or RankTable()
    if not len(table):
        return None
    return sum(holders for value, holders in table.rows() if low <= table.percentile_of(value) <= high)
