"""The registry of rating systems. A new one is a folder and its line here; all else is found from there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ranking.systems.base import Refused, System
from ranking.systems.batch.kernel import Kernel
from ranking.systems.battle_points.batch import BattlePointsKernel
from ranking.systems.battle_points.system import BattlePoints
from ranking.systems.elo.batch import EloKernel
from ranking.systems.elo.system import Elo
from ranking.systems.glicko2.batch import Glicko2Kernel
from ranking.systems.glicko2.system import Glicko2
from ranking.systems.margin.batch import MarginKernel
from ranking.systems.margin.system import Margin
from ranking.systems.shared.params import Parameter, describe
from ranking.systems.team_ratio.batch import TeamRatioKernel
from ranking.systems.team_ratio.system import TeamRatio
from ranking.systems.trueskill.batch import TrueSkillKernel
from ranking.systems.trueskill.system import TrueSkill
from ranking.systems.two_layer.batch import TwoLayerKernel
from ranking.systems.two_layer.system import TwoLayer
from ranking.systems.weng_lin.batch import WengLinKernel
from ranking.systems.weng_lin.system import WengLin

# Each system with its kernel for tables of matches, without which a replay rates match by match. In the order in which
# people are offered them.
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
SYSTEMS: dict[str, type[System[Any]]] = {system.key: system for system in KERNELS}


def system_class(key: str) -> type[System[Any]]:
    """The class registered under `key`; raises Refused listing the keys there are."""
    if not isinstance(key, str) or key not in SYSTEMS:
        raise Refused(f"There is no rating system {key!r}; choose one of {', '.join(SYSTEMS)}.")
    return SYSTEMS[key]


def get_system(key: str, params: Mapping[str, Any] | None = None) -> System[Any]:
    """The system with these parameters, the rest at their defaults; raises Refused."""
    return system_class(key).from_params(params or {})


def refusals_of(key: str, params: Mapping[str, object]) -> dict[str | None, str]:
    """Why the system refuses these parameters, by their names; None for parameters that don't go together."""
    try:
        get_system(key, params)
    except Refused as refused:
        whole = str(refused)
    else:
        return {}
    sentences: dict[str | None, str] = {}
    for name, value in params.items():
        try:
            get_system(key, {name: value})
        except Refused as refused:
            sentences[name] = str(refused)
    return sentences or {None: whole}


def describe_params(key: str) -> tuple[Parameter, ...]:
    """Name, default and meaning of each of a system's parameters."""
    return describe(system_class(key))


def system_choices() -> tuple[tuple[str, str], ...]:
    """Key and title of each system, for a form."""
    return tuple((key, system.title) for key, system in SYSTEMS.items())
