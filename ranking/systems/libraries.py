"""How libraries keep ratings, and what their numbers are in a system of this site.

A library's numbers are read as a skill of the system whose scale they share, and converted from there (conversion.py):
a newcomer there is a newcomer here, and the others keep their chances. tests/ranking/systems/test_real_libraries.py
runs the packages themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ranking.systems.base import Refused, S, System
from ranking.systems.conversion import equally_strong
from ranking.systems.elo.system import Elo
from ranking.systems.glicko2.system import Glicko2
from ranking.systems.shared.logits import NORMAL, POINTS_PER_LOGIT
from ranking.systems.shared.mean_and_deviation import ConservativeEstimate
from ranking.systems.trueskill.system import TrueSkill

NEARLY = 1e-3  # of a newcomer's deviation: a newcomer whose numbers a file rounds by less is one
GAUSSIAN, LOGISTIC, GLICKO = "gaussian", "logistic", "glicko"
# By kind of scale: the system that reads it, for what a newcomer has there.
_READERS: Mapping[str, Callable[[Sequence[float]], System[Any]]] = {
    GAUSSIAN: lambda newcomer: TrueSkill(mu=newcomer[0], sigma=newcomer[1], beta=newcomer[1] / 2),
    LOGISTIC: lambda newcomer: Elo(start=newcomer[0], beta=NORMAL * POINTS_PER_LOGIT),
    GLICKO: lambda newcomer: Glicko2(),
}


@dataclass(frozen=True, slots=True)
class Library:
    """How a library keeps a player. `fields`: its words for the rating, the deviation and the volatility that it keeps.

    `newcomer`: what its newcomers have: the rating, and for GAUSSIAN the deviation; empty if each studio chooses it.
    `source`: where this is from. `note`: a sentence for those who come from it.
    """

    name: str
    kind: str
    fields: tuple[str, ...]
    newcomer: tuple[float, ...]
    source: str
    note: str = ""

    def skill(
        self, numbers: Sequence[float | None], newcomer: Sequence[float], system: System[S], *, played: bool
    ) -> Any:
        """The system's skill for these numbers: rating, deviation and volatility, as far as they are known.

        `newcomer`: what a newcomer has there. `played`: they rest on matches. Raises Refused.
        """
        self._check(numbers)
        old = _READERS[self.kind](newcomer)
        start: dict[str, float] = old.write_skill(old.newcomer())
        rating, *others = start
        given = {name: value for name, value in zip(start, numbers, strict=False) if value is not None}
        given[rating] += start[rating] - newcomer[0]
        for deviation in others[:1]:  # libraries let it grow beyond a newcomer's
            given[deviation] = min(given[deviation], start[deviation])
        if _is_newcomer([*given.values()], [*start.values()], played=played):
            return system.newcomer()
        skill = old.read_skill({**start, **given})
        return skill if _shares_scale(old, system) else equally_strong(skill, old, system)

    def _check(self, numbers: Sequence[float | None]) -> None:
        """Refuse numbers that the library doesn't keep, and those without the deviation that it keeps."""
        keeps = f"{self.name} keeps {', '.join(self.fields)}"
        for place, what in ((1, "deviation"), (2, "volatility")):
            if numbers[place] is not None and place >= len(self.fields):
                raise Refused(f"{keeps}, and no {what}: leave it out.", what)
        if len(self.fields) == 1:
            return
        deviation, word = numbers[1], self.fields[1]
        if deviation is None:
            raise Refused(f"{keeps}, and this line has no {word}.", "deviation")
        if not 0 < deviation < math.inf:
            raise Refused(f"{word} is above 0, not {deviation:g}.", "deviation")


def _is_newcomer(given: Sequence[float], start: Sequence[float], *, played: bool) -> bool:
    """True for a newcomer's numbers; without a deviation, only for one who hasn't played."""
    if len(start) == 1:
        return given[0] == start[0] and not played
    near = NEARLY * start[1]
    return all(abs(value - newcomers) <= near for value, newcomers in zip(given[:2], start, strict=False))


def _shares_scale(old: System[S], new: System[S]) -> bool:
    """True if a skill of one is the same skill of the other."""
    if isinstance(old, ConservativeEstimate) and isinstance(new, ConservativeEstimate):
        return old.newcomer() == new.newcomer() and old.beta == new.beta
    return isinstance(old, Glicko2) and isinstance(new, Glicko2)


MU_SIGMA, START = ("mu", "sigma"), (25.0, 25 / 3)
NEVER_SURE = (
    "npm’s trueskill adds to sigma itself before each match, so its players never get sure: in duels sigma stays above"
    " 2.1, where TrueSkill’s falls to 0.8. They come as unsure as that, and get surer here."
)
FLATTER = (
    "skillratings’ expected_score is a logistic curve, flatter than the normal one of this site: for the same ratings,"
    " favourites have higher chances here."
)

LIBRARIES: dict[str, Library] = {
    library.name: library
    for library in (
        Library("openskill", GAUSSIAN, MU_SIGMA, START, "openskill 6.2.0 (PyPI), PlackettLuceRating"),
        Library("npm-openskill", GAUSSIAN, MU_SIGMA, START, "openskill 5.0.1 (npm), rating()"),
        Library("trueskill", GAUSSIAN, MU_SIGMA, START, "trueskill 0.4.5 (PyPI), Rating"),
        Library("ts-trueskill", GAUSSIAN, MU_SIGMA, START, "ts-trueskill 5.1.0 (npm), Rating"),
        Library("npm-trueskill", GAUSSIAN, ("skill[0]", "skill[1]"), START, "trueskill 0.0.2 (npm)", NEVER_SURE),
        Library("glicko2", GLICKO, ("rating", "rd", "vol"), (1500.0,), "glicko2 2.1.0 (PyPI), Player"),
        Library("npm-glicko2", GLICKO, ("rating", "rd", "vol"), (1500.0,), "glicko2 1.2.2 (npm), getRating()"),
        Library("elo", LOGISTIC, ("rating",), (), "arpad 2.0.0 (npm), 400 points make the odds ten times as high"),
        Library(
            "skillratings-weng-lin", GAUSSIAN, ("rating", "uncertainty"), START,
            "skillratings 0.28.2 (Rust), WengLinRating", FLATTER,
        ),
        Library(
            "skillratings-trueskill", GAUSSIAN, ("rating", "uncertainty"), START,
            "skillratings 0.28.2 (Rust), TrueSkillRating",
        ),
        Library(
            "skillratings-glicko2", GLICKO, ("rating", "deviation", "volatility"), (1500.0,),
            "skillratings 0.28.2 (Rust), Glicko2Rating",
        ),
        Library(
            "skillratings-elo", LOGISTIC, ("rating",), (1000.0,),
            "skillratings 0.28.2 (Rust), EloRating",
        ),
    )
}  # fmt: skip


def find_library(name: str) -> Library:
    """The library of this name; raises Refused listing the names there are."""
    if name not in LIBRARIES:
        raise Refused(f"There is no library {name[:40]!r}; choose one of {', '.join(LIBRARIES)}.", "library")
    return LIBRARIES[name]


def read_newcomer(text: str, library: Library) -> tuple[float, ...]:
    """What the library's newcomers have by this text, such as "1200" or "1500,500"; "": its default. Raises Refused."""
    count = 2 if library.kind == GAUSSIAN else 1
    like = "1500,500" if count == 2 else "1200"
    if not text:
        if library.newcomer:
            return library.newcomer
        raise Refused(
            f"Newcomers of an Elo ladder begin at 400, 1000, 1200 or 1500: give yours as newcomer, such as {like}.",
            "newcomer",
        )
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    fine = len(numbers) == count and all(abs(number) <= 1e6 for number in numbers)
    if not fine or (count == 2 and numbers[1] <= 0):
        what = "the rating and the deviation" if count == 2 else "the rating"
        raise Refused(f"A newcomer of {library.name} is {what}, such as {like}, not {text[:40]!r}.", "newcomer")
    return numbers
