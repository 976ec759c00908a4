"""A skill in typical margins, its display rating, and how the database and JSON keep it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import inf
from typing import Any, ClassVar, NamedTuple

from ranking.systems.base import Refused, Result, State, Strength
from ranking.systems.shared import fields as read
from ranking.systems.shared.display import hundredths, rounded
from ranking.systems.shared.logits import NORMAL
from ranking.systems.shared.resets import SeasonReset, less_certain, toward, toward_whole
from ranking.systems.shared.rules import unratable
from ranking.systems.shared.seeds import MOST_MATCHES, as_asked, check_seed, seed_deviation

START = 1500.0  # display rating of mean 0, were it certain
HIGHEST = 1e6  # mean or deviation that is read
PRACTISED = 15  # matches that a converted skill rests on: half of what practice brings


class MarginSkill(NamedTuple):
    """Mean and deviation in typical margins, and the matches that they rest on."""

    mu: float
    sigma: float
    matches: int


class Form(NamedTuple):
    """A player's mean and variance while a match is being rated."""

    mu: float
    variance: float


class Moved(NamedTuple):
    """A player's skill at each stage: by the margin, by the own impact, by what a win may cost, by practice."""

    by_margin: Form
    by_impact: Form
    bounded: Form
    practised: float


class ShownMargin(SeasonReset[MarginSkill]):
    """Base class of the system: display, reset, state and JSON of its skills."""

    __slots__ = ()
    key: ClassVar[str]
    decimals: ClassVar[int] = 0
    sigma: float
    beta: float
    slope: float
    points: float
    caution: float

    def display(self, skill: MarginSkill) -> Decimal:
        return rounded(START + self.points * (skill.mu - self.caution * skill.sigma), self.decimals)

    def softened(self: Any, skill: MarginSkill, factor: float) -> MarginSkill:
        start: MarginSkill = self.newcomer()
        return MarginSkill(
            toward(start.mu, skill.mu, factor),
            less_certain(start.sigma, skill.sigma, factor),
            toward_whole(start.matches, skill.matches, factor),
        )

    def seed(self: Any, display: Decimal, deviation: float | None = None, matches: int = 0) -> MarginSkill:
        highest = HIGHEST * self.points
        check_seed(self, display, matches, least=START - highest, most=START + highest)
        sigma = seed_deviation(self, self.sigma, deviation)
        mu = (float(display) - START) / self.points + self.caution * sigma
        return as_asked(self, MarginSkill(mu, sigma, matches), display)

    def strength(self, skill: MarginSkill) -> Strength:
        return Strength(NORMAL * self.slope * skill.mu / self.beta, skill.sigma / self.sigma)

    def skill_of(self, strength: Strength) -> MarginSkill:
        mu = strength.level * self.beta / (NORMAL * self.slope)
        return MarginSkill(mu, min(1.0, strength.doubt) * self.sigma, PRACTISED)

    def to_state(self, skill: MarginSkill) -> State:
        return State(hundredths(self.display(skill)), skill.mu, skill.sigma, skill_matches=skill.matches)

    def from_state(self, state: State) -> MarginSkill:
        if state.mu is None or state.sigma is None or state.skill_matches is None:
            raise Refused(f"{self.key} needs a state with mu, sigma and matches, and this one lacks some.")
        return MarginSkill(state.mu, state.sigma, int(state.skill_matches))

    def read_skill(self, fields: Mapping[str, Any]) -> MarginSkill:
        path = f"{self.key} skill"
        read.only_known(fields, MarginSkill._fields, path)
        return MarginSkill(
            mu=float(read.number(fields.get("mu"), f"{path}: mu", least=-HIGHEST, most=HIGHEST)),
            sigma=float(read.number(fields.get("sigma"), f"{path}: sigma", above=0, most=HIGHEST)),
            matches=read.integer(fields.get("matches"), f"{path}: matches", least=0, most=MOST_MATCHES),
        )

    def write_skill(self, skill: MarginSkill) -> dict[str, Any]:
        return skill._asdict()


def check_skills(key: str, result: Result[MarginSkill]) -> None:
    """Refuse skills that no formula can take."""
    for team in result.teams:
        for player in team.players:
            mu, sigma, matches = player.skill
            if not (-inf < mu < inf and 0 < sigma < inf and matches >= 0):
                raise unratable(key, player)
