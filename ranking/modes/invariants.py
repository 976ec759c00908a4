"""Checks of what modes have learnt; `manage.py doctor` prints the violations."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import astuple
from math import isclose
from typing import Any

from django.db.models import F, Max, OuterRef, Q, Subquery

from ranking.models import Match, ModeState
from ranking.modes.mode_states import LESSON_FIELDS, lesson_of, taught
from ranking.operations.violations import Violation, violation_of
from ranking.systems.margin.learnt import BLOCK, Learnt

_CURE = "Restore the newest backup that doctor finds clean, and have the game servers send results since then again."
_ANEW = "manage.py rerate with the mode and --chronological learns anew."
MOST_WAITING = 4 * BLOCK  # matches that no state has taken


def violations(now: dt.datetime) -> Iterator[Violation]:
    """All violations of states; none if all is well."""
    yield from names()
    yield from waiting()
    yield from blocks()


def names() -> Iterator[Violation]:
    """A match names a state of its own mode, and one that is to be learnt from is rated and names one."""
    strange = Match.objects.filter(mode_state__isnull=False).exclude(mode_state__parameters__mode=F("mode"))
    yield from violation_of("learnt.named", "A match names what another mode had learnt", strange, _CURE)
    lost = Match.objects.filter(Q(mode_state=None) | Q(event=None) | Q(lesson_slope=None), to_learn=True)
    yield from violation_of("learnt.lesson", "A match is to be learnt from and teaches nothing", lost, _CURE)


def waiting() -> Iterator[Violation]:
    """No more than a few blocks of matches wait to be learnt from."""
    modes = Match.objects.filter(to_learn=True).order_by().values("mode", "mode__slug").annotate(newest=Max("event"))
    for mode in modes:
        number = Match.objects.filter(mode=mode["mode"], to_learn=True).count()
        if number > MOST_WAITING:
            yield Violation("learnt.waiting", f"{mode['mode__slug']} hasn't learnt from {number:,} matches.", _ANEW)


def blocks() -> Iterator[Violation]:
    """Each state of the learning in force follows from the one before it and from the matches that it took."""
    newest = ModeState.objects.filter(
        parameters=OuterRef("parameters"), generation__lte=OuterRef("parameters__mode__generation")
    )
    in_force = ModeState.objects.filter(generation=Subquery(newest.order_by("-generation").values("generation")[:1]))
    rows = in_force.select_related("parameters__mode").order_by("parameters", "number")
    before: ModeState | None = None
    taken: set[int] = set()
    for state in rows.iterator(chunk_size=1_000):
        if before is None or before.parameters_id != state.parameters_id:
            before, taken = None, set()
        if state.taken and (before is None or taken & set(state.taken) or not _follows(before, state)):
            sentence = f"State {state.number} of {state.parameters} doesn't follow from the matches that it took."
            yield Violation("learnt.block", sentence, _CURE)
        taken |= set(state.taken)
        before = state


def _follows(before: ModeState, state: ModeState) -> bool:
    matches = Match.objects.filter(mode=state.parameters.mode_id, event__in=state.taken)
    rows = list(matches.order_by("event").only("event", "variant", "to_learn", *LESSON_FIELDS))
    if len(rows) != len(state.taken) or any(match.to_learn or match.lesson_slope is None for match in rows):
        return False
    expected = taught(before.parameters, before).folded(list(map(lesson_of, rows))).learning
    return state.number == before.number + 1 and _alike(expected, taught(state.parameters, state).learning)


def _alike(one: Learnt, other: Learnt) -> bool:
    return one.margins.keys() == other.margins.keys() and all(
        isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(_numbers(one), _numbers(other), strict=True)
    )


def _numbers(learnt: Learnt) -> list[Any]:
    margins = [value for name in sorted(learnt.margins) for value in learnt.margins[name]]
    luck = [] if learnt.luck is None else astuple(learnt.luck)
    return [learnt.slope, learnt.noise, learnt.noise_n, learnt.slope_n, *margins, *luck]
