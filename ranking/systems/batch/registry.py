"""The kernels, by the class of their system. One without a kernel is replayed by its scalar face."""

from __future__ import annotations

from typing import Any

from ranking.systems.base import System
from ranking.systems.batch.elo import EloKernel
from ranking.systems.batch.kernels import Kernel
from ranking.systems.batch.team_ratio import TeamRatioKernel
from ranking.systems.batch.trueskill import TrueSkillKernel
from ranking.systems.elo import Elo
from ranking.systems.team_ratio import TeamRatio
from ranking.systems.trueskill import TrueSkill

KERNELS: dict[type[System[Any]], type[Kernel]] = {
    TeamRatio: TeamRatioKernel,
    Elo: EloKernel,
    TrueSkill: TrueSkillKernel,
}
