"""By what a mode had learnt each match is rated anew: by the states that were named then, or learning anew.

Voids, merges and late results keep the states and who named which. A new system, new parameters or a new order of the
history learn anew, in blocks of exactly fifty.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from django.db.models import Subquery

from ranking.database.arrays import Column
from ranking.models import ModeState
from ranking.modes.mode_states import taught
from ranking.modes.parameters import begin_learning
from ranking.rerating._order import Versions
from ranking.systems.base import S, System
from ranking.systems.batch.history import History
from ranking.systems.batch.states import States
from ranking.systems.replay.learning import replay_and_learn
from ranking.systems.replay.replaying import Replayed, joined, replay


class Facts(NamedTuple):
    """By match or forfeit: the index of its parameters, its sequence, and the state that it names (−1 for none)."""

    version: Column
    sequence: Column
    named: Column

    def part(self, first: int, last: int) -> Facts:
        return Facts(*(column[first:last] for column in self))


class Learning(Protocol):
    def rate(self, facts: Facts, history: History, start: States) -> Replayed:
        """Rate matches, each by its parameters and by what the mode had learnt."""
        ...

    def system_of(self, facts: Facts) -> System[Any]:
        """The system that rates a forfeit, the one fact given."""
        ...

    def finish(self) -> None:
        """Write what is left to write, in the transaction that ends the replay."""
        ...


def learning_of(versions: Versions, generation: int, *, anew: bool) -> Learning:
    """How a replay into `generation` gets what a mode had learnt."""
    return LearningAnew(versions, generation) if anew and versions.learn else KeptStates(versions, generation)


@dataclass(slots=True)
class KeptStates:
    """The states in force, of all versions: `number`, by version and id, is the index in `learnt`."""

    versions: Versions
    generation: int
    learnt: list[Any] = field(default_factory=list)
    _since: list[Column] = field(default_factory=list)  # by version: the sequences from which its states hold
    _first: list[int] = field(default_factory=list)  # by version: the index of its first state
    _index: list[dict[int, int]] = field(default_factory=list)  # by version: indices by id

    def __post_init__(self) -> None:
        for version, system in zip(self.versions.versions, self.versions.systems, strict=True):
            states = list(_states_of(version.pk, self.generation)) if system.learns else []
            first = len(self.learnt)
            self._first.append(first)
            self._since.append(np.array([state.since for state in states], np.int64))
            self._index.append({state.pk: first + number for number, state in enumerate(states)})
            self.learnt += [taught(version, state).learning for state in states]

    def rate(self, facts: Facts, history: History, start: States) -> Replayed:
        if self.learnt:
            present, index = np.unique(self._indices(facts), return_inverse=True)
            if present[0] < 0:  # some are of systems that don't learn
                present, index = present[1:], index - 1
            history = replace(
                history, mode_state=index.reshape(-1), mode_states=[self.learnt[number] for number in present.tolist()]
            )
        return replay(_segments(facts.version, self.versions), history, start)

    def system_of(self, facts: Facts) -> System[Any]:
        system, (number,) = self.versions.systems[int(facts.version[0])], self._indices(facts)
        return system if number < 0 else system.with_learning(self.learnt[number])

    def finish(self) -> None:
        return

    def _indices(self, facts: Facts) -> Column:
        """By fact: the index of the state that rates it; −1 if its system doesn't learn."""
        indices = np.full(len(facts.version), -1)
        for version in np.unique(facts.version).tolist():
            since = self._since[version]
            if not len(since):
                continue
            (own,) = np.nonzero(facts.version == version)
            held = self._first[version] + np.searchsorted(since, facts.sequence[own], side="right") - 1
            named = self._index[version]
            pairs = zip(facts.named[own].tolist(), held.tolist(), strict=True)
            indices[own] = [named.get(name, number) for name, number in pairs]
        return indices


def _states_of(version: int, generation: int) -> Iterator[ModeState]:
    """The states of a version that a generation reads, in order."""
    states = ModeState.objects.filter(parameters=version, generation__lte=generation)
    newest = states.order_by("-generation").values("generation")[:1]
    yield from states.filter(generation=Subquery(newest)).defer("taken").order_by("number").iterator(1_000)


class LearningAnew:
    """Learns in the order of the replay, and writes states of the new generation, in the transactions of its blocks."""

    def __init__(self, versions: Versions, generation: int) -> None:
        self.versions, self.generation = versions, generation
        self.systems: list[System[Any]] = list(versions.systems)
        self.newest: dict[int, ModeState] = {}

    def rate(self, facts: Facts, history: History, start: States) -> Replayed:
        parts, states = [], start
        edges = [0, *(np.flatnonzero(np.diff(facts.version)) + 1).tolist(), len(facts.version)]
        for first, last in pairwise(edges):
            version, part = int(facts.version[first]), history.part(first, last)
            if self.systems[version].learns:
                learning = replay_and_learn(self.systems[version], part, states)
                for match, system in learning.learnt:
                    self._write(version, system, since=int(facts.sequence[first + match - 1]) + 1)
                self.systems[version], replayed = learning.system, learning.replayed
            else:
                replayed = replay([(0, self.systems[version])], part, states)
            parts.append(replayed)
            states = replayed.final
        return joined(parts)

    def system_of(self, facts: Facts) -> System[Any]:
        return self.systems[int(facts.version[0])]

    def _write(self, version: int, system: System[S], since: int) -> None:
        before = self._newest(version)
        self.newest[version] = ModeState.objects.create(
            parameters=before.parameters, generation=self.generation, number=before.number + 1, since=since,
            values=system.mode_state(),
        )  # fmt: skip

    def _newest(self, version: int) -> ModeState:
        parameters = self.versions.versions[version]
        if version not in self.newest:
            root = ModeState.objects.filter(parameters=parameters, generation=self.generation, number=0)
            if not root.exists():
                begin_learning(parameters, self.generation)
            self.newest[version] = root.get()
        return self.newest[version]

    def finish(self) -> None:
        """Every version has a state of this generation; the newest one of each knows its open block."""
        # A first state may have been written by an attempt of this transaction that was rolled back.
        self.newest = {version: state for version, state in self.newest.items() if state.number > 0}
        for version, system in enumerate(self.systems):
            if system.learns:
                newest = self._newest(version)
                newest.values = system.mode_state()
                newest.save(update_fields=["values"])


def _segments(version: Column, versions: Versions) -> list[tuple[int, System[Any]]]:
    edges = [0, *(np.flatnonzero(np.diff(version)) + 1).tolist()]
    return [(edge, versions.systems[version[edge]]) for edge in edges]
