"""Explains a change of battle points: a duel as one player sees it, and the factors of the formula.

Stake × (result − expectation) × the shutout's modifier is the change before rounding and before the floor.
"""

from __future__ import annotations

from typing import NamedTuple

from ranking.systems.base import Factor
from ranking.systems.shared.scores import why_score


class Duel(NamedTuple):
    score: float  # S
    chance: float  # E
    lopsided: bool
    left: bool
    k: float
    modifier: float  # of a shutout
    provisional: bool  # True for a player whose K is that of their first matches

    @property
    def change(self) -> float:
        return self.k * (self.score - self.chance) * (self.modifier if self.lopsided else 1)


def explain_duel(duel: Duel, other: Duel, floor: int | None) -> tuple[Factor, ...]:
    """The factors of one player's change; `floor`: the rating's floor if the rating has reached it, else None."""
    factors = [
        Factor("Stake (K)", duel.k, "stake", _why_stake(duel)),
        Factor("Result", duel.score, "share", _why_score(duel, other)),
        Factor("Win expectation", duel.chance, "share", "Your chance by the ratings before the match."),
    ]
    if duel.lopsided and duel.modifier != 1:
        factors.append(Factor("Shutout", duel.modifier, "times", _why_lopsided(duel, other)))
    if floor is not None:
        factors.append(Factor("Floor", floor, "floor", "Your rating is at the lowest there is."))
    return tuple(factors)


def _why_stake(duel: Duel) -> str:
    if duel.provisional:
        return "The most that one match can move a rating in a player's first matches."
    return "The most that one match can move a rating like yours."


def _why_score(duel: Duel, other: Duel) -> str:
    if other.left and not duel.left:
        return "Your opponent left early, so you win."
    return why_score(duel.score, left_early=duel.left)


def _why_lopsided(duel: Duel, other: Duel) -> str:
    if duel.left or other.left:
        return "Leaving counts as losing without a point, and a shutout moves ratings further."
    return "The loser didn't score, and a shutout moves ratings further."
