"""Ratings that players brought along, in a history that is rated anew: their states by the system in force there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ranking.database.arrays import INTEGER, Column, read_columns
from ranking.database.microseconds import microseconds_of
from ranking.models import Mode, ParameterVersion, Seed
from ranking.modes.parameters import system_of
from ranking.rerating._order import Versions
from ranking.rerating._rated_players import RatedPlayers
from ranking.systems.base import State
from ranking.systems.batch.states import States, states_of
from ranking.systems.conversion import convert_state


def seed_columns(
    seeds: Sequence[Seed], players: RatedPlayers, states: States, versions: Versions
) -> tuple[Column, Column, dict[str, Any]]:
    """Seeds of different players, in order, as columns: the indices of the rated players, when it happened, and what
    their rows of the ledger hold. `states`: by rated player, before it.
    """
    player = np.array([seed.player_id for seed in seeds])
    season = np.array([seed.season_id for seed in seeds])
    rated = players.numbers_of(season, player)
    sequence = versions.order.sequence_of(np.array([seed.event_id for seed in seeds]))
    version = versions.at(sequence)
    parameters = [versions.versions[index] for index in version.tolist()]
    columns = {
        "event_id": sequence,
        "player_id": player,
        "season_id": season,
        "parameters_id": np.array([each.pk for each in parameters]),
        "before": _states_before(states.take(rated), version, versions),
        "after": states_of(map(state_under, seeds, parameters)),
    }
    return rated, np.array([microseconds_of(seed.event.happened_at) for seed in seeds]), columns


def _states_before(states: States, version: Column, versions: Versions) -> States:
    """These states, with a newcomer's by the parameters of `version` for those who have none."""
    for index in np.unique(version[~states.known]).tolist():
        system = versions.systems[index]
        states.put(np.flatnonzero(~states.known & (version == index)), system.to_state(system.newcomer()))
    return states


def state_under(seed: Seed, parameters: ParameterVersion) -> State:
    """The state with which the player begins under these parameters: as strong as under those that the seed names."""
    if seed.parameters_id == parameters.pk:
        return seed.state
    return convert_state(seed.state, system_of(seed.parameters), system_of(parameters))


def seeded_matches(mode: Mode, players: RatedPlayers) -> Column:
    """By rated player: the matches that the rating rests on that they brought along; else 0."""
    columns = read_columns(
        Seed.objects.filter(mode=mode, matches__gt=0), season_id=INTEGER, player_id=INTEGER, matches=INTEGER
    )
    numbers = players.find_numbers(columns["season_id"], columns["player_id"])
    matches = np.zeros(len(players), np.int64)
    matches[numbers[numbers >= 0]] = columns["matches"][numbers >= 0]
    return matches
