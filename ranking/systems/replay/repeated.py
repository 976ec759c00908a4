"""Replays one history by many versions of a rating system, for their chances: each part is planned once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ranking.systems.base import S, System
from ranking.systems.batch.columns import Floats, Ints
from ranking.systems.batch.history import History, durations_of
from ranking.systems.batch.pairs import Pairs
from ranking.systems.batch.states import States, newcomers
from ranking.systems.replay._system_run import PlannedPart, SystemRun, plan_part
from ranking.systems.replay.learning import taught
from ranking.systems.replay.pairs import duels_of, seats_of, with_luck


@dataclass(frozen=True, slots=True)
class Duels:
    """Pairs of teams of larger matches, each as a match of its own: their numbers among the pairs of a part.

    `seats`: those of the part that play in them, in order.
    """

    numbers: Ints
    seats: Ints
    history: History
    planned: PlannedPart


@dataclass(frozen=True, slots=True)
class RepeatedPart:
    """A part of a history with its plan, and the pairs of its teams that are predicted.

    For a system that learns, it holds at most what is left of a block.
    """

    history: History
    planned: PlannedPart
    pairs: Pairs
    duels: Duels | None


def repeated_part(system: System[S], history: History, pairs: Pairs) -> RepeatedPart:
    """Plan a part for all versions of this system; `pairs`: those of its teams to predict."""
    return RepeatedPart(history, plan_part(system, history), pairs, _plan_duels(system, history, pairs))


def _plan_duels(system: System[S], history: History, pairs: Pairs) -> Duels | None:
    (numbers,) = np.nonzero(np.diff(history.team_starts)[pairs.match] != 2)
    if not len(numbers):
        return None
    duels = duels_of(history, pairs, numbers, durations_of(history))
    return Duels(numbers, seats_of(history, pairs, numbers), duels, plan_part(system, duels))


def newcomer_states(system: System[S], players: int) -> States:
    """The states of players who have all not played yet."""
    states = newcomers(players)
    states.put(np.arange(players), system.to_state(system.newcomer()))
    return states


def predict(system: System[S], part: RepeatedPart, states: States) -> tuple[Floats, System[S]]:
    """The first team's chance of each pair before its match, and the system with what it has learnt.

    A chance is NaN if the system gives none; a pair of a larger match has that of the two meeting alone. `states`: by
    player, before the part; they are brought up to its end. The display ratings that a system computes from hidden
    numbers aren't: they stay as they were. Raises Refused as the scalar face does.
    """
    history, planned = part.history, part.planned
    run = SystemRun(system, history, states, None, system.learns, planned=planned, shows=False)
    run.rate()
    for name in run.fields:
        getattr(states, name)[planned.plan.players] = run.now[name]
    chances = _by_team(run)[part.pairs.first]
    if part.duels is not None:
        teams = np.diff(history.team_starts)[part.pairs.match[part.duels.numbers]]
        alone = _chances_of_duels(system, part.duels, run)
        chances[part.duels.numbers] = with_luck(alone, system.luck_of_pairs, teams)
    if run.lessons is None:
        return chances, system
    lessons = np.empty_like(run.lessons)
    lessons[planned.plan.matches] = run.lessons
    return chances, taught(system, history, lessons)


def _by_team(run: SystemRun) -> Floats:
    """Each team's chance, in the history's order."""
    chance = np.empty(len(run.chance))
    chance[run.plan.teams] = run.chance
    return chance


def _chances_of_duels(system: System[S], duels: Duels, run: SystemRun) -> Floats:
    """The first team's chance of each duel, by the states before the matches of the run."""
    states = newcomers(len(duels.seats))
    states.known[:] = True
    for name, column in run.before.items():
        before = np.empty_like(column)
        before[run.plan.seats] = column
        getattr(states, name)[:] = before[duels.seats]
    own = SystemRun(system, duels.history, states, None, planned=duels.planned, shows=False)
    own.rate()
    return _by_team(own)[::2]
