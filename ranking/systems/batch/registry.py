"""The kernels, by the class of their system. One without a kernel is replayed by its scalar face."""

from __future__ import annotations

from typing import Any

from ranking.systems.base import System
from ranking.systems.batch.kernels import Kernel
from ranking.systems.batch.trueskill import TrueSkillKernel
from ranking.systems.trueskill import TrueSkill

KERNELS: dict[type[System[Any]], type[Kernel]] = {
    TrueSkill: TrueSkillKernel,
}
