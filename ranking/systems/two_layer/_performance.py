"""Two-layer's visible layer, steps 6 and 7 (see system.py): stats within a team, and whole points.

Both steps keep a team's sum: what one player gains by playing better than their team-mates, the others lose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, fsum, isfinite, log1p
from statistics import median

from ranking.systems.base import Entrant, Refused, S
from ranking.systems.shared.maths import FLOATS
from ranking.systems.shared.rules import stayed_a_quarter
from ranking.systems.two_layer import formulas
from ranking.systems.two_layer._visible import Stake
from ranking.systems.two_layer.params import LOGARITHMIC, TwoLayerParams

TO_DEVIATIONS = 0.6745  # the median absolute deviation of a normal distribution, in standard deviations
ALL_ALIKE = 1e-9


def by_performance(
    params: TwoLayerParams, players: Sequence[Entrant[S]], stakes: Sequence[Stake], rounds: int | None
) -> list[float]:
    """f: the changes of a team that won or lost, moved by stats between the players who are judged."""
    changes = [stake.change for stake in stakes]
    judged = [index for index, player in enumerate(players) if is_judged(player)]
    if len(judged) < 2:
        return changes
    scores = _deviations([_impact(params, players[index], rounds) for index in judged])
    moved = {}
    for index, z in zip(judged, scores, strict=True):
        stake, tilt = stakes[index], formulas.tilt(params, z, FLOATS)
        moved[index] = formulas.moved(params, changes[index], tilt, stake.score == 1, stake.cap, FLOATS)
    gained = fsum([a for a in moved.values() if a > 0])
    lost = -fsum([a for a in moved.values() if a < 0])
    both = min(gained, lost)
    for index, a in moved.items():
        if both > 0 and a != 0:
            changes[index] += a * both / (gained if a > 0 else lost)
    return changes


def is_judged(player: Entrant[S]) -> bool:
    """True if a player stayed, was there for at least a quarter of the match, and has stats."""
    return bool(player.stats) and stayed_a_quarter(player)


def _impact(params: TwoLayerParams, player: Entrant[S], rounds: int | None) -> float:
    impact = impact_of(params, player.stats, player.rounds_played or (player.presence * rounds if rounds else None))
    if not isfinite(impact):
        raise Refused(f"two-layer can't rate player {player.id!r}, whose stats are too large to add up.")
    return impact


def impact_of(params: TwoLayerParams, stats: Mapping[str, float], rounds: float | None) -> float:
    """The weighted sum of a player's stats, for each round; infinite or NaN if they are too large to add up."""
    points = [
        weight * (log1p(max(0.0, stats.get(name, 0))) if name == LOGARITHMIC else stats.get(name, 0))
        for name, weight in params.impact_weights.items()
    ]
    return sum(points) / (rounds or 1)


def _deviations(impacts: Sequence[float]) -> list[float]:
    """The distance of each impact from the team's median, in robust standard deviations."""
    middle = median(impacts)
    spread = median([abs(impact - middle) for impact in impacts])
    if spread < ALL_ALIKE:
        return [0.0] * len(impacts)
    return [TO_DEVIATIONS * (impact - middle) / spread for impact in impacts]


def in_whole_points(changes: Sequence[float], total: float) -> list[int]:
    """r: the changes rounded so that they add up to the rounded total; each is less than 1 from its change.

    Players whose rounding errors are equal, to nine decimals, get a missing point in roster order.
    """
    rounded = [round_half_away(change) for change in changes]
    missing = round_half_away(total) - sum(rounded)
    step = 1 if missing > 0 else -1
    short = sorted(range(len(changes)), key=lambda index: round(step * (rounded[index] - changes[index]), 9))
    for index in short[: abs(missing)]:
        rounded[index] += step
    return rounded


def round_half_away(value: float) -> int:
    """The value rounded to nine decimals, then to the nearest whole number, halves away from zero."""
    near = round(value, 9)
    return floor(near + 0.5) if near >= 0 else -floor(-near + 0.5)
