"""Glicko-2: a rating with its deviation (how uncertain it is) and its volatility (how much it tends to change).

Source: Mark Glickman, "Example of the Glicko-2 system" (2012), steps 2 to 8, and step 6 alone for a period without
matches. Here each match is a period of its own; before it, max(0, floor(idle_days / period_days) − 1) empty periods
pass. The arithmetic is in formulas.py.

Departures from the source: the deviation is at most 350, before and after a match; each player's deviation grows by
their own empty periods. Chances are 1/(1 + exp(−g(√(φ1² + φ2²))·(μ1 − μ2))).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf
from typing import Any, ClassVar, NamedTuple

from ranking.systems.base import Entrant, Factor, Refused, Result, State, Strength
from ranking.systems.glicko2 import formulas
from ranking.systems.glicko2._volatility import new_volatility
from ranking.systems.glicko2.formulas import SCALE, START, WIDEST, Form, Update
from ranking.systems.shared import fields as read
from ranking.systems.shared.display import hundredths, rounded
from ranking.systems.shared.fit_scales import FitScale, Searched, Tried
from ranking.systems.shared.formulas import outcome_of, score_of
from ranking.systems.shared.maths import FLOATS
from ranking.systems.shared.params import param, read_params
from ranking.systems.shared.resets import SeasonReset, less_certain, toward, toward_volatility
from ranking.systems.shared.rules import Skills, check_result, effective_places, rate_with_leavers, unratable
from ranking.systems.shared.scores import why_score
from ranking.systems.shared.seeds import check_seed, seed_deviation
from ranking.systems.shared.staying import StayingRule
from ranking.wording.translation import gettext, pgettext

START_VOLATILITY = 0.06
HIGHEST = 1e6  # rating that is read
MOST_VOLATILE = 10.0
LEAST = 1e-9  # deviation or volatility that is read: its square must not vanish


class Glicko2Skill(NamedTuple):
    rating: float
    deviation: float
    volatility: float


@dataclass(frozen=True, slots=True)
class Glicko2(SeasonReset[Glicko2Skill], StayingRule[Glicko2Skill]):
    key: ClassVar[str] = "glicko-2"
    title: ClassVar[str] = "Glicko-2"
    decimals: ClassVar[int] = 0
    team_counts: ClassVar[tuple[int, int | None]] = (2, 2)
    max_team_size: ClassVar[int | None] = 1
    counts_idle_days: ClassVar[bool] = True
    counts_stats: ClassVar[bool] = False
    fits: ClassVar[Mapping[str, FitScale]] = {"tau": Searched(1.0), "period_days": Tried((1.0, 7.0, 30.0, None))}

    tau: float = param(0.5, "How fast volatility may change: 0.3 to 1.2.", least=0.001, most=10)
    period_days: float | None = param(
        1.0,
        "Days without a match after which a rating becomes less certain; null: time makes no rating less certain.",
        least=0.001,
        most=1e6,
        nullable=True,
    )

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Glicko2:
        return cls(**read_params(cls, params))

    def newcomer(self) -> Glicko2Skill:
        return Glicko2Skill(START, WIDEST, START_VOLATILITY)

    def softened(self, skill: Glicko2Skill, factor: float) -> Glicko2Skill:
        return Glicko2Skill(
            toward(START, skill.rating, factor),
            less_certain(WIDEST, skill.deviation, factor),
            toward_volatility(START_VOLATILITY, skill.volatility, factor),
        )

    def seed(self, display: Decimal, deviation: float | None = None, matches: int = 0) -> Glicko2Skill:
        check_seed(self, display, matches, least=-HIGHEST, most=HIGHEST)
        return Glicko2Skill(float(display), seed_deviation(self, WIDEST, deviation, least=LEAST), START_VOLATILITY)

    def strength(self, skill: Glicko2Skill) -> Strength:
        return Strength((skill.rating - START) / SCALE, skill.deviation / WIDEST)

    def skill_of(self, strength: Strength) -> Glicko2Skill:
        return Glicko2Skill(START + strength.level * SCALE, min(1.0, strength.doubt) * WIDEST, START_VOLATILITY)

    def rate_reported(self, result: Result[Glicko2Skill]) -> Skills[Glicko2Skill]:
        places = check_result(self, result)
        for team in result.teams:
            for player in team.players:
                rating, deviation, volatility = player.skill
                if not (-inf < rating < inf and 0 < deviation < inf and 0 < volatility < inf):
                    raise unratable(self.key, player)
        return rate_with_leavers(result, places, self._rate_by_places)

    def _rate_by_places(self, result: Result[Glicko2Skill]) -> Skills[Glicko2Skill]:
        first, second = (self._form(team.players[0]) for team in result.teams)
        outcome = outcome_of(*(team.place for team in result.teams))
        return (self._rated(first, second, score_of(outcome)),), (self._rated(second, first, score_of(-outcome)),)

    def _form(self, player: Entrant[Glicko2Skill]) -> Form:
        empty = formulas.empty_periods(player.idle_days, self.period_days, FLOATS) if player.idle_days else 0
        return formulas.form_of(*player.skill, empty, FLOATS)

    def _update(self, own: Form, other: Form, score: float) -> Update:
        return formulas.update_of(own, other, score, self.tau, FLOATS, new_volatility)

    def _rated(self, own: Form, other: Form, score: float) -> Glicko2Skill:
        chance, stake, phi, volatility = self._update(own, other, score)
        rating = formulas.rating_after(own.mu, stake, score - chance)
        return Glicko2Skill(rating, formulas.deviation_after(phi, FLOATS), volatility)

    def win_probability(self, teams: Sequence[Sequence[Entrant[Glicko2Skill]]]) -> tuple[float | None, ...]:
        if [len(team) for team in teams] != [1, 1]:
            return (None,) * len(teams)
        first, second = (self._form(team[0]) for team in teams)
        lead = formulas.lead(first, second, FLOATS)
        return formulas.logistic(lead, FLOATS)[0], formulas.logistic(-lead, FLOATS)[0]

    def explain_reported(self, result: Result[Glicko2Skill]) -> tuple[tuple[tuple[Factor, ...], ...], ...]:
        places = effective_places(result, check_result(self, result))
        players = [team.players[0] for team in result.teams]
        first, second = (self._form(player) for player in players)
        outcome = outcome_of(*places)
        return (
            (self._factors(players[0], first, second, score_of(outcome)),),
            (self._factors(players[1], second, first, score_of(-outcome)),),
        )

    def _factors(self, player: Entrant[Glicko2Skill], own: Form, other: Form, score: float) -> tuple[Factor, ...]:
        score = 0.0 if player.left_early else score
        update = self._update(own, other, score)
        return (
            Factor(
                pgettext("factor", "Stake"),
                SCALE * update.stake,
                "stake",
                gettext("The less certain a rating, the further it moves."),
            ),
            Factor(pgettext("factor", "Result"), score, "share", why_score(score, left_early=player.left_early)),
            Factor(
                pgettext("factor", "Win expectation"),
                update.chance,
                "share",
                gettext("The chance to win, allowing for how uncertain the opponent’s rating is."),
            ),
            Factor(
                pgettext("factor", "Deviation"),
                formulas.deviation_after(update.phi, FLOATS),
                "number",
                _why_deviation(SCALE * (update.phi - own.phi)),
            ),
        )

    def display(self, skill: Glicko2Skill) -> Decimal:
        return rounded(skill.rating, self.decimals)

    def to_state(self, skill: Glicko2Skill) -> State:
        return State(hundredths(self.display(skill)), skill.rating, skill.deviation, skill.volatility)

    def from_state(self, state: State) -> Glicko2Skill:
        if state.mu is None or state.sigma is None or state.volatility is None:
            raise Refused(f"{self.key} needs a state with mu, sigma and volatility, and this one lacks some.")
        return Glicko2Skill(state.mu, state.sigma, state.volatility)

    def read_skill(self, fields: Mapping[str, Any]) -> Glicko2Skill:
        path = f"{self.key} skill"
        read.only_known(fields, Glicko2Skill._fields, path)
        return Glicko2Skill(
            rating=float(read.number(fields.get("rating"), f"{path}: rating", least=-HIGHEST, most=HIGHEST)),
            deviation=float(read.number(fields.get("deviation"), f"{path}: deviation", least=LEAST, most=HIGHEST)),
            volatility=float(
                read.number(fields.get("volatility"), f"{path}: volatility", least=LEAST, most=MOST_VOLATILE)
            ),
        )

    def write_skill(self, skill: Glicko2Skill) -> dict[str, Any]:
        return skill._asdict()


def _why_deviation(change: float) -> str:
    if change < 0:
        return gettext("How uncertain the rating is: less than before this match.")
    return gettext("How uncertain the rating is: no less than before this match.")
