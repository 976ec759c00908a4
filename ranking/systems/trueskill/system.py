"""TrueSkill: Bayesian skill with draws, teams, free-for-all and partial play.

Source: Ralf Herbrich, Tom Minka and Thore Graepel, "TrueSkill: A Bayesian Skill Rating System" (2006). A player's
performance is N(mu, sigma² + tau² + beta²), and a team's performance is the weighted sum of its players'. The winner's
lead is larger than the draw margin; in a draw the lead is within it. With c² the variance of the two teams'
difference, in closed form:

    mu'     = mu ± w·s²/c · v,             s² = sigma² + tau²
    sigma'² = s²·(1 − w²·s²/c² · W)

More than two teams are ordered by place, and neighbours pass messages (see chain.py). Three or more teams that share a
place are one member of the chain, so their order in the result doesn't matter (see tied_group.py). A player's weight w
is the one given, else a leaver's part of the match, else the share of the match (see shared/presence.py).

Departures from the source: its draw margin is for a single pair of players; here, as in Microsoft's later description,
it is Phi⁻¹((p + 1)/2)·√(n1 + n2)·beta for each pair of neighbours. The source's chain links tied teams in the order
of the result, which rates equal ones differently; `ties` "chain" does so, too. With draw probability 0 a draw means
exactly equal performances (v = −t, W = 1). A weight is at least 0.0001. The chance of a team is
Phi((Σ mu_A − Σ mu_B)/√(Σ(sigma² + beta²))/temperature); the source has no temperature, which is the same as 1. The
arithmetic is in formulas.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import fsum
from statistics import NormalDist
from typing import Any, ClassVar

from ranking.systems.base import Entrant, Factor, Result, Team
from ranking.systems.shared.explanations import part_time
from ranking.systems.shared.fit_scales import FitScale, Searched, ShareOfDraws
from ranking.systems.shared.formulas import team_variance
from ranking.systems.shared.maths import FLOATS
from ranking.systems.shared.mean_and_deviation import (
    ConservativeEstimate,
    GaussianSkill,
    check_skills,
    explain_change,
    no_cost,
    no_surer,
)
from ranking.systems.shared.params import param, read_params
from ranking.systems.shared.rules import Skills, check_result, duration_of, played, rate_with_leavers
from ranking.systems.shared.staying import StayingRule
from ranking.systems.shared.ties import CHAIN, GROUP, ties_many
from ranking.systems.trueskill import formulas
from ranking.systems.trueskill._chain import Lesson
from ranking.systems.trueskill._performances import (
    Performance,
    Weights,
    lessons_of,
    lessons_of_groups,
    performance,
    two_lessons,
)


@dataclass(frozen=True, slots=True)
class TrueSkill(ConservativeEstimate, StayingRule[GaussianSkill]):
    key: ClassVar[str] = "trueskill"
    title: ClassVar[str] = "Bayesian skill (TrueSkill)"
    team_counts: ClassVar[tuple[int, int | None]] = (2, None)
    max_team_size: ClassVar[int | None] = None
    counts_idle_days: ClassVar[bool] = False
    counts_stats: ClassVar[bool] = False
    fits: ClassVar[Mapping[str, FitScale]] = {
        "beta": Searched(1.0),
        "tau": Searched(1.0),
        "temperature": Searched(1.0),
        "draw_probability": ShareOfDraws(),
    }

    mu: float = param(25.0, "The mean skill of a newcomer.", least=-1e6, most=1e6)
    sigma: float = param(25 / 3, "How uncertain a newcomer's skill is.", above=0, most=1e6)
    beta: float = param(25 / 6, "How much a player's form varies from match to match.", least=1e-6, most=1e6)
    tau: float = param(25 / 300, "How much skill may drift between two matches.", least=0, most=1e6)
    draw_probability: float = param(0.10, "How likely a draw between equals is.", least=0, most=0.999)
    temperature: float = param(
        1.0,
        "Divides how far apart teams look before the match: above 1, chances are nearer to even.",
        above=0,
        most=1e3,
    )
    ties: str = param(
        GROUP,
        "How three or more teams that share a place are rated: as a group, or by the rule of before (chain).",
        rule=True,
        options=(GROUP, CHAIN),
    )
    win_never_costs: bool = param(False, "The rating of a player who comes first alone never falls.", rule=True)

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> TrueSkill:
        return cls(**read_params(cls, params))

    def newcomer(self) -> GaussianSkill:
        return GaussianSkill(self.mu, self.sigma)

    def attended(self, result: Result[GaussianSkill]) -> Result[GaussianSkill]:
        """The result with the players' shares, if they count; a weight that is given replaces its player's share."""
        result = StayingRule.attended(self, result)
        if not any(player.weight is not None and player.share < 1 for team in result.teams for player in team.players):
            return result
        return replace(result, teams=tuple(map(_with_weights, result.teams)))

    def rate_reported(self, result: Result[GaussianSkill]) -> Skills[GaussianSkill]:
        places = check_result(self, result)
        check_skills(self.key, result)
        # A list takes half the time of a generator.
        players = [player for team in result.teams for player in team.players]
        if all([p.weight is None and not p.left_early and p.share == 1 for p in players]):  # noqa: C419
            rated = self._rate(result.teams, places, (None,) * len(places))
        else:
            rated = no_surer(result, rate_with_leavers(result, places, self._rate_by_places))
        return no_cost(result, places, rated) if self.win_never_costs else rated

    def _rate_by_places(self, result: Result[GaussianSkill]) -> Skills[GaussianSkill]:
        duration = duration_of(result)
        weights = [_weights(team, duration) for team in result.teams]
        return self._rate(result.teams, [team.place or 0 for team in result.teams], weights)

    def _rate(
        self, teams: Sequence[Team[GaussianSkill]], places: Sequence[int], weights: Sequence[Weights | None]
    ) -> Skills[GaussianSkill]:
        sides = [self._performance(team.players, own) for team, own in zip(teams, weights, strict=True)]
        margin = unit_margin(self.draw_probability) * self.beta
        lessons = self._lessons_of(places)(sides, places, margin)
        return tuple([side.after(*lesson) for side, lesson in zip(sides, lessons, strict=True)])

    def _performance(self, players: Sequence[Entrant[GaussianSkill]], weights: Weights | None) -> Performance:
        size = None if weights is None else fsum([player.share for player in players])
        return performance([player.skill for player in players], self.tau, self.beta, weights, size)

    def _lessons_of(self, places: Sequence[int]) -> Callable[..., Sequence[Lesson]]:
        if len(places) == 2:
            return two_lessons
        return lessons_of_groups if self.ties == GROUP and ties_many(places) else lessons_of

    def win_probability(self, teams: Sequence[Sequence[Entrant[GaussianSkill]]]) -> tuple[float | None, ...]:
        if len(teams) != 2:
            return (None,) * len(teams)
        first, second = (fsum([player.share * player.skill.mu for player in team]) for team in teams)
        weighted = [(player.share**2, player.skill.sigma**2) for team in teams for player in team]
        variance = team_variance(fsum([w2 * s2 for w2, s2 in weighted]), fsum([w2 for w2, _ in weighted]), self.beta)
        lead = formulas.lead(first - second, variance, self.temperature, FLOATS)
        return FLOATS.Phi(lead), FLOATS.Phi(-lead)

    def explain_reported(self, result: Result[GaussianSkill]) -> tuple[tuple[tuple[Factor, ...], ...], ...]:
        rated = self.rate_reported(result)
        chances = self.win_probability([team.players for team in result.teams])
        return tuple(
            tuple(
                (*explain_change(player, after, chance), *_why_weight(player, result))
                for player, after in zip(team.players, skills, strict=True)
            )
            for team, skills, chance in zip(result.teams, rated, chances, strict=True)
        )


@lru_cache(maxsize=64)
def unit_margin(draw_probability: float) -> float:
    """The draw margin between two players, in units of √2·beta."""
    return NormalDist().inv_cdf((draw_probability + 1) / 2)


def _weights(team: Team[GaussianSkill], duration: float | None) -> Weights | None:
    """The weights of a team's players; None if all are 1."""
    if True not in [player.left_early or player.weight is not None or player.share < 1 for player in team.players]:
        return None
    return [_weight(player, duration) for player in team.players]


def _weight(player: Entrant[GaussianSkill], duration: float | None) -> float:
    if player.weight is not None:
        return float(formulas.weight(player.weight, FLOATS))
    return float(formulas.weight(played(player, duration), FLOATS)) if player.left_early else player.share


def _with_weights(team: Team[GaussianSkill]) -> Team[GaussianSkill]:
    players = [player if player.weight is None else replace(player, share=1.0) for player in team.players]
    return replace(team, players=tuple(players))


def _why_weight(player: Entrant[GaussianSkill], result: Result[GaussianSkill]) -> tuple[Factor, ...]:
    """The weight of a player who stayed, given or by their share; a leaver is rated as if nobody had left."""
    if player.left_early or player.weight is None:
        return part_time(player, result, "share")
    weight = _weight(player, duration_of(result))
    return (Factor("Weight", weight, "number", "How much of your play counted towards the team, as reported."),)
