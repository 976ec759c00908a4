"""Explains a change of battle points: a duel as one player sees it, and the factors of the formula.

Stake × (result − expectation) × the shutout's modifier is the change before rounding and before the floor. The floor
stops a fall; it lifts a rating that was below it, unless its player left.
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


def explain_duel(duel: Duel, other: Duel, *, rating: int, floor: int, lowest: int, after: int) -> tuple[Factor, ...]:
    """The factors of one player's change from `rating`.

    `after`: the rating by the formula; `lowest`: the least that the rules let the player have after the match.
    """
    factors = [
        Factor("Stake (K)", duel.k, "stake", _why_stake(duel)),
        Factor("Result", duel.score, "share", _why_score(duel, other)),
        Factor("Win expectation", duel.chance, "share", "Your chance by the ratings before the match."),
    ]
    if duel.lopsided and duel.modifier != 1:
        factors.append(Factor("Shutout", duel.modifier, "times", _why_lopsided(duel, other)))
    if after < lowest <= rating:
        why = f"No rating falls below {floor:,}."
        if lowest < floor:
            why = f"Your rating is below the floor of {floor:,} already, and falls no further."
        factors.append(Factor("Floor", lowest, "floor", why))
    elif after < lowest:
        factors.append(Factor("Floor", lowest - after, "amount", f"A rating below {floor:,} is lifted to it."))
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
