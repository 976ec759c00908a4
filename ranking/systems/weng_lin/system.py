"""Weng–Lin: Plackett–Luce by Bayesian approximation; more than two teams through the `openskill` package.

Source: Ruby Weng and Chih-Jen Lin, "A Bayesian Approximation Method for Online Ranking" (2011), algorithm 4. Chances
are the package's `predict_win`: for two teams Phi of their distance; for more teams, each one's mean chance against
the others, scaled to add up to 1; the package has no temperature, which is the same as 1. For two teams the arithmetic
is in formulas.py. A team's mean is Σ w·mu and its variance Σ w²·s², with its players' shares w of the match (see
shared/presence.py).

Departures from the package: leavers are rated by this site's rule. The package's `weights` are something else than
shares, so more than two teams with part-time players are rated by its formula on those sums (see ties.py). Matches in
which three or more teams share a place are rated by our own formula (see ties.py), because the package's can leave a
team below an equal one with a worse place; `ties` "chain" does as the package does. More than two teams that are so far
apart that the package's exponentials would overflow are moved closer; their chances differ from 0 and 1 by less than
any float can show, both before and after the move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import fsum, sqrt
from typing import Any, ClassVar

from openskill.models import PlackettLuce, PlackettLuceRating

from ranking.systems.base import Entrant, Factor, Refused, Result, Team
from ranking.systems.shared.explanations import part_time
from ranking.systems.shared.fit_scales import FitScale, Searched
from ranking.systems.shared.formulas import drifted, outcome_of, score_of
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
from ranking.systems.shared.rules import Skills, check_result, rate_with_leavers
from ranking.systems.shared.staying import StayingRule
from ranking.systems.shared.ties import CHAIN, GROUP, ties_many
from ranking.systems.weng_lin import formulas
from ranking.systems.weng_lin.ties import chained_omegas_and_deltas, omegas_and_deltas
from ranking.wording.translation import gettext_noop

MODEL = PlackettLuce()
LARGEST_EXPONENT = 600.0  # exp overflows at 709
ENOUGH_APART = 45.0  # between two neighbours, as an exponent: 1 + exp(−45) is 1

Moments = Callable[[Sequence[float], Sequence[int], float], list[tuple[float, float]]]  # omega and delta, see ties.py


@dataclass(frozen=True, slots=True)
class WengLin(ConservativeEstimate, StayingRule[GaussianSkill]):
    key: ClassVar[str] = "weng-lin"
    title: ClassVar[str] = "Weng–Lin (Plackett–Luce)"
    team_counts: ClassVar[tuple[int, int | None]] = (2, None)
    max_team_size: ClassVar[int | None] = None
    counts_idle_days: ClassVar[bool] = False
    counts_stats: ClassVar[bool] = False
    fits: ClassVar[Mapping[str, FitScale]] = {
        "beta": Searched(1.0),
        "tau": Searched(1.0),
        "temperature": Searched(1.0),
    }

    beta: float = param(MODEL.beta, "How much a player's form varies from match to match.", least=1e-3, most=1e6)
    tau: float = param(MODEL.tau, "How much skill may drift between two matches.", least=0, most=1e6)
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

    @property
    def model(self) -> PlackettLuce:
        return _model(self.beta, self.tau)

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> WengLin:
        return cls(**read_params(cls, params))

    def newcomer(self) -> GaussianSkill:
        return GaussianSkill(MODEL.mu, MODEL.sigma)

    def rate_reported(self, result: Result[GaussianSkill]) -> Skills[GaussianSkill]:
        places = check_result(self, result)
        check_skills(self.key, result)
        rated = no_surer(result, rate_with_leavers(result, places, self._rate_by_places))
        return no_cost(result, places, rated) if self.win_never_costs else rated

    def _rate_by_places(self, result: Result[GaussianSkill]) -> Skills[GaussianSkill]:
        if len(result.teams) == 2:
            return self._rate_two(result.teams)
        if self.ties == GROUP and ties_many([team.place or 0 for team in result.teams]):
            return self._rate_by(result.teams, omegas_and_deltas)
        if any(player.share < 1 for team in result.teams for player in team.players):
            return self._rate_by(result.teams, chained_omegas_and_deltas)
        return self._rate_many(result)

    def _rate_two(self, teams: Sequence[Team[GaussianSkill]]) -> Skills[GaussianSkill]:
        variances, (first, second) = self._variances(teams), _sums(teams)
        totals = _totals(teams, variances)
        c = formulas.deviation(totals[0] + totals[1], self.beta, 2, FLOATS)
        chance = formulas.chance(first - second, c, FLOATS)
        pull = formulas.pull(score_of(outcome_of(teams[0].place, teams[1].place)), chance, c)
        delta = formulas.spread(chance)
        surenesses = [formulas.sureness(delta, total, c, FLOATS) for total in totals]
        return _after(teams, variances, (pull, -pull), surenesses)

    def _rate_by(self, teams: Sequence[Team[GaussianSkill]], moments_of: Moments) -> Skills[GaussianSkill]:
        variances = self._variances(teams)
        totals = _totals(teams, variances)
        c = formulas.deviation(fsum(totals), self.beta, len(teams), FLOATS)
        moments = moments_of(_sums(teams), [team.place or 0 for team in teams], c)
        pulls = [omega / c for omega, _ in moments]
        surenesses = [
            formulas.sureness(delta, total, c, FLOATS) for (_, delta), total in zip(moments, totals, strict=True)
        ]
        return _after(teams, variances, pulls, surenesses)

    def _variances(self, teams: Sequence[Team[GaussianSkill]]) -> list[list[float]]:
        """By team and player: s²."""
        return [[drifted(player.skill.sigma**2, self.tau) for player in team.players] for team in teams]

    def _rate_many(self, result: Result[GaussianSkill]) -> Skills[GaussianSkill]:
        shifts = self._shifts(result.teams)
        teams = [
            [MODEL.rating(player.skill.mu + shift, player.skill.sigma) for player in team.players]
            for team, shift in zip(result.teams, shifts, strict=True)
        ]
        rated = self.model.rate(teams, ranks=[float(team.place or 0) for team in result.teams])
        return tuple(
            tuple(GaussianSkill(player.mu - shift, player.sigma) for player in team)
            for team, shift in zip(rated, shifts, strict=True)
        )

    def _shifts(self, teams: Sequence[Team[GaussianSkill]]) -> list[float]:
        """By team: what to add to each player's mean so that exp(team's sum / c) doesn't overflow; nearly always 0."""
        sums = _sums(teams)
        noise = self.tau**2
        c = sqrt(
            fsum([player.skill.sigma**2 + noise for team in teams for player in team.players])
            + len(teams) * self.beta**2
        )
        if max(map(abs, sums)) <= LARGEST_EXPONENT * c:
            return [0.0] * len(teams)
        order = sorted(range(len(teams)), key=sums.__getitem__)
        closer = [0.0]
        for low, high in pairwise(order):
            closer.append(closer[-1] + min(sums[high] - sums[low], ENOUGH_APART * c))
        if closer[-1] > 2 * LARGEST_EXPONENT * c:
            sentence = gettext_noop(
                "%(system)s can't rate teams as far apart as these: their skills differ by %(gap)s."
            )
            raise Refused(sentence, system=self.key, gap=f"{closer[-1]:g}")
        moved = dict(zip(order, closer, strict=True))
        return [(moved[index] - closer[-1] / 2 - sums[index]) / len(team.players) for index, team in enumerate(teams)]

    def win_probability(self, teams: Sequence[Sequence[Entrant[GaussianSkill]]]) -> tuple[float | None, ...]:
        if len(teams) != 2:
            return tuple(self.model.predict_win([_ratings(team, self.temperature) for team in teams]))
        first, second = (fsum([player.share * player.skill.mu for player in team]) for team in teams)
        total = fsum([player.share**2 * player.skill.sigma**2 for team in teams for player in team])
        lead = (first - second) / formulas.deviation(total, self.beta, 2, FLOATS) / self.temperature
        return FLOATS.Phi(lead), FLOATS.Phi(-lead)

    def explain_reported(self, result: Result[GaussianSkill]) -> tuple[tuple[tuple[Factor, ...], ...], ...]:
        chances = self.win_probability([team.players for team in result.teams])
        return tuple(
            tuple(
                (
                    *explain_change(player, after, chance),
                    *part_time(player, result, "share"),
                )
                for player, after in zip(team.players, skills, strict=True)
            )
            for team, skills, chance in zip(result.teams, self.rate_reported(result), chances, strict=True)
        )


@lru_cache(maxsize=64)
def _model(beta: float, tau: float) -> PlackettLuce:
    return PlackettLuce(beta=beta, tau=tau)


def _sums(teams: Sequence[Team[GaussianSkill]]) -> list[float]:
    """Σ w·mu, by team."""
    return [fsum([player.share * player.skill.mu for player in team.players]) for team in teams]


def _totals(teams: Sequence[Team[GaussianSkill]], variances: Sequence[Sequence[float]]) -> list[float]:
    """Σ w²·s², by team; `variances`: s², by team and player."""
    return [
        fsum([player.share**2 * s2 for player, s2 in zip(team.players, own, strict=True)])
        for team, own in zip(teams, variances, strict=True)
    ]


def _after(
    teams: Sequence[Team[GaussianSkill]],
    variances: Sequence[Sequence[float]],
    pulls: Sequence[float],
    surenesses: Sequence[float],
) -> Skills[GaussianSkill]:
    """The players' skills after the match, by what their teams learn."""
    return tuple(
        [
            tuple(
                [
                    GaussianSkill(
                        formulas.mean_after(player.skill.mu, player.share * s2, pull),
                        formulas.deviation_after(s2, player.share**2 * sureness, MODEL.kappa, FLOATS),
                    )
                    for player, s2 in zip(team.players, own, strict=True)
                ]
            )
            for team, own, pull, sureness in zip(teams, variances, pulls, surenesses, strict=True)
        ]
    )


def _ratings(team: Sequence[Entrant[GaussianSkill]], temperature: float) -> list[PlackettLuceRating]:
    """A team for the package's chances; one player of the same mean and variance stands for part-time players.

    Means are divided by the temperature, and so are the leads of teams over each other.
    """
    if all(player.share == 1 for player in team):
        return [MODEL.rating(player.skill.mu / temperature, player.skill.sigma) for player in team]
    mean = fsum([player.share * player.skill.mu for player in team])
    return [MODEL.rating(mean / temperature, sqrt(fsum([player.share**2 * player.skill.sigma**2 for player in team])))]
