"""What a player's own statistic says about them, compared with the team-mates who stayed."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt

from ranking.systems.margin import formulas
from ranking.systems.margin.observation import Side, contrast
from ranking.systems.margin.skill import Form

LEAST_DEVIATION = 1e-9


def by_impact(forms: Sequence[Form], values: Sequence[float], impact: float, noise: float) -> list[Form]:
    """The forms after the players' statistics; a player gains only by more than their lead in skill makes expected."""
    mean = fsum(values) / len(values)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
    if deviation <= LEAST_DEVIATION:
        return list(forms)
    seen = [formulas.seen_by_stat(value - mean, deviation, impact) for value in values]
    pulls = contrast(seen, [Side(form.mu, form.variance, 1.0, noise) for form in forms])
    return [Form(*formulas.judged(mu, variance, *pull)) for (mu, variance), pull in zip(forms, pulls, strict=True)]


def lowest_of(values: Sequence[float | None], slot: int) -> list[float | None]:
    """The statistics if this player's were the one lowest of otherwise equal ones; None if somebody else has none."""
    others = [value for index, value in enumerate(values) if index != slot]
    if any(value is None for value in others):
        return [None] * len(values)
    return [0.0 if index == slot else 1.0 for index in range(len(values))]
