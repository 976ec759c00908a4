"""The kernels, by the class of their system. One without a kernel is replayed by its scalar face."""

from __future__ import annotations

from typing import Any

from ranking.systems.base import System
from ranking.systems.batch.battle_points import BattlePointsKernel
from ranking.systems.batch.elo import EloKernel
from ranking.systems.batch.glicko2 import Glicko2Kernel
from ranking.systems.batch.kernels import Kernel
from ranking.systems.batch.team_ratio import TeamRatioKernel
from ranking.systems.batch.trueskill import TrueSkillKernel
from ranking.systems.batch.two_layer import TwoLayerKernel
from ranking.systems.battle_points import BattlePoints
from ranking.systems.elo import Elo
from ranking.systems.glicko2 import Glicko2
from ranking.systems.team_ratio import TeamRatio
from ranking.systems.trueskill import TrueSkill
from ranking.systems.two_layer import TwoLayer

KERNELS: dict[type[System[Any]], type[Kernel]] = {
    TeamRatio: TeamRatioKernel,
    TwoLayer: TwoLayerKernel,
    Elo: EloKernel,
    TrueSkill: TrueSkillKernel,
    BattlePoints: BattlePointsKernel,
    Glicko2: Glicko2Kernel,
}
