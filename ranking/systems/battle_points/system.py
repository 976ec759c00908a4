"""Battle points: Elo for duels with K brackets and a modifier for shutouts.

Source: the rating of Math Battle, which is Elo's with brackets.

    E  = 1/(1 + 10^((opponent − own)/400))
    R' = max(floor, R + K·(S − E)·modifier), rounded half up, with S = 1, 0.5 or 0

K and the modifier are those of the player's own bracket. The modifier counts only if the loser scored nothing and the
winner something. A player who left early has lost by a shutout, whatever the result, and the opponent has won by one;
if both left, both have lost. The source also names "the number of previous games each player has played": with fewer
than `provisional_matches` rated matches before, K is `provisional_k`.

Departures from the source: it names no floor; here 700, the lowest bracket's bound. A leaver whose rating is
already below the floor isn't lifted to it. The arithmetic is in formulas.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import floor, inf, nan
from typing import Any, ClassVar, NamedTuple

from ranking.systems.base import Entrant, Factor, Result, S, State, Strength, Team
from ranking.systems.battle_points import formulas
from ranking.systems.battle_points._brackets import BRACKETS, Bracket, read_brackets
from ranking.systems.battle_points._explanation import Duel, explain_duel
from ranking.systems.shared import fields as read
from ranking.systems.shared.display import from_hundredths
from ranking.systems.shared.fit_scales import FitScale
from ranking.systems.shared.formulas import outcome_of, score_of
from ranking.systems.shared.logits import POINTS_PER_LOGIT, SETTLED
from ranking.systems.shared.maths import FLOATS
from ranking.systems.shared.params import param, read_params
from ranking.systems.shared.resets import SeasonReset, toward_whole
from ranking.systems.shared.rules import check_result
from ranking.systems.shared.seeds import check_no_deviation, check_seed
from ranking.systems.shared.staying import StayingRule

HIGHEST = 10**12  # rating that is read; its hundredths fit well into a database's bigint


class BattlePointsSkill(NamedTuple):
    rating: int


@dataclass(frozen=True, slots=True)
class BattlePoints(SeasonReset[BattlePointsSkill], StayingRule[BattlePointsSkill]):
    key: ClassVar[str] = "battle-points"
    title: ClassVar[str] = "Battle points"
    decimals: ClassVar[int] = 0
    team_counts: ClassVar[tuple[int, int | None]] = (2, 2)
    max_team_size: ClassVar[int | None] = 1
    counts_idle_days: ClassVar[bool] = False
    counts_stats: ClassVar[bool] = False
    fits: ClassVar[Mapping[str, FitScale]] = {}

    start: int = param(1000, "The rating of a newcomer.", least=0, most=10**6)
    floor: int = param(700, "No rating falls below this.", least=0, most=10**6)
    brackets: tuple[Bracket, ...] = param(
        BRACKETS,
        "By rating: [up to, K, shutout modifier], ascending; up to null is the rest.",
    )

    provisional_matches: int = param(
        0,
        "A player with fewer rated matches before has the stake provisional_k; 0 is off.",
        least=0,
        most=10**6,
        proposed=20,
        why="Its source counts a player's earlier matches.",
    )
    provisional_k: float = param(64.0, "The stake of a player's first matches.", least=0, most=1e6)

    @property
    def counts_matches(self) -> bool:
        return self.provisional_matches > 0

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> BattlePoints:
        scalars = dict(params)
        brackets = scalars.pop("brackets", BRACKETS)
        return cls(**read_params(cls, scalars), brackets=read_brackets(brackets, f"{cls.key}: parameter brackets"))

    def newcomer(self) -> BattlePointsSkill:
        return BattlePointsSkill(self.start)

    def softened(self, skill: BattlePointsSkill, factor: float) -> BattlePointsSkill:
        return BattlePointsSkill(toward_whole(self.start, skill.rating, factor))

    def seed(self, display: Decimal, deviation: float | None = None, matches: int = 0) -> BattlePointsSkill:
        check_seed(self, display, matches, least=self.floor, most=HIGHEST)
        check_no_deviation(self, deviation)
        return BattlePointsSkill(int(display))

    def strength(self, skill: BattlePointsSkill) -> Strength:
        return Strength((skill.rating - self.start) / POINTS_PER_LOGIT, SETTLED)

    def skill_of(self, strength: Strength) -> BattlePointsSkill:
        return BattlePointsSkill(max(self.floor, round(self.start + strength.level * POINTS_PER_LOGIT)))

    def rate_reported(self, result: Result[BattlePointsSkill]) -> tuple[tuple[BattlePointsSkill, ...], ...]:
        first, second = self._duels(result)
        return (self._after(result, 0, first),), (self._after(result, 1, second),)

    def _after(self, result: Result[BattlePointsSkill], side: int, duel: Duel) -> BattlePointsSkill:
        rating = result.teams[side].players[0].skill.rating
        return BattlePointsSkill(_rounded(formulas.after(rating, duel.change, self._lowest(rating, duel), FLOATS)))

    def _lowest(self, rating: int, duel: Duel) -> int:
        """The least rating after the match."""
        lowest: int = formulas.lowest(rating, self.floor, duel.left, FLOATS)
        return lowest

    def _duels(self, result: Result[BattlePointsSkill]) -> tuple[Duel, Duel]:
        places = check_result(self, result)
        (first,), (second,) = (team.players for team in result.teams)
        outcome = outcome_of(*places)
        someone_left = first.left_early or second.left_early
        lopsided = someone_left or formulas.is_shutout(outcome, *(_score(team) for team in result.teams))
        return self._duel(first, second, outcome, lopsided), self._duel(second, first, -outcome, lopsided)

    def _duel(
        self, own: Entrant[BattlePointsSkill], other: Entrant[BattlePointsSkill], outcome: float, lopsided: bool
    ) -> Duel:
        rating = own.skill.rating
        if own.left_early or other.left_early:
            outcome = formulas.with_leavers(outcome, own.left_early, other.left_early, FLOATS)
        _, k, modifier = self.brackets[formulas.bracket_index(rating, self.brackets)]
        if self.counts_matches:
            k = formulas.stake(own.matches, k, self.provisional_matches, self.provisional_k, FLOATS)
        return Duel(
            score=score_of(outcome),
            chance=formulas.chance(rating, other.skill.rating, FLOATS),
            lopsided=lopsided,
            left=own.left_early,
            k=k,
            modifier=modifier,
            provisional=own.matches < self.provisional_matches,
        )

    def win_probability(self, teams: Sequence[Sequence[Entrant[BattlePointsSkill]]]) -> tuple[float | None, ...]:
        if len(teams) != 2:
            return (None,) * len(teams)
        first, second = (sum(player.skill.rating for player in team) for team in teams)
        return formulas.chance(first, second, FLOATS), formulas.chance(second, first, FLOATS)

    def explain_reported(self, result: Result[BattlePointsSkill]) -> tuple[tuple[tuple[Factor, ...], ...], ...]:
        duels = self._duels(result)
        ratings = [team.players[0].skill.rating for team in result.teams]
        return tuple(
            (
                explain_duel(
                    duel,
                    other,
                    rating=rating,
                    floor=self.floor,
                    lowest=self._lowest(rating, duel),
                    after=_rounded(formulas.after(rating, duel.change, -inf, FLOATS)),
                ),
            )
            for duel, other, rating in zip(duels, duels[::-1], ratings, strict=True)
        )

    def display(self, skill: BattlePointsSkill) -> Decimal:
        return Decimal(skill.rating)

    def to_state(self, skill: BattlePointsSkill) -> State:
        return State(display_hundredths=100 * skill.rating)

    def from_state(self, state: State) -> BattlePointsSkill:
        return BattlePointsSkill(int(from_hundredths(state.display_hundredths, decimals=0)))

    def read_skill(self, fields: Mapping[str, Any]) -> BattlePointsSkill:
        path = f"{self.key} skill"
        read.only_known(fields, ("rating",), path)
        return BattlePointsSkill(read.integer(fields.get("rating"), f"{path}: rating", least=0, most=HIGHEST))

    def write_skill(self, skill: BattlePointsSkill) -> dict[str, Any]:
        return {"rating": skill.rating}


def _rounded(rating: float) -> int:
    return floor(rating + 0.5)


def _score(team: Team[S]) -> float:
    return nan if team.score is None else team.score
