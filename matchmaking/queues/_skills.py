"""A player's skill for matchmaking: strength, display rating, percentile. From the standing and matchmaking rules.

The percentile is the one that the player's live rating would have in the ranks of the season, without the player's own
row. A player who hasn't entered the season yet has the rating of their entry, a player who hasn't played a newcomer's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ranking.models import Mode, ParameterVersion, Rating, Season
from ranking.modes.parameters import current_parameters, system_of
from ranking.modes.season_entries import entering_ratings
from ranking.rules.rank_table import ASSUMED_PERCENTILE, RankTable
from ranking.seasons.reset_tables import find_ranks, find_reset_values
from ranking.systems.base import State


@dataclass(frozen=True, slots=True)
class Skill:
    """What matchmaking knows of a player. `strength`: mu if the system has one, else the display rating.

    `hundredths`: the live display rating; `own`: the one in the ranks of the season, if the player is among them.
    """

    strength: float
    hundredths: int
    percentile: int
    own: int | None = None


def strength_of(state: State) -> float:
    return state.display_hundredths / 100 if state.mu is None else state.mu


def load_skills(mode: Mode, players: Collection[int]) -> dict[int, Skill]:
    """Load the skills of these players, by player.

    Four queries for any number of players; from the second season on at most eleven.
    """
    season = get_season(mode)
    ranks = find_ranks(season)
    newcomer = newcomer_state(current_parameters(mode))
    ratings = {rating.player_id: rating for rating in Rating.objects.filter(season=season, player__in=players)}
    own = find_reset_values(season, players) if ranks.reset else _published(ratings)
    ratings |= entering_ratings(season, set(players) - ratings.keys())
    table = ranks.table or RankTable()
    return {player: _skill(ratings.get(player), newcomer, table, own.get(player)) for player in players}


def get_season(mode: Mode) -> Season:
    """The current season of a mode, with the mode."""
    return Season.objects.select_related("mode").get(mode=mode, current=True)


def _published(ratings: Mapping[int, Rating]) -> dict[int, int]:
    """The published ratings of listed players."""
    listed = ((player, rating.published_hundredths) for player, rating in ratings.items() if rating.listed)
    return {player: value for player, value in listed if value is not None}


def newcomer_state(parameters: ParameterVersion) -> State:
    system = system_of(parameters)
    return system.to_state(system.newcomer())


def _skill(rating: Rating | None, newcomer: State, table: RankTable, own: int | None) -> Skill:
    state = newcomer if rating is None else rating.state
    value = state.display_hundredths
    percentile = table.assumed_percentile_of(value, excluding=own) if len(table) else ASSUMED_PERCENTILE
    return Skill(strength_of(state), value, percentile, own)


def count_within(table: RankTable, low: float, high: float) -> int:
    """How many players of a rank table have a percentile from `low` to `high`."""
    return sum(holders for value, holders in table.rows() if low <= table.percentile_of(value) <= high)
