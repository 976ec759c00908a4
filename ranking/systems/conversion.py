"""Converts a skill of one system into an equally strong skill of another, to rate the same match by both.

No source defines such a conversion; this one is our choice. A strength says how far above the middle of the field a
player stands, in logits of one against one: the odds of a player who is one logit ahead are e to 1 on a logistic
curve such as Elo's; see shared/logits.py. The middle is a newcomer's mean; team-ratio's newcomers start at the bottom,
so its middle is 10.00. Doubt is the share of a newcomer's uncertainty that is left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import exp, log
from typing import Any, NamedTuple

from ranking.systems.base import State, System
from ranking.systems.battle_points.system import BattlePointsSkill
from ranking.systems.elo.system import EloSkill
from ranking.systems.glicko2.formulas import SCALE as GLICKO
from ranking.systems.glicko2.formulas import START, WIDEST
from ranking.systems.glicko2.system import START_VOLATILITY, Glicko2Skill
from ranking.systems.margin.skill import MarginSkill
from ranking.systems.shared.display import LARGEST_HUNDREDTHS
from ranking.systems.shared.logits import NORMAL, POINTS_PER_LOGIT
from ranking.systems.shared.mean_and_deviation import GaussianSkill
from ranking.systems.team_ratio.system import TeamRatioSkill
from ranking.systems.team_ratio.wagers import LOWEST
from ranking.systems.two_layer.hidden import TwoLayerSkill
from ranking.systems.weng_lin.system import MODEL

MIDDLE = 1_000  # of team-ratio, in hundredths
PRACTISED = 15  # matches that a converted skill of margin rests on: half of what practice brings
SETTLED = 0.3  # the doubt about a player whose system keeps no uncertainty
FURTHEST = 40.0  # logits; a player so far behind has no chance in any system


class Strength(NamedTuple):
    level: float  # logits above the middle
    doubt: float  # share of a newcomer's uncertainty


class Scale(NamedTuple):
    """Converts one system's skills to strengths and back."""

    read: Callable[[Any, Any], Strength]  # (system, skill)
    make: Callable[[Any, Strength], Any]  # (system, strength) → skill


SCALES: dict[str, Scale] = {
    "team-ratio": Scale(
        lambda system, skill: Strength(log(skill.hundredths / MIDDLE), SETTLED),
        lambda system, s: TeamRatioSkill(min(max(LOWEST, round(MIDDLE * exp(s.level))), LARGEST_HUNDREDTHS)),
    ),
    "two-layer": Scale(
        lambda system, skill: Strength(NORMAL * (skill.mu - system.mu) / system.beta, skill.sigma / system.sigma),
        lambda system, s: TwoLayerSkill(
            mu=system.mu + s.level * system.beta / NORMAL,
            sigma=max(system.sigma_min, min(1.0, s.doubt) * system.sigma),
            mmr=max(0, round(system.mmr + s.level * POINTS_PER_LOGIT)),
        ),
    ),
    "elo": Scale(
        lambda system, skill: Strength(NORMAL * (skill.rating - system.start) / system.beta, SETTLED),
        lambda system, s: EloSkill(system.start + s.level * system.beta / NORMAL),
    ),
    "trueskill": Scale(
        lambda system, skill: Strength(NORMAL * (skill.mu - system.mu) / system.beta, skill.sigma / system.sigma),
        lambda system, s: GaussianSkill(system.mu + s.level * system.beta / NORMAL, s.doubt * system.sigma),
    ),
    "battle-points": Scale(
        lambda system, skill: Strength((skill.rating - system.start) / POINTS_PER_LOGIT, SETTLED),
        lambda system, s: BattlePointsSkill(max(system.floor, round(system.start + s.level * POINTS_PER_LOGIT))),
    ),
    "glicko-2": Scale(
        lambda system, skill: Strength((skill.rating - START) / GLICKO, skill.deviation / WIDEST),
        lambda system, s: Glicko2Skill(START + s.level * GLICKO, min(1.0, s.doubt) * WIDEST, START_VOLATILITY),
    ),
    "weng-lin": Scale(
        lambda system, skill: Strength(NORMAL * (skill.mu - MODEL.mu) / system.beta, skill.sigma / MODEL.sigma),
        lambda system, s: GaussianSkill(MODEL.mu + s.level * system.beta / NORMAL, s.doubt * MODEL.sigma),
    ),
    "margin": Scale(
        lambda system, skill: Strength(NORMAL * system.slope * skill.mu / system.beta, skill.sigma / system.sigma),
        lambda system, s: MarginSkill(
            s.level * system.beta / (NORMAL * system.slope), min(1.0, s.doubt) * system.sigma, PRACTISED
        ),
    ),
}


def convert_skill(skill: Any, old: System[Any], new: System[Any]) -> Any:
    """A skill of the old system as an equally strong skill of the new one.

    A newcomer stays a newcomer. If either system has no scale, the result is a newcomer, too.
    """
    if skill == old.newcomer() or old.key not in SCALES or new.key not in SCALES:
        return new.newcomer()
    level, doubt = SCALES[old.key].read(old, skill)
    return SCALES[new.key].make(new, Strength(min(max(level, -FURTHEST), FURTHEST), max(doubt, 1e-6)))


def convert_state(state: State, old: System[Any], new: System[Any]) -> State:
    """A state of the old system as an equally strong one of the new system.

    It stays as it is if the systems differ at most in the rule for leavers, which says nothing about strengths.
    """
    if old.key == new.key and replace(_fields(old), staying_is_better=new.staying_is_better) == new:
        return state
    return new.to_state(convert_skill(old.from_state(state), old, new))


def _fields(system: System[Any]) -> Any:
    """The system as the dataclass that it is."""
    return system
