"""Replays one history by many versions of a rating system, for their chances: each part is planned once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ranking.systems.base import System
from ranking.systems.batch.columns import Floats
from ranking.systems.batch.history import History
from ranking.systems.batch.states import States, newcomers
from ranking.systems.replay.learning import taught
from ranking.systems.replay.system_run import PlannedPart, SystemRun, plan_part


@dataclass(frozen=True, slots=True)
class RepeatedPart:
    """A part of a history with its plan. For a system that learns, it holds at most what is left of a block."""

    history: History
    planned: PlannedPart


def repeated_part(system: System[Any], history: History) -> RepeatedPart:
    """Plan a part for all versions of this system."""
    return RepeatedPart(history, plan_part(system, history))


def newcomer_states(system: System[Any], players: int) -> States:
    """The states of players who have all not played yet."""
    states = newcomers(players)
    states.put(np.arange(players), system.to_state(system.newcomer()))
    return states


def predict(system: System[Any], part: RepeatedPart, states: States) -> tuple[Floats, System[Any]]:
    """Each team's chance before its match, NaN if the system gives none, and the system with what it has learnt.

    `states`: by player, before the part; they are brought up to its end. The display ratings that a system computes
    from hidden numbers aren't: they stay as they were. Raises Refused as the scalar face does.
    """
    history, planned = part.history, part.planned
    run = SystemRun(system, history, states, None, system.learns, planned=planned, shows=False)
    run.rate()
    for name in run.fields:
        getattr(states, name)[planned.plan.players] = run.now[name]
    chance = np.empty(len(run.chance))
    chance[planned.plan.teams] = run.chance
    if run.lessons is None:
        return chance, system
    lessons = np.empty_like(run.lessons)
    lessons[planned.plan.matches] = run.lessons
    return chance, taught(system, history, lessons)
