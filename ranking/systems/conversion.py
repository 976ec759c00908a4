"""Converts a skill of one system into an equally strong skill of another, to rate the same match by both.

No source defines such a conversion; this one is our choice. A strength says how far above the middle of the field a
player stands, in logits of one against one; see shared/logits.py. The middle is a newcomer's mean; team-ratio's
newcomers start at the bottom, so its middle is 10.00.
"""

from __future__ import annotations

from typing import Any

from ranking.systems.base import S, State, Strength, System
from ranking.systems.shared.params import without_rules

FURTHEST = 40.0  # logits; a player so far behind has no chance in any system


def convert_skill(skill: Any, old: System[S], new: System[S]) -> Any:
    """A skill of the old system as an equally strong skill of the new one; a newcomer stays a newcomer."""
    return new.newcomer() if skill == old.newcomer() else equally_strong(skill, old, new)


def equally_strong(skill: Any, old: System[S], new: System[S]) -> Any:
    """A skill of the old system as an equally strong one of the new system, a newcomer's as any other."""
    level, doubt = old.strength(skill)
    return new.skill_of(Strength(min(max(level, -FURTHEST), FURTHEST), max(doubt, 1e-6)))


def convert_state(state: State, old: System[S], new: System[S]) -> State:
    """A state of the old system as an equally strong one of the new system.

    It stays as it is if the systems differ at most in rules, which say nothing about strengths.
    """
    if old.key == new.key and without_rules(old) == without_rules(new):
        return state
    return new.to_state(convert_skill(old.from_state(state), old, new))
