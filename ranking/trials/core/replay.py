"""Replays a history by one rating system: each match in order is predicted from the skills before it, then rated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from ranking.systems.base import Entrant, Refused, Result, S, State, System, Team
from ranking.systems.batch.columns import Floats
from ranking.systems.batch.history import History
from ranking.systems.batch.states import States, newcomers
from ranking.systems.conversion import convert_state
from ranking.systems.replay.learning import LearningReplay, replay_and_learn
from ranking.systems.replay.pairs import pair_chances
from ranking.systems.replay.replaying import replay
from ranking.trials.core.timeline import ResetRules, SeedStretch, Stretch


@dataclass(slots=True)
class PoolState:
    """What a system knows about a pool: what it has learnt, and its players' states by number."""

    system: System[Any]
    states: States

    def grow(self, size: int) -> None:
        """Make room for so many players."""
        if size > len(self.states):
            self.states = States.joined([self.states, newcomers(max(size, 2 * len(self.states)) - len(self.states))])

    def reset(self, number: int, rules: ResetRules) -> None:
        if self.states.known[number]:
            self.states.put(number, reduce(self.system.reset, rules, self.states[number]))


class SystemReplay:
    """`pools`: what `system` knows about each pool so far."""

    def __init__(self, system: System[S]) -> None:
        self.system = system
        self.pools: dict[str, PoolState] = {}

    def rate(self, stretch: Stretch | SeedStretch) -> Floats:
        """Rate the next stretch; return the first team's chance of each decided pair, none of a forfeit and of seeds.

        Raises Refused, naming the match, if the system can't rate one; the replay is useless then.
        """
        pool = self.pools.setdefault(stretch.pool, PoolState(self.system, newcomers(0)))
        pool.grow(stretch.size)
        if isinstance(stretch, SeedStretch):
            for number, seed in stretch.seeds:  # an equally strong state; what was learnt has no part in it
                pool.states.put(number, convert_state(seed.state, seed.of, self.system))
            return np.zeros(0)
        if stretch.is_forfeit:
            _rate_forfeit(pool, stretch)
            return np.zeros(0)
        for number, rules in stretch.resets:
            pool.reset(number, rules)
        start = pool.states.take(stretch.players)
        try:
            rated = _rated(pool.system, stretch.history, start)
        except Refused as refused:
            raise _named(pool.system, stretch, start, refused) from refused
        chances = pair_chances(pool.system, stretch.history, stretch.pairs, rated.replayed, rated.learnt)
        pool.states.set(stretch.players, rated.replayed.final)
        pool.system = rated.system
        return chances


def _rated(system: System[S], history: History, start: States) -> LearningReplay:
    if system.learns:
        return replay_and_learn(system, history, start)
    return LearningReplay(replay([(0, system)], history, start), system, [])


def _named(system: System[S], stretch: Stretch, start: States, refused: Refused) -> Refused:
    """The refusal with the name of its match, which is found by rating one match after another."""
    for number, match in enumerate(stretch.matches):
        try:
            rated = _rated(system, stretch.history.part(number, number + 1), start)
        except Refused as own:
            return Refused(f"{match.where}: {own}")
        system, start = rated.system, rated.replayed.final
    return refused


def _rate_forfeit(pool: PoolState, stretch: Stretch) -> None:
    """Rate a forfeit, which moves its dropper alone; the resets of the others are only supposed."""
    match, newcomer = stretch.matches[0], pool.system.to_state(pool.system.newcomer())
    resets, seat = dict(stretch.resets), 0
    entered: dict[str, State] = {}
    teams, numbers = [], {}
    for team in match.result.teams:
        roster = []
        for player in team.players:
            number = int(stretch.players[stretch.history.player[seat]])
            state = pool.states[number] if pool.states.known[number] else newcomer
            entered[player.id] = reduce(pool.system.reset, resets.get(number, ()), state)
            numbers[player.id] = number
            roster.append(
                Entrant(
                    player.id, pool.system.from_state(entered[player.id]), player.seconds, player.left_early,
                    matches=int(stretch.history.matches_before[seat]),
                )
            )  # fmt: skip
            seat += 1
        teams.append(Team(tuple(roster), team.place, team.score))
    result = Result(tuple(teams), match.result.duration)
    try:
        rated = pool.system.rate(result)
    except Refused as refused:
        raise Refused(f"{match.where}: {refused}") from refused
    for team, skills in zip(result.teams, rated, strict=True):
        for player, skill in zip(team.players, skills, strict=True):
            if player.id == match.dropper:
                pool.states.put(numbers[player.id], pool.system.to_state(skill))
