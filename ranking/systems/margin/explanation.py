"""Why a player's skill moved: what was expected and what happened, and the parts of the change in display points."""

from __future__ import annotations

from math import copysign, sqrt
from typing import Any

from ranking.systems.base import Entrant, Factor, Result
from ranking.systems.margin.observation import Outcome, Side, lead_in_points, margin_of
from ranking.systems.margin.skill import MarginSkill, Moved
from ranking.systems.shared.staying import Factors

MOST_SHARE = 100.0  # per cent


def explain(system: Any, result: Result[MarginSkill], moves: list[list[Moved]]) -> tuple[tuple[Factors, ...], ...]:
    """The factors of each player; those of kind `amount` add up to the change of the display rating before rounding."""
    sides, outcome = system.entered(result)
    chances = system.win_probability([team.players for team in result.teams])
    return tuple(
        tuple(
            _factors(system, player, moved, chances[index], _shares(sides, outcome, index))
            for player, moved in zip(team.players, own, strict=True)
        )
        for index, (team, own) in enumerate(zip(result.teams, moves, strict=True))
    )


def _factors(
    system: Any, player: Entrant[Any], moved: Moved, chance: float | None, shares: tuple[float, float] | None
) -> Factors:
    before, after = player.skill, system.skill_after(player, moved)
    by_margin, by_impact = moved.by_margin.mu - before.mu, moved.by_impact.mu - moved.by_margin.mu
    kept = moved.bounded.mu - moved.by_impact.mu
    factors = []
    if chance is not None:
        factors.append(Factor("Win expectation", chance, "share", "Your team's chance by the skills before the match."))
    factors.append(Factor("Surprise", system.points * by_margin, "amount", _why(player.left_early, by_margin, shares)))
    if by_impact:
        note = f"Your {system.impact_stat} was {'better' if by_impact > 0 else 'worse'} than your skill promised."
        factors.append(Factor("Own impact", system.points * by_impact, "amount", note))
    if kept:
        note = "A win never costs." if kept > 0 else "Coming last never pays."
        factors.append(Factor("Bound", system.points * kept, "amount", note))
    if moved.practised:
        note = "Everybody gets better by playing, less with each match."
        factors.append(Factor("Practice", system.points * moved.practised, "amount", note))
    surer = system.points * system.caution * (before.sigma - after.sigma)
    factors.append(Factor("Certainty", surer, "amount", _why_certainty(surer)))
    return tuple(factors)


def _why(left_early: bool, change: float, shares: tuple[float, float] | None) -> str:
    if left_early:
        return "You left early, which counts as coming last, whatever the result."
    if shares is None:
        if change == 0:
            return "The result was what your team's skill promised."
        return f"The result was {'better' if change > 0 else 'worse'} than your team's skill promised."
    expected, reached = shares
    return f"Your team was expected to {_by(expected, past=False)} and {_by(reached, past=True)}."


def _by(share: float, *, past: bool) -> str:
    """A share of the points played, in words."""
    if round(abs(share)) == 0:
        return "drew" if past else "draw"
    verb = ("won" if past else "win") if share > 0 else ("lost" if past else "lose")
    return f"{verb} by {abs(share):.0f} %"


def _why_certainty(surer: float) -> str:
    if surer > 0:
        return "We know you better now, and the rating shows what is nearly certain."
    return "This match made your skill no more certain." if surer == 0 else "Time passed, and skill may have changed."


def _shares(sides: list[Side], outcome: Outcome, index: int) -> tuple[float, float] | None:
    """Expected and reached lead of a team, in per cent of the points played; None if there is nothing to compare."""
    if outcome.scores is None or len(sides) != 2:
        return None
    other = 1 - index
    score, conceded = outcome.scores[index], outcome.scores[other]
    points = abs(score) + abs(conceded)
    sign = (outcome.places[other] > outcome.places[index]) - (outcome.places[other] < outcome.places[index])
    if not points or margin_of(score, conceded) * sign < 0 or (sign and score == conceded):
        return None
    d, f = sides[index].mean - sides[other].mean, sqrt((sides[0].size + sides[1].size) / 2)
    expected = MOST_SHARE * lead_in_points(d, f, outcome.squash, outcome.typical) / sqrt(points)
    return _bounded(expected), _bounded(MOST_SHARE * (score - conceded) / points)


def _bounded(share: float) -> float:
    return copysign(min(abs(share), MOST_SHARE), share)
