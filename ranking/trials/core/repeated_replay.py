"""Replays a history by versions of one rating system: each pair's chance from the skills before its match."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ranking.systems.base import ResetRule, Result, System
from ranking.systems.batch.columns import Floats
from ranking.systems.batch.states import States
from ranking.systems.conversion import convert_state
from ranking.systems.margin.learnt import block_starts
from ranking.systems.replay.repeated import RepeatedPart, newcomer_states, predict, repeated_part
from ranking.systems.replay.resets import reset_states
from ranking.trials.core.fit_history import FitHistory, ForfeitStep, SeedStep, Step

SEATS = 1 << 16  # of a part, which bounds the time between two reports of progress

Progress = Generator[int, None, Floats]  # yields the number of matches rated so far, returns chances


class NotFinite(ArithmeticError):
    """A replay led to a state that is no finite number."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Steps, then matches that nothing comes between."""

    steps: Sequence[Step]
    part: RepeatedPart | None
    last: int


class Replays:
    """The first `matches` of a history, planned for all versions of a system."""

    def __init__(self, system: System[Any], history: FitHistory, matches: int | None = None) -> None:
        self.players = history.players
        self.matches = history.matches if matches is None else matches
        self.history = history
        self._segments = list(self._plan(system))

    def _plan(self, system: System[Any]) -> Generator[Segment]:
        history, starts = self.history.history, self.history.history.match_starts
        steps = [(index, step) for index, step in self.history.steps if index < self.matches]
        cuts = {index for index, _ in steps} | {0, self.matches}
        if system.learns:
            cuts |= set(block_starts(system.learning.luck is not None, self.matches))
        bounds, number = sorted(cuts), 0
        for first, end in pairwise(bounds):
            own = []
            while number < len(steps) and steps[number][0] == first:
                own.append(steps[number][1])
                number += 1
            while first < end:
                last = min(end, max(first + 1, int(np.searchsorted(starts, starts[first] + SEATS))))
                pairs = self.history.pairs.part(history, first, last)
                yield Segment(own, repeated_part(system, history.part(first, last), pairs), last)
                first, own = last, []

    def chances(self, system: System[Any]) -> Progress:
        """The first team's chance in each pair, NaN if the system gives none.

        Raises NotFinite, and Refused as the system does.
        """
        states = newcomer_states(system, self.players)
        chances = []
        for segment in self._segments:
            states = _after(segment.steps, system, states)
            if segment.part is not None:
                chance, system = _predicted(system, segment.part, states)
                chances.append(chance)
                yield segment.last
        finite = np.isfinite(states.mu)
        if finite.any() and not finite.all():  # no state has a mean in some systems
            raise NotFinite
        return np.concatenate([*chances, np.zeros(0)])


# NumPy's error state belongs to the thread that set it, and another thread may close a generator that was left. So each
# step sets it, and no `yield` stands inside.
_predicted = np.errstate(all="ignore")(predict)


@np.errstate(all="ignore")
def _after(steps: Sequence[Step], system: System[Any], states: States) -> States:
    """The states after these steps."""
    for step in steps:
        states = _after_one(step, system, states)
    return states


def _after_one(step: Step, system: System[Any], states: States) -> States:
    if isinstance(step, ResetRule):
        return reset_states(system, states, step)
    if isinstance(step, SeedStep):
        states.put(step.player, convert_state(step.state, step.of, system))
    else:
        _drop(step, system, states)
    return states


def _drop(step: ForfeitStep, system: System[Any], states: States) -> None:
    teams = tuple(
        replace(
            team,
            players=tuple(
                replace(player, skill=system.from_state(states[number]))
                for player, number in zip(team.players, numbers, strict=True)
            ),
        )
        for team, numbers in zip(step.result.teams, step.players, strict=True)
    )
    result: Result[Any] = replace(step.result, teams=teams)
    team, slot = step.seat
    states.put(step.players[team][slot], system.to_state(system.rate(result)[team][slot]))
