"""Skills with a mean and a deviation, shown as the conservative estimate mu − 3·sigma.

TrueSkill and Weng–Lin share it. The player's skill is almost certainly above the display rating.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import inf
from typing import Any, ClassVar, NamedTuple

from ranking.systems.base import Entrant, Factor, Refused, Result, State, Strength
from ranking.systems.shared import fields as read
from ranking.systems.shared.display import hundredths, rounded
from ranking.systems.shared.explanations import why_chance, why_skill
from ranking.systems.shared.formulas import DEVIATIONS, winners_deviation
from ranking.systems.shared.logits import NORMAL
from ranking.systems.shared.maths import FLOATS
from ranking.systems.shared.resets import SeasonReset, less_certain, toward
from ranking.systems.shared.rules import Places, Skills, effective_places, unratable
from ranking.systems.shared.seeds import as_asked, check_seed, seed_deviation
from ranking.wording.translation import gettext, pgettext

HIGHEST = 1e12  # mean or deviation that is read; hundredths of it are still exact floats


class GaussianSkill(NamedTuple):
    """A mean and a deviation. It is a tuple because building frozen dataclasses would double the time of rating."""

    mu: float
    sigma: float


class ConservativeEstimate(SeasonReset[GaussianSkill]):
    """Base class of systems whose display rating is mu − 3·sigma: display, reset, state and JSON of their skills."""

    __slots__ = ()
    key: ClassVar[str]
    decimals: ClassVar[int] = 2
    beta: float

    def display(self, skill: GaussianSkill) -> Decimal:
        return rounded(shown(skill), self.decimals)

    def softened(self: Any, skill: GaussianSkill, factor: float) -> GaussianSkill:
        start: GaussianSkill = self.newcomer()
        return GaussianSkill(toward(start.mu, skill.mu, factor), less_certain(start.sigma, skill.sigma, factor))

    def seed(self: Any, display: Decimal, deviation: float | None = None, matches: int = 0) -> GaussianSkill:
        check_seed(self, display, matches, least=-HIGHEST, most=HIGHEST)
        sigma = seed_deviation(self, self.newcomer().sigma, deviation)
        return as_asked(self, GaussianSkill(float(display) + DEVIATIONS * sigma, sigma), display)

    def strength(self: Any, skill: GaussianSkill) -> Strength:
        start: GaussianSkill = self.newcomer()
        return Strength(NORMAL * (skill.mu - start.mu) / self.beta, skill.sigma / start.sigma)

    def skill_of(self: Any, strength: Strength) -> GaussianSkill:
        start: GaussianSkill = self.newcomer()
        return GaussianSkill(start.mu + strength.level * self.beta / NORMAL, strength.doubt * start.sigma)

    def to_state(self, skill: GaussianSkill) -> State:
        return State(display_hundredths=hundredths(self.display(skill)), mu=skill.mu, sigma=skill.sigma)

    def from_state(self, state: State) -> GaussianSkill:
        if state.mu is None or state.sigma is None:
            raise Refused(f"{self.key} needs a state with mu and sigma, and this one has not both.")
        return GaussianSkill(state.mu, state.sigma)

    def read_skill(self, fields: Mapping[str, Any]) -> GaussianSkill:
        path = f"{self.key} skill"
        read.only_known(fields, ("mu", "sigma"), path)
        return GaussianSkill(
            mu=float(read.number(fields.get("mu"), f"{path}: mu", least=-HIGHEST, most=HIGHEST)),
            sigma=float(read.number(fields.get("sigma"), f"{path}: sigma", above=0, most=HIGHEST)),
        )

    def write_skill(self, skill: GaussianSkill) -> dict[str, Any]:
        return {"mu": skill.mu, "sigma": skill.sigma}


def shown(skill: GaussianSkill) -> float:
    """The display rating, not rounded."""
    return skill.mu - DEVIATIONS * skill.sigma


def check_skills(key: str, result: Result[GaussianSkill]) -> None:
    """Refuse means and deviations that no formula can take."""
    for team in result.teams:
        for player in team.players:
            mu, sigma = player.skill
            if not (-inf < mu < inf and 0 < sigma < inf):
                raise unratable(key, player)


def no_surer(result: Result[GaussianSkill], rated: Skills[GaussianSkill]) -> Skills[GaussianSkill]:
    """Leavers keep at least their old sigma, because a smaller one would raise their display rating."""
    if not any(player.left_early for team in result.teams for player in team.players):
        return rated
    return tuple(
        tuple(
            GaussianSkill(new.mu, max(new.sigma, player.skill.sigma)) if player.left_early else new
            for player, new in zip(team.players, skills, strict=True)
        )
        for team, skills in zip(result.teams, rated, strict=True)
    )


def no_cost(result: Result[GaussianSkill], places: Places, rated: Skills[GaussianSkill]) -> Skills[GaussianSkill]:
    """Players who stayed and came first alone are surer than the formula has it, if their display rating would fall."""
    effective = effective_places(result, places)
    first = min(effective)
    if effective.count(first) > 1:
        return rated
    index = effective.index(first)
    players = zip(result.teams[index].players, rated[index], strict=True)
    winners = tuple([new if player.left_early else _no_lower(player.skill, new) for player, new in players])
    return (*rated[:index], winners, *rated[index + 1 :])


def _no_lower(before: GaussianSkill, after: GaussianSkill) -> GaussianSkill:
    return GaussianSkill(after.mu, winners_deviation(*before, *after, FLOATS))


def explain_change(player: Entrant[GaussianSkill], after: GaussianSkill, chance: float | None) -> tuple[Factor, ...]:
    """A player's factors; those of kind `amount` add up to the change of the display rating before rounding."""
    before, factors = player.skill, []
    if chance is not None:
        factors.append(Factor(pgettext("factor", "Win expectation"), chance, "share", why_chance()))
    moved, surer = after.mu - before.mu, DEVIATIONS * (before.sigma - after.sigma)
    read = _as_read(before, after)
    factors.append(Factor(pgettext("factor", "Skill"), moved, "amount", _why_skill(player.left_early, moved)))
    why = _why_certainty(player.left_early, surer if read is None else read)
    factors.append(Factor(pgettext("factor", "Certainty"), surer, "amount", why, read))
    return tuple(factors)


def _as_read(before: GaussianSkill, after: GaussianSkill) -> float | None:
    """What certainty took, as people read it, if its share and that of skill, rounded, don't add up to a fall.

    A rating that falls by a hundredth might otherwise read as ±0.00 and ±0.00.
    """
    if after.sigma <= before.sigma:
        return None
    decimals = ConservativeEstimate.decimals
    fall = rounded(shown(after), decimals) - rounded(shown(before), decimals)
    rest = fall - rounded(after.mu - before.mu, decimals)
    return float(rest) if fall < 0 and rest < 0 else None


def _why_skill(left_early: bool, change: float) -> str:
    if left_early:
        return gettext("Leaving early counts as coming last, whatever the result.")
    return why_skill(0 if _looks_nothing(change) else (change > 0) - (change < 0))


def _why_certainty(left_early: bool, surer: float) -> str:
    if _looks_nothing(surer):
        if left_early:
            return gettext("Leaving early doesn’t make a skill more certain.")
        return gettext("This match made the skill neither more nor less certain.")
    if surer > 0:
        return gettext("This match made the skill more certain, so less of it is held back from the rating.")
    return gettext("Skill may change between matches, and this match didn’t make up for that.")


def _looks_nothing(change: float) -> bool:
    """True if a change reads ±0.00."""
    return round(abs(change), ConservativeEstimate.decimals) == 0
