"""What modes have learnt: the states that results name, and how the next state is learnt from a block of matches.

A state is a fact like a version of parameters: fixed when a block is full. A result is rated by the newest committed
state, which is read after its ratings are locked and before its sequence is taken, and names that state. Whoever finds
a full block of matches that no state has taken tries the mode's learning lock and writes the next state; nobody waits.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import BigIntegerField, Count, Subquery

from ranking.database import locks
from ranking.database.prepared_queries import Placeholder, PreparedModels, prepare_models
from ranking.models import Match, Mode, ModeState, ParameterVersion
from ranking.modes.parameters import Rules, current_parameters, system_of
from ranking.systems.base import Result, S, System
from ranking.systems.shared.learning import Lesson

LESSON_FIELDS = tuple(f"lesson_{name}" for name in Lesson._fields if name != "variant")
FIELDS = ("mode_state", "to_learn", *LESSON_FIELDS)  # of Match, written when it is rated


def forget_lessons(mode: Mode) -> None:
    """Matches that no state has taken yet teach nothing any more: the mode learns anew."""
    Match.objects.filter(mode=mode, to_learn=True).update(to_learn=False)


def taught(version: ParameterVersion, state: ModeState | None) -> System[Any]:
    """The rating system with what a mode had learnt; without a state, as the parameters give it."""
    system = system_of(version)
    return system if state is None else system.with_mode_state(state.values, "mode_state")


def system_now(mode: Mode) -> System[Any]:
    """The rating system by which the mode's next match is rated."""
    version = current_parameters(mode)
    return system_at(version, mode.generation) if system_of(version).learns else system_of(version)


def system_at(
    version: ParameterVersion, generation: int, *, named: int | None = None, sequence: int | None = None
) -> System[Any]:
    """The rating system of a fact that was rated by this version, as a generation of the mode reads it.

    `named`: the state that the fact names; it counts unless the mode has learnt anew since. Then, and without a name,
    the state in force at `sequence` counts, the newest one by default.
    """
    if not system_of(version).learns:
        return system_of(version)
    states = ModeState.objects.filter(parameters=version, generation__lte=generation)
    newest = states.order_by("-generation").values("generation")[:1]
    states = states.filter(generation=Subquery(newest))
    state = states.filter(pk=named).first() if named is not None else None
    if state is None:
        held = states if sequence is None else states.filter(since__lte=sequence)
        state = held.order_by("-number").first()
    return taught(version, state)


@dataclass(frozen=True, slots=True)
class Learning:
    """What a mode has learnt at a step of a transaction that rates its matches, under the locks of their ratings.

    `waiting`: how many committed matches no state has taken yet, the open block of the state included. `own`: the
    matches of this transaction that no state has taken yet. `taken`: the sequences of those that a state has taken.
    """

    rules: Rules
    state: ModeState
    system: System[Any]
    waiting: int
    own: tuple[Match, ...] = ()
    taken: frozenset[int] = frozenset()
    may_fold: bool | None = None  # None: not tried yet

    @classmethod
    def of(cls, rules: Rules) -> Learning:
        """What the mode has learnt now: one query."""
        state = _newest(rules)
        system = taught(rules.parameters, state)
        return cls(rules, state, system, (state.waiting or 0) + system.learning.block.n)

    @property
    def block_size(self) -> int:
        size: int = self.system.learning.block_size
        return size

    def columns(self, result: Result[S]) -> dict[str, Any]:
        """The columns of a match that is rated now: what it names and teaches."""
        _, *numbers = self.system.lesson(result)
        return {"mode_state_id": self.state.pk, "to_learn": True, **dict(zip(LESSON_FIELDS, numbers, strict=True))}

    def after(self, match: Match) -> Learning:
        """What the mode has learnt after a match that has its event and these columns: more if it fills a block."""
        learning = replace(self, own=(*self.own, match))
        return learning if learning.waiting + len(learning.own) < learning.block_size else learning._folded()

    def _folded(self) -> Learning:
        may_fold = locks.claim_learning(self.rules.mode.slug) if self.may_fold is None else self.may_fold
        if not may_fold:
            return replace(self, may_fold=False)
        # Another writer may have written a state, and taken matches, between the two.
        newest = _newest(self.rules)
        matches = Match.objects.filter(mode=self.rules.mode, to_learn=True).only("event", "variant", *LESSON_FIELDS)
        waiting = list(matches.select_for_update(skip_locked=True, no_key=True).order_by("event"))
        system = taught(self.rules.parameters, newest)
        number = len(waiting) + system.learning.block.n
        if number + len(self.own) < system.learning.block_size:
            return replace(self, waiting=number, may_fold=True)
        taken = sorted([*waiting, *self.own], key=lambda match: match.event_id or 0)
        system = system.folded(list(map(lesson_of, taken)))
        sequences = [match.event_id or 0 for match in taken]
        state = ModeState.objects.create(
            parameters=self.rules.parameters, generation=newest.generation, number=newest.number + 1,
            since=sequences[-1] + 1, values=system.mode_state(), taken=sequences,
        )  # fmt: skip
        Match.objects.filter(pk__in=[match.pk for match in waiting]).update(to_learn=False)
        return Learning(self.rules, state, system, 0, taken=self.taken.union(sequences), may_fold=True)


def learnings_of(rules: Mapping[int, Rules], modes: Iterable[int]) -> dict[int, Learning]:
    """What those of these modes that learn have learnt, by mode: a query for each of them."""
    return {mode: Learning.of(rules[mode]) for mode in sorted(modes) if rules[mode].system.learns}


def lesson_of(match: Match) -> Lesson:
    return Lesson(match.variant, *(getattr(match, name) for name in LESSON_FIELDS))


def _newest(rules: Rules) -> Any:
    """The newest committed state, with the number of matches `waiting`."""
    mode = rules.mode
    (state,) = _newest_query().objects(parameters=rules.parameters.pk, generation=mode.generation, mode=mode.pk)
    return state


@functools.cache
def _newest_query() -> PreparedModels[ModeState]:
    key = BigIntegerField()
    states = ModeState.objects.filter(
        parameters=Placeholder("parameters", key), generation__lte=Placeholder("generation", key)
    )
    waiting = Match.objects.filter(mode=Placeholder("mode", key), to_learn=True).order_by()
    counted = waiting.values("mode").annotate(number=Count("pk")).values("number")
    newest = states.defer("taken").order_by("-generation", "-number")
    return prepare_models(newest.annotate(waiting=Subquery(counted))[:1])
