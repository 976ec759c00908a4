"""The kernel of each rating system."""

from typing import Any

from ranking.systems.base import System
from ranking.systems.batch.kernel import Kernel
from ranking.systems.battle_points.batch import BattlePointsKernel
from ranking.systems.battle_points.system import BattlePoints
from ranking.systems.elo.batch import EloKernel
from ranking.systems.elo.system import Elo
from ranking.systems.glicko2.batch import Glicko2Kernel
from ranking.systems.glicko2.system import Glicko2
from ranking.systems.margin.batch import MarginKernel
from ranking.systems.margin.system import Margin
from ranking.systems.team_ratio.batch import TeamRatioKernel
from ranking.systems.team_ratio.system import TeamRatio
from ranking.systems.trueskill.batch import TrueSkillKernel
from ranking.systems.trueskill.system import TrueSkill
from ranking.systems.two_layer.batch import TwoLayerKernel
from ranking.systems.two_layer.system import TwoLayer
from ranking.systems.weng_lin.batch import WengLinKernel
from ranking.systems.weng_lin.system import WengLin

KERNELS: dict[type[System[Any]], type[Kernel]] = {
    TeamRatio: TeamRatioKernel,
    TwoLayer: TwoLayerKernel,
    Elo: EloKernel,
    TrueSkill: TrueSkillKernel,
    BattlePoints: BattlePointsKernel,
    Glicko2: Glicko2Kernel,
    WengLin: WengLinKernel,
    Margin: MarginKernel,
}
