"""Two-layer MMR: a hidden Gaussian skill, and a visible MMR that moves by rules which people can follow.

Source: the design of RankedServer. Hidden layer (hidden.py): with c² the variance of the two teams' difference and z
the lead of one team, mu' = mu ± w·s²/c·v and sigma'² = s²·(1 − w²·s²/c²·W), as TrueSkill for two teams without a draw
margin. Visible layer (visible.py, performance.py), from the values before the match:

    g  = w·k·(S − E)·(1 + 2·s^1.5 for an upset)·(elite band), within the caps; w: the share of the match
    f  = g, moved by stats between team-mates by at most 12 %
    r  = f in whole points, so that a team's add up;  mmr' = max(0, mmr + r)

Departures from the source: without `tau_by_sigma`, everybody's tau is that of a newcomer. A leaver's weight is linear
in the part played, at least 0.10. If somebody left, the hidden weights are renormalised to the head count and the
visible ones are not, and a leaver's loss is computed from the chance of the whole team. In a drawn match, a leaver's
hidden skill is rated as a loss. The source leaves parties to future work: `party_bonus`, 0 by default, is added to the
mean of everyone in a party of two or more.
The arithmetic of both layers is in formulas.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import fsum, inf, isfinite
from typing import Any, ClassVar, NamedTuple

from ranking.systems.base import Entrant, Factor, Refused, Result, S, State, Strength
from ranking.systems.shared import fields as read
from ranking.systems.shared.display import from_hundredths
from ranking.systems.shared.fit_scales import PARTIES, FitScale, Searched
from ranking.systems.shared.formulas import outcome_of, score_of
from ranking.systems.shared.logits import NORMAL, POINTS_PER_LOGIT
from ranking.systems.shared.maths import FLOATS
from ranking.systems.shared.resets import SeasonReset, less_certain, toward, toward_whole
from ranking.systems.shared.rules import check_result, effective_places, unratable
from ranking.systems.shared.seeds import check_seed, seed_deviation
from ranking.systems.shared.staying import Factors, Seat
from ranking.systems.two_layer import formulas
from ranking.systems.two_layer._explanation import explain_player
from ranking.systems.two_layer._performance import (
    by_performance,
    impact_of,
    in_whole_points,
    is_judged,
    round_half_away,
)
from ranking.systems.two_layer._visible import Stake, push_of, stake_of
from ranking.systems.two_layer.hidden import (
    TwoLayerSkill,
    WeightedTeam,
    distance,
    rate_hidden,
    renormalised,
    weighted_team,
)
from ranking.systems.two_layer.params import TwoLayerParams

HIGHEST = 1e12  # hidden number or MMR that is read


class TeamChange(NamedTuple):
    """The changes of a team's MMRs: stakes (g), changes with stats (f), and whole points (r)."""

    stakes: list[Stake]
    changes: list[float]
    points: list[int]


@dataclass(frozen=True, slots=True)
class TwoLayer(SeasonReset[TwoLayerSkill], TwoLayerParams):
    key: ClassVar[str] = "two-layer"
    title: ClassVar[str] = "Two-layer MMR"
    decimals: ClassVar[int] = 0
    team_counts: ClassVar[tuple[int, int | None]] = (2, 2)
    max_team_size: ClassVar[int | None] = None
    counts_idle_days: ClassVar[bool] = False
    counts_stats: ClassVar[bool] = True
    fits: ClassVar[Mapping[str, FitScale]] = {
        "beta": Searched(1.0),
        "tau": Searched(1.0),
        "party_bonus": Searched(0.25, PARTIES, step=0.4, unit="beta"),
    }

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> TwoLayer:
        return cls(**cls.read(params, cls.key))

    def newcomer(self) -> TwoLayerSkill:
        return TwoLayerSkill(self.mu, self.sigma, self.mmr)

    def softened(self, skill: TwoLayerSkill, factor: float) -> TwoLayerSkill:
        return TwoLayerSkill(
            toward(self.mu, skill.mu, factor),
            less_certain(self.sigma, skill.sigma, factor),
            toward_whole(self.mmr, skill.mmr, factor),
        )

    def seed(self, display: Decimal, deviation: float | None = None, matches: int = 0) -> TwoLayerSkill:
        check_seed(self, display, matches, least=0, most=HIGHEST)
        sigma = seed_deviation(self, self.sigma, deviation, least=self.sigma_min)
        level = (int(display) - self.mmr) / POINTS_PER_LOGIT
        return TwoLayerSkill(self.mu + level * self.beta / NORMAL, sigma, int(display))

    def strength(self, skill: TwoLayerSkill) -> Strength:
        return Strength(NORMAL * (skill.mu - self.mu) / self.beta, skill.sigma / self.sigma)

    def skill_of(self, strength: Strength) -> TwoLayerSkill:
        return TwoLayerSkill(
            mu=self.mu + strength.level * self.beta / NORMAL,
            sigma=max(self.sigma_min, min(1.0, strength.doubt) * self.sigma),
            mmr=max(0, round(self.mmr + strength.level * POINTS_PER_LOGIT)),
        )

    def rate_reported(self, result: Result[TwoLayerSkill]) -> tuple[tuple[TwoLayerSkill, ...], ...]:
        sides, outcomes = self._enter(result)
        first, second = sides
        ahead = distance(self, sides, [renormalised(side) for side in sides])
        moves = self._moves(result, sides, outcomes)
        return (
            self._rated(first, rate_hidden(self, first, ahead, outcomes[0]), moves[0]),
            self._rated(second, rate_hidden(self, second, ahead.seen_by_other(), outcomes[1]), moves[1]),
        )

    def _rated(
        self, side: WeightedTeam, hidden: Sequence[tuple[float, float]], move: TeamChange
    ) -> tuple[TwoLayerSkill, ...]:
        return tuple(
            TwoLayerSkill(mu, sigma, max(0, player.skill.mmr + points))
            for player, (mu, sigma), points in zip(side.players, hidden, move.points, strict=True)
        )

    def _enter(self, result: Result[TwoLayerSkill]) -> tuple[tuple[WeightedTeam, WeightedTeam], tuple[int, int]]:
        """Both teams, and the outcome of players who stayed: 1 won, 0 drew, −1 lost."""
        places = effective_places(result, check_result(self, result))
        for team in result.teams:
            for player in team.players:
                if not (-inf < player.skill.mu < inf and 0 < player.skill.sigma < inf):
                    raise unratable(self.key, player)
        outcome = int(outcome_of(*places))
        first, second = (weighted_team(self, team.players, result) for team in result.teams)
        return (first, second), (outcome, -outcome)

    def _moves(
        self, result: Result[TwoLayerSkill], sides: tuple[WeightedTeam, WeightedTeam], outcomes: tuple[int, int]
    ) -> tuple[TeamChange, TeamChange]:
        first, second = sides
        there = distance(self, sides, [side.weights for side in sides]).z
        whole = distance(self, sides).z
        return (
            self._move(result, first, outcomes[0], there, whole),
            self._move(result, second, outcomes[1], -there, -whole),
        )

    def _move(self, result: Result[S], side: WeightedTeam, outcome: int, there: float, whole: float) -> TeamChange:
        """A team's changes; `there`: its lead, weighted by presence; `whole`: its lead as if nobody had left."""
        stayed = push_of(self, formulas.expectation(self, there, FLOATS), score_of(outcome))
        left = push_of(self, formulas.expectation(self, whole, FLOATS), score_of(-1))
        stakes = [
            stake_of(self, player.skill, left if player.left_early else stayed, player.share) for player in side.players
        ]
        changes = [stake.change for stake in stakes]
        total = fsum(changes)
        if outcome:
            changes = by_performance(self, side.players, stakes, result.rounds)
        return TeamChange(stakes, changes, in_whole_points(changes, total))

    def rate_last(self, result: Result[TwoLayerSkill], seat: Seat) -> TwoLayerSkill:
        rated = self.rate_reported(result)[seat.team][seat.slot]
        if not _could_be_judged(result, seat):
            return rated
        _, _, points = self._worst(result, seat)
        player = result.teams[seat.team].players[seat.slot]
        return rated._replace(mmr=max(0, player.skill.mmr + points))

    def explain_last(self, result: Result[TwoLayerSkill], seat: Seat) -> Factors:
        if not _could_be_judged(result, seat):
            return self.explain_reported(result)[seat.team][seat.slot]
        player = result.teams[seat.team].players[seat.slot]
        return explain_player(self, result, player, *self._worst(result, seat), worst=True)

    def _worst(self, result: Result[TwoLayerSkill], seat: Seat) -> tuple[Stake, float, int]:
        """The stake of a player who lost, and their change with the worst stats: f and r."""
        sides, outcomes = self._enter(result)
        stake = self._moves(result, sides, outcomes)[seat.team].stakes[seat.slot]
        change = formulas.worst_change(self, stake.change, FLOATS)
        return stake, change, round_half_away(change)

    def contribution(self, stats: Mapping[str, float], rounds: int | None) -> float | None:
        impact = impact_of(self, stats, rounds)
        return impact if stats and isfinite(impact) else None

    def win_probability(self, teams: Sequence[Sequence[Entrant[TwoLayerSkill]]]) -> tuple[float | None, ...]:
        if len(teams) != 2:
            return (None,) * len(teams)
        z = distance(self, [weighted_team(self, team, None) for team in teams]).z
        return FLOATS.Phi(z), FLOATS.Phi(-z)

    def explain_reported(self, result: Result[TwoLayerSkill]) -> tuple[tuple[tuple[Factor, ...], ...], ...]:
        sides, outcomes = self._enter(result)
        return tuple(
            tuple(
                explain_player(self, result, player, stake, change, points)
                for player, stake, change, points in zip(side.players, *move, strict=True)
            )
            for side, move in zip(sides, self._moves(result, sides, outcomes), strict=True)
        )

    def display(self, skill: TwoLayerSkill) -> Decimal:
        return Decimal(skill.mmr)

    def to_state(self, skill: TwoLayerSkill) -> State:
        return State(display_hundredths=100 * skill.mmr, mu=skill.mu, sigma=skill.sigma)

    def from_state(self, state: State) -> TwoLayerSkill:
        if state.mu is None or state.sigma is None:
            raise Refused(f"{self.key} needs a state with mu and sigma, and this one has not both.")
        return TwoLayerSkill(state.mu, state.sigma, int(from_hundredths(state.display_hundredths, decimals=0)))

    def read_skill(self, fields: Mapping[str, Any]) -> TwoLayerSkill:
        path = f"{self.key} skill"
        read.only_known(fields, TwoLayerSkill._fields, path)
        return TwoLayerSkill(
            mu=float(read.number(fields.get("mu"), f"{path}: mu", least=-HIGHEST, most=HIGHEST)),
            sigma=float(read.number(fields.get("sigma"), f"{path}: sigma", above=0, most=HIGHEST)),
            mmr=read.integer(fields.get("mmr"), f"{path}: mmr", least=0, most=HIGHEST),
        )

    def write_skill(self, skill: TwoLayerSkill) -> dict[str, Any]:
        return skill._asdict()


def _could_be_judged(result: Result[S], seat: Seat) -> bool:
    """True if the stats of a team-mate are judged, which this player's could have been compared with."""
    return any(is_judged(player) for slot, player in enumerate(result.teams[seat.team].players) if slot != seat.slot)
