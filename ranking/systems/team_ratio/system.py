"""Team ratio: each match is a wager of a twentieth of the player's rank.

Source: "Ranking in Team-Based Competitive Games".

    won   R1 = R0 + R0/20 · (OA/YA) · (OT/YT)
    lost  R1 = max(1.00, R0 − R0/20 · (YA/OA) · (YT/OT))
    left  R1 = max(1.00, R0 − max(R0/20, R0/20 · (YA/OA) · (YT/OT))), whatever the result

YA and OA are the mean ranks of your team and of the other team before the match, YT and OT their total seconds. Whoever
played part-time counts by their share of the match in the means, and wins or loses that share of the wager (see
shared/presence.py). If everyone on the other team left, the players who stayed get R0 + R0/20. A draw lifts the team
with the lower mean as if it had won, and leaves the other team's ranks as they are; with equal means all ranks stay.

Departures from the source: its worked example rounds the means, here nothing is rounded before the end. The example
divides the seconds by the head count; here they are totals, as the source's legend says (for equal teams it is the
same). If either total is zero, the time factor is 1. The source gives no win probability; here it is Σ your ranks /
Σ all ranks. It names no highest rank; here it is the largest in a database's bigint, 92233720368547758.07.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import exp, log
from typing import Any, ClassVar

from ranking.systems.base import Entrant, Factor, Result, State, Strength, Team
from ranking.systems.shared import fields as read
from ranking.systems.shared.display import LARGEST_HUNDREDTHS, from_hundredths, hundredths
from ranking.systems.shared.fit_scales import FitScale
from ranking.systems.shared.logits import SETTLED
from ranking.systems.shared.params import read_params
from ranking.systems.shared.resets import SeasonReset, toward_whole
from ranking.systems.shared.rules import check_result, effective_places
from ranking.systems.shared.seeds import check_no_deviation, check_seed
from ranking.systems.shared.staying import StayingRule
from ranking.systems.team_ratio._explanation import explain_team
from ranking.systems.team_ratio.wagers import (
    LOWEST,
    Rule,
    TeamTotals,
    coefficients_of,
    new_rank,
    odds,
    rules_of,
    totals_of,
)
from ranking.wording.translation import gettext_noop

MIDDLE = 1_000  # of the field, in hundredths


@dataclass(frozen=True, slots=True)
class TeamRatioSkill:
    """A rank in hundredths, at least 100."""

    hundredths: int


@dataclass(frozen=True, slots=True)
class TeamRatio(SeasonReset[TeamRatioSkill], StayingRule[TeamRatioSkill]):
    """The system has no parameters: the source fixes the twentieth and the floor."""

    key: ClassVar[str] = "team-ratio"
    title: ClassVar[str] = "Team ratio"
    decimals: ClassVar[int] = 2
    team_counts: ClassVar[tuple[int, int | None]] = (2, 2)
    max_team_size: ClassVar[int | None] = None
    counts_idle_days: ClassVar[bool] = False
    counts_stats: ClassVar[bool] = False
    fits: ClassVar[Mapping[str, FitScale]] = {}

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> TeamRatio:
        return cls(**read_params(cls, params))

    def newcomer(self) -> TeamRatioSkill:
        return TeamRatioSkill(LOWEST)

    def softened(self, skill: TeamRatioSkill, factor: float) -> TeamRatioSkill:
        return TeamRatioSkill(toward_whole(LOWEST, skill.hundredths, factor))

    def seed(self, display: Decimal, deviation: float | None = None, matches: int = 0) -> TeamRatioSkill:
        least, most = from_hundredths(LOWEST), from_hundredths(LARGEST_HUNDREDTHS)
        check_seed(self, display, matches, least=least, most=most)
        check_no_deviation(self, deviation)
        return TeamRatioSkill(hundredths(display))

    def rate_reported(self, result: Result[TeamRatioSkill]) -> tuple[tuple[TeamRatioSkill, ...], ...]:
        places = effective_places(result, check_result(self, result))
        first, second = sides = totals_of(result)
        rules = rules_of(result, places, sides)
        return (
            _rate_team(result.teams[0], rules[0], first, second),
            _rate_team(result.teams[1], rules[1], second, first),
        )

    def win_probability(self, teams: Sequence[Sequence[Entrant[TeamRatioSkill]]]) -> tuple[float | None, ...]:
        if len(teams) != 2:
            return (None,) * len(teams)
        totals = [sum(_weighted_rank(player) for player in team) for team in teams]
        return tuple(total / sum(totals) for total in totals)

    def explain_reported(self, result: Result[TeamRatioSkill]) -> tuple[tuple[tuple[Factor, ...], ...], ...]:
        places = effective_places(result, check_result(self, result))
        first, second = sides = totals_of(result)
        rules = rules_of(result, places, sides)
        return (
            explain_team(result, result.teams, rules[0], first, second),
            explain_team(result, result.teams[::-1], rules[1], second, first),
        )

    def strength(self, skill: TeamRatioSkill) -> Strength:
        return Strength(log(skill.hundredths / MIDDLE), SETTLED)

    def skill_of(self, strength: Strength) -> TeamRatioSkill:
        return TeamRatioSkill(min(max(LOWEST, round(MIDDLE * exp(strength.level))), LARGEST_HUNDREDTHS))

    def display(self, skill: TeamRatioSkill) -> Decimal:
        return from_hundredths(skill.hundredths)

    def to_state(self, skill: TeamRatioSkill) -> State:
        return State(display_hundredths=skill.hundredths)

    def from_state(self, state: State) -> TeamRatioSkill:
        return TeamRatioSkill(state.display_hundredths)

    def read_skill(self, fields: Mapping[str, Any]) -> TeamRatioSkill:
        path = f"{self.key} skill"
        read.only_known(fields, ("rating",), path)
        return TeamRatioSkill(_read_rank(fields.get("rating"), f"{path}: rating"))

    def write_skill(self, skill: TeamRatioSkill) -> dict[str, Any]:
        return {"rating": str(from_hundredths(skill.hundredths))}


def _rate_team(
    team: Team[TeamRatioSkill], rule: Rule, own: TeamTotals, other: TeamTotals
) -> tuple[TeamRatioSkill, ...]:
    up = odds(own, other)
    stayed, left = coefficients_of(rule, up), coefficients_of(Rule.LEFT, up)
    return tuple(
        [
            TeamRatioSkill(
                new_rank(
                    player.skill.hundredths,
                    left if player.left_early else stayed if share == 1 else coefficients_of(rule, up, share),
                )
            )
            for player, share in zip(team.players, own.shares, strict=True)
        ]
    )


def _weighted_rank(player: Entrant[TeamRatioSkill]) -> float:
    """The rank by the player's share; whole numbers stay so, however large they are."""
    return player.skill.hundredths if player.share == 1 else player.share * player.skill.hundredths


def _read_rank(value: object, path: str) -> int:
    """A rank in hundredths, from a decimal string such as "21.84", an integer, or a float that prints as such."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        sentence = gettext_noop("%(field)s must be a decimal such as %(example)s, not %(value)s.")
        raise read.Malformed(path, sentence, example='"21.84"', value=read.shown(value))
    if isinstance(value, float):
        read.number(value, path)
        value = format(Decimal(repr(value)), "f")
    plain = re.fullmatch(r"([0-9]{1,17})(?:\.([0-9]{1,2}))?", str(value))
    if plain is None:
        sentence = gettext_noop(
            "%(field)s must be a decimal with at most two places, such as %(example)s, not %(value)s."
        )
        raise read.Malformed(path, sentence, example='"21.84"', value=read.shown(value))
    hundredths = int(plain[1]) * 100 + int((plain[2] or "").ljust(2, "0"))
    if not LOWEST <= hundredths <= LARGEST_HUNDREDTHS:
        sentence = gettext_noop("%(field)s must be from %(least)s to %(most)s, not %(value)s.")
        bounds = {"least": "1.00", "most": from_hundredths(LARGEST_HUNDREDTHS)}
        raise read.Malformed(path, sentence, value=read.shown(value), **bounds)
    return hundredths
