"""Translates ratings of a foreign scale into display ratings of a system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from statistics import NormalDist
from typing import Any, Protocol

import numpy as np

from ranking.systems.base import Refused, Strength, System

SPREAD = 2.0  # logits: the standard deviation of strengths that a ranking is laid over
DOUBT = 0.5  # half a newcomer's deviation
_EXACT = Context(prec=60, rounding=ROUND_HALF_UP)


class ForeignScale(Protocol):
    """A scale on which ratings were given."""

    def displays(self, ratings: Sequence[Decimal], system: System[Any]) -> list[Decimal]:
        """The display ratings that these ratings stand for, in their order; raises Refused."""
        ...


@dataclass(frozen=True, slots=True)
class OwnScale:
    """The ratings are display ratings of the system already."""

    def displays(self, ratings: Sequence[Decimal], system: System[Any]) -> list[Decimal]:
        return list(ratings)


@dataclass(frozen=True, slots=True)
class LinearScale:
    """A rating stands for factor · rating + offset, rounded to what the system shows. Raises Refused for factor 0."""

    factor: Decimal
    offset: Decimal

    def __post_init__(self) -> None:
        if not (self.factor.is_finite() and self.offset.is_finite() and self.factor > 0):
            raise Refused("A linear map needs a factor above 0 and an offset, such as linear:0.5,1000.")

    def displays(self, ratings: Sequence[Decimal], system: System[Any]) -> list[Decimal]:
        step = Decimal(1).scaleb(-system.decimals)
        return [
            _EXACT.quantize(_EXACT.add(_EXACT.multiply(self.factor, rating), self.offset), step) for rating in ratings
        ]


@dataclass(frozen=True, slots=True)
class RankScale:
    """Only the order of the ratings counts: equal ones share the middle of their places.

    The strengths of all are spread as a normal distribution about the middle of the field, with SPREAD logits. The
    order of the display ratings is never another than that of the ratings; a system that shows whole numbers, or has
    a floor, may show neighbours alike.
    """

    def displays(self, ratings: Sequence[Decimal], system: System[Any]) -> list[Decimal]:
        by_rating = {rating: place for place, rating in enumerate(sorted(set(ratings)))}
        counts = np.bincount([by_rating[rating] for rating in ratings], minlength=len(by_rating))
        shares = (np.cumsum(counts) - counts / 2) / max(1, len(ratings))
        levels = [SPREAD * NormalDist().inv_cdf(share) for share in shares.tolist()]
        shown = [system.display(system.skill_of(Strength(level, DOUBT))) for level in levels]
        return [shown[by_rating[rating]] for rating in ratings]


def read_scale(text: str) -> ForeignScale:
    """The scale that "linear:A,B" names; "" is the system's own. Raises Refused."""
    if not text:
        return OwnScale()
    kind, _, numbers = text.partition(":")
    parts = numbers.split(",")
    try:
        factor, offset = (Decimal(part.strip()) for part in parts)
    except (ArithmeticError, ValueError) as error:
        raise Refused(f"There is no map {text[:40]!r}; give linear:A,B, such as linear:0.5,1000.") from error
    if kind != "linear":
        raise Refused(f"There is no map {text[:40]!r}; give linear:A,B, such as linear:0.5,1000.")
    return LinearScale(factor, offset)
