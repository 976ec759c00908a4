"""Why a player's skill moved: what was expected and what happened, and the parts of the change in display points."""

from __future__ import annotations

from math import copysign, sqrt
from typing import Any

from ranking.systems.base import Entrant, Factor, Result
from ranking.systems.margin import formulas
from ranking.systems.margin.observation import Outcome, Side, lead_in_points
from ranking.systems.margin.skill import MarginSkill, Moved
from ranking.systems.shared.explanations import part_time, why_chance, why_skill
from ranking.systems.shared.formulas import outcome_of
from ranking.systems.shared.maths import FLOATS
from ranking.systems.shared.staying import Factors
from ranking.wording.translation import gettext, percent_text, pgettext

MOST_SHARE = 100.0  # per cent


def explain(system: Any, result: Result[MarginSkill], moves: list[list[Moved]]) -> tuple[tuple[Factors, ...], ...]:
    """The factors of each player; those of kind `amount` add up to the change of the display rating before rounding."""
    sides, outcome = system.entered(result)
    tells = outcome.tells or [1.0] * len(sides)
    chances = system.win_probability([team.players for team in result.teams])
    return tuple(
        tuple(
            (
                *_factors(system, player, moved, chances[index], _shares(sides, outcome, index)),
                *(_by_luck(tells[index]) if tells[index] < 1 and not player.left_early else ()),
                *part_time(player, result, "share"),
            )
            for player, moved in zip(team.players, own, strict=True)
        )
        for index, (team, own) in enumerate(zip(result.teams, moves, strict=True))
    )


def _factors(
    system: Any,
    player: Entrant[MarginSkill],
    moved: Moved,
    chance: float | None,
    shares: tuple[float, float] | None,
) -> Factors:
    before, after = player.skill, system.skill_after(player, moved)
    by_margin, by_impact = moved.by_margin.mu - before.mu, moved.by_impact.mu - moved.by_margin.mu
    kept = moved.bounded.mu - moved.by_impact.mu
    factors = []
    if chance is not None:
        factors.append(Factor(pgettext("factor", "Win expectation"), chance, "share", why_chance()))
    note = _why(player.left_early, by_margin, shares)
    factors.append(Factor(pgettext("factor", "Surprise"), system.points * by_margin, "amount", note))
    if by_impact:
        note = gettext("The statistic “%(stat)s” was worse than expected.")
        if by_impact > 0:
            note = gettext("The statistic “%(stat)s” was better than expected.")
        note %= {"stat": system.impact_stat}
        factors.append(Factor(pgettext("factor", "Own impact"), system.points * by_impact, "amount", note))
    if kept:
        note = gettext("A win never costs rating.") if kept > 0 else gettext("Coming last never earns rating.")
        factors.append(Factor(pgettext("factor", "Bound"), system.points * kept, "amount", note))
    if moved.practised:
        note = gettext("Everybody but those who come last improves by playing, less with each match.")
        if system.practice_in_defeat:
            note = gettext("Everybody improves by playing, less with each match.")
        factors.append(Factor(pgettext("factor", "Practice"), system.points * moved.practised, "amount", note))
    surer = system.points * system.caution * (before.sigma - after.sigma)
    factors.append(Factor(pgettext("factor", "Certainty"), surer, "amount", _why_certainty(surer)))
    return tuple(factors)


def _by_luck(tells: float) -> Factors:
    note = gettext("The last place counts by this share. In this mode it is often bad luck, and luck is no skill.")
    return (Factor(pgettext("factor", "Last place"), tells, "share", note),)


def _why(left_early: bool, change: float, shares: tuple[float, float] | None) -> str:
    if left_early:
        return gettext("Leaving early counts as coming last, whatever the result.")
    if shares is not None:
        return _why_by_margin(*shares)
    return why_skill((change > 0) - (change < 0))


def _why_by_margin(expected: float, reached: float) -> str:
    """Expected and reached lead, as shares of the points played."""
    sentences = {
        (1, 1): gettext("A win by %(expected)s of the points was expected; the result was a win by %(reached)s."),
        (1, 0): gettext("A win by %(expected)s of the points was expected; the result was a draw."),
        (1, -1): gettext("A win by %(expected)s of the points was expected; the result was a loss by %(reached)s."),
        (0, 1): gettext("A draw was expected; the result was a win by %(reached)s of the points."),
        (0, 0): gettext("A draw was expected, and the result was a draw."),
        (0, -1): gettext("A draw was expected; the result was a loss by %(reached)s of the points."),
        (-1, 1): gettext("A loss by %(expected)s of the points was expected; the result was a win by %(reached)s."),
        (-1, 0): gettext("A loss by %(expected)s of the points was expected; the result was a draw."),
        (-1, -1): gettext("A loss by %(expected)s of the points was expected; the result was a loss by %(reached)s."),
    }
    shares = {"expected": percent_text(abs(expected)), "reached": percent_text(abs(reached))}
    return sentences[_sign(expected), _sign(reached)] % shares


def _sign(share: float) -> int:
    """1 for a win, −1 for a loss, 0 for what reads 0 %."""
    return (round(share) > 0) - (round(share) < 0)


def _why_certainty(surer: float) -> str:
    if surer > 0:
        return gettext("This match made the skill more certain, so less of it is held back from the rating.")
    if surer == 0:
        return gettext("This match said nothing new about the skill.")
    return gettext("Time has passed, and the skill may have changed.")


def _shares(sides: list[Side], outcome: Outcome, index: int) -> tuple[float, float] | None:
    """Expected and reached lead of a team, in per cent of the points played; None if there is nothing to compare."""
    if outcome.scores is None or len(sides) != 2:
        return None
    other = 1 - index
    score, conceded = outcome.scores[index], outcome.scores[other]
    points = abs(score) + abs(conceded)
    sign = outcome_of(outcome.places[index], outcome.places[other])
    if not points or formulas.margin_of(score, conceded, FLOATS) * sign < 0 or (sign and score == conceded):
        return None
    d, f = sides[index].mean - sides[other].mean, formulas.pair_size(sides[0].size, sides[1].size, FLOATS)
    expected = MOST_SHARE * lead_in_points(d, f, outcome.squash, outcome.typical) / sqrt(points)
    return _bounded(expected), _bounded(MOST_SHARE * (score - conceded) / points)


def _bounded(share: float) -> float:
    return copysign(min(abs(share), MOST_SHARE), share)
