"""Explains a change of battle points: a duel as one player sees it, and the factors of the formula.

Stake × (result − expectation) × the shutout's modifier is the change before rounding and before the floor. The floor
stops a fall; it lifts a rating that was below it, unless its player left.
"""

from __future__ import annotations

from typing import NamedTuple

from ranking.systems.base import Factor
from ranking.systems.battle_points import formulas
from ranking.systems.shared.scores import why_score
from ranking.wording.translation import gettext, number_text, pgettext


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
        change: float = formulas.change(self.k, self.score, self.chance, self.modifier if self.lopsided else 1)
        return change


def explain_duel(duel: Duel, other: Duel, *, rating: int, floor: int, lowest: int, after: int) -> tuple[Factor, ...]:
    """The factors of one player's change from `rating`.

    `after`: the rating by the formula; `lowest`: the least that the rules let the player have after the match.
    """
    factors = [
        Factor(pgettext("factor", "Stake (K)"), duel.k, "stake", _why_stake(duel)),
        Factor(pgettext("factor", "Result"), duel.score, "share", _why_score(duel, other)),
        Factor(
            pgettext("factor", "Win expectation"),
            duel.chance,
            "share",
            gettext("The chance to win by the ratings before the match."),
        ),
    ]
    if duel.lopsided and duel.modifier != 1:
        factors.append(Factor(pgettext("factor", "Shutout"), duel.modifier, "times", _why_lopsided(duel, other)))
    name, bound = pgettext("factor", "Floor"), {"floor": number_text(floor)}
    if after < lowest <= rating:
        why = gettext("No rating falls below %(floor)s.")
        if lowest < floor:
            why = gettext("A rating below the floor of %(floor)s falls no further.")
        factors.append(Factor(name, lowest, "floor", why % bound))
    elif after < lowest:
        why = gettext("A rating below %(floor)s is lifted to it.")
        factors.append(Factor(name, lowest - after, "amount", why % bound))
    return tuple(factors)


def _why_stake(duel: Duel) -> str:
    if duel.provisional:
        return gettext("The most that one match can move a rating in a player’s first matches.")
    return gettext("The most that one match can move a rating in this range.")


def _why_score(duel: Duel, other: Duel) -> str:
    if other.left and not duel.left:
        return gettext("The opponent left early, which counts as a win.")
    return why_score(duel.score, left_early=duel.left)


def _why_lopsided(duel: Duel, other: Duel) -> str:
    if duel.left or other.left:
        return gettext("Leaving counts as losing without a point, and a shutout moves ratings further.")
    return gettext("The loser didn’t score, and a shutout moves ratings further.")
