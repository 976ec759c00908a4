"""The formulas of battle points (see system.py for their source), for a match by floats and for a history by arrays.

Nothing is rounded here: a match rounds half up, and so does a replay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ranking.systems.battle_points._brackets import Bracket
from ranking.systems.shared.maths import Maths, Numbers

SCALE = 400  # points that make the odds ten times as high
LARGEST_POWER = 300.0  # of ten: 1 is nothing beside it, and larger ones would overflow


def chance(rating: Numbers, other: Numbers, m: Maths) -> Numbers:
    """E = 1/(1 + 10^((opponent − own)/400))."""
    return 1 / (1 + 10.0 ** m.minimum((other - rating) / SCALE, LARGEST_POWER))


def bracket_index(rating: Numbers, brackets: Sequence[Bracket]) -> Any:
    """The index of a rating's bracket: so many brackets end below it."""
    return sum([rating > bracket.up_to for bracket in brackets[:-1]])


def stake(matches: Numbers, k: Numbers, provisional: int, provisional_k: float, m: Maths) -> Numbers:
    """K after so many rated matches: that of the bracket, or of a player's first matches."""
    return m.where(matches < provisional, provisional_k, k)


def with_leavers(outcome: Numbers, left: Any, other_left: Any, m: Maths) -> Numbers:
    """The outcome if somebody left: who leaves has lost, and the opponent of a leaver has won."""
    return m.where(left, -1.0, m.where(other_left, 1.0, outcome))


def is_shutout(outcome: Numbers, score: Numbers, other: Numbers) -> Any:
    """True if the winner by place scored something, and the loser nothing; a score that isn't known is NaN."""
    won, lost = (outcome > 0) & (score > 0) & (other <= 0), (outcome < 0) & (other > 0) & (score <= 0)
    return won | lost


def change(k: Numbers, score: Numbers, chance: Numbers, modifier: Numbers) -> Numbers:
    """K·(S − E)·modifier; the modifier is 1 but for a shutout."""
    return k * (score - chance) * modifier


def lowest(rating: Numbers, floor: int, left: Any, m: Maths) -> Numbers:
    """The least rating after the match: the floor; a leaver who was below it isn't lifted."""
    return m.where(left, m.minimum(rating, floor), floor)


def after(rating: Numbers, change: Numbers, lowest: Numbers, m: Maths) -> Numbers:
    """R' = max(lowest, R + change)."""
    return m.maximum(rating + change, lowest)
