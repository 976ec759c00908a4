"""Chances of pairs of teams before their match, also in matches of more than two teams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from ranking.systems.base import S, State, System
from ranking.systems.batch.columns import Floats, Ints, spread
from ranking.systems.batch.history import History, durations_of, history_from
from ranking.systems.batch.pairs import Pairs
from ranking.systems.batch.plan import plan_of
from ranking.systems.batch.scalar import result_of
from ranking.systems.registry import KERNELS
from ranking.systems.replay.replaying import PART, Replayed, replay
from ranking.systems.shared.formulas import FIELD, chance_with_luck


def pair_chances(
    system: System[S], history: History, pairs: Pairs, replayed: Replayed, learnt: Sequence[tuple[int, Any]] = ()
) -> Floats:
    """By pair: the first team's chance, as if the two had met alone, but for luck; NaN if the system gives none.

    `replayed`: the history, rated by the system. `learnt`: the number of the match after which a system that learns
    went on with other values, and the system from then on, in order.
    """
    chances: Floats = replayed.chance[pairs.first]
    teams = np.diff(history.team_starts)
    (others,) = np.nonzero(teams[pairs.match] != 2)
    systems = [system, *(taught for _, taught in learnt)]
    index = np.searchsorted(np.array([number for number, _ in learnt], np.int64), pairs.match, side="right")
    duration = durations_of(history)
    for some in _blocks(history, pairs, others):
        if type(system) in KERNELS:
            duels = duels_of(history, pairs, some, duration)
            if learnt:
                duels = replace(duels, mode_state=index[some], mode_states=[one.learning for one in systems])
            before = replayed.before.take(seats_of(history, pairs, some))
            luck = np.array([one.luck_of_pairs for one in systems])[index[some]]
            alone = replay([(0, systems[0])], duels, before).chance[::2]
            chances[some] = with_luck(alone, luck, teams[pairs.match[some]])
        else:
            for pair in some:
                own = np.array([pair])
                duel, seats = duels_of(history, pairs, own, duration), seats_of(history, pairs, own)
                states = [replayed.before[seat] for seat in seats.tolist()]
                chances[pair] = _chance(systems[index[pair]], duel, states)
    return chances


def with_luck(chances: Floats, luck: Floats | float, teams: Ints) -> Floats:
    """Chances of pairs in matches of so many teams; `luck`: what a system has learnt as `luck_of_pairs`."""
    mixed: Floats = chance_with_luck(chances, np.where(teams >= FIELD, luck, 0.0))
    return mixed


def _blocks(history: History, pairs: Pairs, chosen: Ints) -> Iterator[Ints]:
    """Yield these pairs in blocks that don't need much memory."""
    sizes = np.diff(history.starts)
    ends = np.cumsum(sizes[pairs.first[chosen]] + sizes[pairs.second[chosen]])
    if len(chosen):
        yield from np.split(chosen, np.flatnonzero(np.diff(ends // PART)) + 1)


def _teams(pairs: Pairs, chosen: Ints) -> Ints:
    return np.column_stack((pairs.first[chosen], pairs.second[chosen])).ravel()


def seats_of(history: History, pairs: Pairs, chosen: Ints) -> Ints:
    """The seats of these pairs, each pair's first team before its second."""
    teams = _teams(pairs, chosen)
    return spread(history.starts[teams], np.diff(history.starts)[teams])


def duels_of(history: History, pairs: Pairs, chosen: Ints, duration: Floats) -> History:
    """A match for each pair, of players who are in no other one. Who left counts in full, as in every chance.

    `duration`: by match of the history.
    """
    sizes, seats = np.diff(history.starts)[_teams(pairs, chosen)], seats_of(history, pairs, chosen)
    stayed = ~history.left_early[seats]
    team = np.repeat(np.arange(2 * len(chosen)), sizes)
    return history_from(
        match=team // 2,
        team=team,
        player=np.arange(len(seats)),
        place=np.tile([1, 2], len(chosen)),
        idle_days=history.idle_days[seats],
        matches_before=history.matches_before[seats],
        party=history.party[seats],
        duration=duration[pairs.match[chosen]],
        rounds=history.rounds[pairs.match[chosen]],
        seconds=np.where(stayed, history.seconds[seats], nan),
        joined_at=np.where(stayed, history.joined_at[seats], nan),
        rounds_played=np.where(stayed, history.rounds_played[seats], -1),
    )


def _chance(system: System[S], duel: History, states: Sequence[State]) -> float:
    """The chance in a history of one duel; `states`: those of its seats."""
    result = system.attended(result_of(system, duel, plan_of(duel, np.ones(1, bool)), 0, states))
    chance = system.win_probability([team.players for team in result.teams])[0]
    return nan if chance is None else chance
