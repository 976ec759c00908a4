"""Turns the factors of a formula into texts for people, and into one equation with their result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ranking.systems.base import Entrant, Factor, Result, S
from ranking.systems.shared.presence import time_there
from ranking.systems.shared.rules import duration_of
from ranking.wording.translation import MINUS, gettext, number_text, percent_text, pgettext


@dataclass(frozen=True, slots=True)
class Reason:
    """One factor for people: `value` is a text; `number` and `kind` are those of `Factor`."""

    name: str
    value: str
    note: str
    kind: str
    number: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a rating moved: the factors, and their equation, such as "1.092 × 1.0187 × 1.0416 = +1.1588".

    `moved`: the equation's result, which is the change before rounding and before any floor; the equation says where a
    floor stopped it. `leaving`: what a leaver missed by it, in a sentence; empty for players who stayed.
    """

    reasons: list[Reason]
    equation: str
    moved: float
    leaving: str = ""


def explanation_of(factors: Iterable[Factor], decimals: int, leaving: str = "") -> Explanation:
    """The explanation of these factors; `decimals`: those of the display rating."""
    factors = list(factors)
    reasons = [_reason(factor, decimals) for factor in factors]
    return Explanation(reasons, equation_of(factors, decimals), moved_by(factors), leaving)


def why_chance() -> str:
    return gettext("The chance to win by the skills before the match.")


def why_skill(direction: int) -> str:
    """Why skill rose (1), fell (−1) or stayed (0)."""
    sentences = {
        1: gettext("The result was better than expected."),
        0: gettext("The result was as expected."),
        -1: gettext("The result was worse than expected."),
    }
    return sentences[direction]


def part_time(player: Entrant[S], result: Result[S], kind: str) -> tuple[Factor, ...]:
    """The share by which a part-time player counts, as one factor: of the formula ("times"), or beside it ("share")."""
    if player.share == 1:
        return ()
    duration = duration_of(result)
    time, whole = time_there(player, duration, result.rounds)
    why = gettext("A player who was there for %(time)s of %(whole)s seconds counts by that share.")
    if not duration or (player.seconds is None and player.joined_at is None):
        why = gettext("A player who was there for %(time)s of %(whole)s rounds counts by that share.")
    why %= {"time": plain_number(time, 0), "whole": plain_number(whole, 0)}
    return (Factor(pgettext("factor", "Time played"), player.share, kind, why),)


def plain_number(number: float, decimals: int = 2) -> str:
    """A number without trailing zeros: 12, 12.5, 1,200."""
    _, _, fraction = f"{number:.{decimals}f}".partition(".")
    return number_text(number, len(fraction.rstrip("0")))


def signed_number(number: float, decimals: int) -> str:
    """A change with its sign and exactly `decimals` decimals: +1.09, −0.40, ±0.00."""
    size = number_text(abs(number), decimals)
    if not round(abs(number), decimals):
        return f"±{size}"
    return f"+{size}" if number > 0 else f"{MINUS}{size}"


def _reason(factor: Factor, decimals: int) -> Reason:
    value = factor.value
    match factor.kind:
        case "amount":
            text = signed_number(value if factor.shown is None else factor.shown, max(decimals, 2))
        case "times":
            text = f"×{number_text(value, 2)}"
        case "share":
            text = percent_text(100 * value)
        case "floor":
            text = number_text(value, decimals)
        case _:
            text = plain_number(value)
    return Reason(factor.name, text, factor.note, factor.kind, value)


def moved_by(factors: Iterable[Factor]) -> float:
    """The result of the factors, from left to right: the change before rounding and before any floor."""
    total, stake, shares = 0.0, 0.0, list[float]()
    for factor in factors:
        match factor.kind:
            case "stake":
                stake = factor.value
            case "share":
                shares.append(factor.value)
                if stake and len(shares) == 2:
                    total = stake * (shares[0] - shares[1])
            case "times":
                total *= factor.value
            case "amount":
                total += factor.value
    return total


def equation_of(factors: Iterable[Factor], decimals: int = 2) -> str:
    """The factors and `moved_by` as a line of arithmetic, with up to four decimals.

    If a floor stopped the rating, the line says so: "−0.05 by the formula, stopped at 1.00". `decimals`: those of the
    display rating.
    """
    factors, parts, stake, shares = list(factors), list[str](), "", list[str]()
    floor = ""
    for factor in factors:
        text = plain_number(factor.value, 4)
        match factor.kind:
            case "stake":
                stake = text
            case "share":
                shares.append(text)
                if stake and len(shares) == 2:
                    parts.append(f"{stake} × ({shares[0]} − {shares[1]})")
            case "times":
                parts.append(f"× {text}")
            case "amount" if parts:
                parts.append(f"{'−' if factor.value < 0 else '+'} {plain_number(abs(factor.value), 4)}")
            case "amount":
                parts.append(text)
            case "floor":
                floor = number_text(factor.value, decimals)
    moved = moved_by(factors)
    if len(parts) == 1 and not stake:  # there is nothing to add up
        size = plain_number(abs(moved), 4)
        equation = f"{'±' if size == '0' else '+' if moved > 0 else MINUS}{size}"
    else:
        equation = f"{' '.join(parts)} = {signed_number(moved, 4)}"
    if not floor:
        return equation
    return gettext("%(equation)s by the formula, stopped at %(floor)s") % {"equation": equation, "floor": floor}
