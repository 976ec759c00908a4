"""Translates ratings that were kept elsewhere into skills of a system: what a number of a file stands for.

Three ways: the numbers are the system's own, perhaps after a linear map; only their order counts; or a library kept
them, whose scale is known (libraries.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol

import numpy as np

from ranking.systems.base import Refused, S, Strength, System
from ranking.systems.libraries import Library, find_library, read_newcomer
from ranking.systems.shared.mean_and_deviation import ConservativeEstimate, GaussianSkill
from ranking.systems.shared.seeds import check_matches, seed_deviation

SPREAD = 2.0  # logits: the standard deviation of strengths that a ranking is laid over
DOUBT = 0.5  # half a newcomer's deviation
UNSAID, DISPLAY, MEAN = "", "display", "mean"  # what a rating of a file is, if its system tells these two apart
BY_RANK = "rank"  # in place of a linear map
_MOST = 10**12  # of a linear map; no scale needs more, and _EXACT has digits enough for it
_EXACT = Context(prec=60, rounding=ROUND_HALF_UP)


class ForeignRating(NamedTuple):
    """A player's numbers as a file has them; None: the file doesn't say."""

    rating: Decimal
    deviation: float | None = None
    volatility: float | None = None
    matches: int = 0


class ForeignScale(Protocol):
    """A scale on which ratings were given."""

    def skills(self, ratings: Sequence[ForeignRating], system: System[S]) -> list[Any]:
        """The skill of each player, in their order; a Refused in the place of one who can't be brought along.

        Raises Refused if the scale isn't for this system.
        """
        ...


@dataclass(frozen=True, slots=True)
class LinearScale:
    """A rating stands for factor · rating + offset, on the system's own scale. Raises Refused for factor 0, and
    beyond 10¹².

    `meaning`: that is a display rating, or the mean below which the system shows a player; UNSAID will do if the file
    has no deviations. A display rating is rounded to what the system shows.
    """

    factor: Decimal = Decimal(1)
    offset: Decimal = Decimal(0)
    meaning: str = UNSAID

    def __post_init__(self) -> None:
        if not (self.factor.is_finite() and self.offset.is_finite() and self.factor > 0):
            raise Refused("A linear map needs a factor above 0 and an offset, such as linear:0.5,1000.", "map")
        if max(self.factor, abs(self.offset)) > _MOST:
            raise Refused(f"The factor and the offset of a linear map are at most {_MOST:,}.", "map")

    def skills(self, ratings: Sequence[ForeignRating], system: System[S]) -> list[Any]:
        tells = isinstance(system, ConservativeEstimate)
        if self.meaning == MEAN and not tells:
            raise Refused(f"The scale “mean” is for trueskill and weng-lin, not for {system.key}.", "scale")
        unclear = None
        if tells and self.meaning == UNSAID:
            unclear = next((place for place, given in enumerate(ratings) if given.deviation is not None), None)

        def skill(place: int, given: ForeignRating) -> Any:
            if place == unclear:
                raise Refused(self._both_readings(given, system), "scale")
            return (self._of_mean if self.meaning == MEAN else self._of_display)(given, system)

        return _each(skill, ratings)

    def _mapped(self, rating: Decimal) -> Decimal:
        return _EXACT.add(_EXACT.multiply(self.factor, rating), self.offset)

    def _of_display(self, given: ForeignRating, system: System[S]) -> Any:
        display = _EXACT.quantize(self._mapped(given.rating), Decimal(1).scaleb(-system.decimals))
        return _seeded(given, display, system)

    def _of_mean(self, given: ForeignRating, system: System[Any]) -> Any:
        check_matches(system, given.matches)
        sigma = seed_deviation(system, system.newcomer().sigma, given.deviation)
        mean = system.read_skill({"mu": float(self._mapped(given.rating)), "sigma": sigma})
        return _with_volatility(mean, given.volatility, system)

    def _both_readings(self, given: ForeignRating, system: System[Any]) -> str:
        mean, display = self._of_mean(given, system), self._of_display(given, system)
        if not (isinstance(mean, GaussianSkill) and isinstance(display, GaussianSkill)):
            raise TypeError(f"{system.key} has another skill.")
        return (
            f"{system.key} shows mu − 3·sigma, and the file has deviations, so say what its ratings are. With the scale"
            f" “mean” {given.rating:f} is mu, and this player begins at {system.display(mean):,f}; with the scale"
            f" “display” the player begins at {system.display(display):,f}, with the mu {display.mu:,.2f}."
            " Or name the library that kept them."
        )


@dataclass(frozen=True, slots=True)
class RankScale:
    """Only the order of the ratings counts: equal ones share the middle of their places.

    The strengths of all are spread as a normal distribution about the middle of the field, with SPREAD logits. The
    order of the display ratings is never another than that of the ratings; a system that shows whole numbers, or has
    a floor, may show neighbours alike.
    """

    def skills(self, ratings: Sequence[ForeignRating], system: System[S]) -> list[Any]:
        displays = self.displays([given.rating for given in ratings], system)
        return _each(lambda place, given: _seeded(given, displays[place], system), ratings)

    def displays(self, ratings: Sequence[Decimal], system: System[S]) -> list[Decimal]:
        """The display ratings that these ratings stand for, in their order."""
        by_rating = {rating: place for place, rating in enumerate(sorted(set(ratings)))}
        counts = np.bincount([by_rating[rating] for rating in ratings], minlength=len(by_rating))
        shares = (np.cumsum(counts) - counts / 2) / max(1, len(ratings))
        levels = [SPREAD * NormalDist().inv_cdf(share) for share in shares.tolist()]
        shown = [system.display(system.skill_of(Strength(level, DOUBT))) for level in levels]
        return [shown[by_rating[rating]] for rating in ratings]


@dataclass(frozen=True, slots=True)
class LibraryScale:
    """The ratings are as a library keeps them. `newcomer`: its newcomer's rating and deviation."""

    library: Library
    newcomer: Sequence[float]

    def skills(self, ratings: Sequence[ForeignRating], system: System[S]) -> list[Any]:
        def skill(_: int, given: ForeignRating) -> Any:
            check_matches(system, given.matches)
            numbers = (float(given.rating), given.deviation, given.volatility)
            return self.library.skill(numbers, self.newcomer, system, played=given.matches > 0)

        return _each(skill, ratings)


def _seeded(given: ForeignRating, display: Decimal, system: System[S]) -> Any:
    return _with_volatility(system.seed(display, given.deviation, given.matches), given.volatility, system)


def _with_volatility(skill: Any, volatility: float | None, system: System[S]) -> Any:
    """The skill with the volatility that a file has; raises Refused if the system keeps none."""
    fields = system.write_skill(skill)
    if volatility is None:
        return skill
    if "volatility" not in fields:
        raise Refused(f"{system.key} keeps no volatility: leave it out.", "volatility")
    return system.read_skill({**fields, "volatility": volatility})


def _each(skill: Callable[[int, ForeignRating], Any], ratings: Sequence[ForeignRating]) -> list[Any]:
    """Each one's skill, or why there is none."""
    found: list[Any] = []
    for place, given in enumerate(ratings):
        try:
            found.append(skill(place, given))
        except Refused as refused:
            found.append(refused)
    return found


def choose_scale(*, library: str = "", newcomer: str = "", linear: str = "", meaning: str = UNSAID) -> ForeignScale:
    """The scale that people ask for by these words; all empty, it is the system's own. Raises Refused.

    `linear`: "linear:A,B", or BY_RANK. `newcomer`: what the library's newcomers have, such as "1200" or "1500,500".
    """
    if meaning not in (UNSAID, DISPLAY, MEAN):
        raise Refused(f"There is no scale {meaning[:40]!r}; choose display or mean.", "scale")
    if library:
        if linear or meaning:
            raise Refused("A library says what its ratings are: give no map and no scale beside it.", "library")
        found = find_library(library)
        return LibraryScale(found, read_newcomer(newcomer, found))
    if newcomer:
        raise Refused("What a newcomer has is asked of those who name a library only.", "newcomer")
    if linear == BY_RANK:
        if meaning:
            raise Refused("If only the order counts, leave the scale out.", "scale")
        return RankScale()
    return LinearScale(*_read_linear(linear), meaning)


def _read_linear(text: str) -> tuple[Decimal, Decimal]:
    """A and B of "linear:A,B"; "" changes nothing."""
    if not text:
        return Decimal(1), Decimal(0)
    kind, _, numbers = text.partition(":")
    try:
        factor, offset = (Decimal(part.strip()) for part in numbers.split(","))
    except (ArithmeticError, ValueError):
        kind = ""
    if kind != "linear":
        raise Refused(f"There is no map {text[:40]!r}; give linear:A,B, such as linear:0.5,1000.", "map")
    return factor, offset
