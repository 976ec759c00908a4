"""Explains a change of an MMR: the factors of two-layer's visible layer, with the match's numbers.

The change of the MMR is stake × (result − expectation) × the `times` factors, within the caps, plus the `amount`
factors after them.
"""

from __future__ import annotations

from typing import Any

from ranking.systems.base import Entrant, Factor
from ranking.systems.shared.scores import why_score
from ranking.systems.two_layer.params import TwoLayerParams
from ranking.systems.two_layer.visible import Stake

_WORST = "Nobody knows your stats, had you stayed: the worst there could have been."


def explain_player(
    params: TwoLayerParams, player: Entrant[Any], stake: Stake, change: float, points: int, *, worst: bool = False
) -> tuple[Factor, ...]:
    """The factors of one player's change; `change`: f, with the stats; `points`: r, in whole points.

    `worst`: the change is that by the worst stats there could have been.
    """
    left = player.left_early
    factors = [
        Factor("Stake", stake.k, "stake", "The less certain your skill, the more is at stake."),
        Factor("Result", stake.score, "share", why_score(stake.score, left_early=left)),
        Factor("Win expectation", stake.expected, "share", _why_expected(left)),
    ]
    if stake.upset != 1:
        why = "The other team was expected to win." if stake.score == 1 else "Your team was expected to win."
        factors.append(Factor("Upset", stake.upset, "times", why))
    if stake.relief != 1:
        factors.append(Factor("Favourite's relief", stake.relief, "times", "Your team was expected to win."))
    if stake.elite != 1:
        why = "Gains shrink at the top." if stake.change > 0 else "Losses grow at the top."
        factors.append(Factor("Top ratings", stake.elite, "times", why))
    uncapped = stake.k * (stake.score - stake.expected) * stake.upset * stake.relief * stake.elite
    if abs(uncapped - stake.change) > 1e-9:
        most = f"brings more than {stake.cap:g}" if stake.change > 0 else f"costs more than {params.cap_loss:g}"
        factors.append(Factor("Cap", stake.change - uncapped, "amount", f"No match {most}."))
    if change != stake.change:
        better = "better" if change > stake.change else "less well"
        why = _WORST if worst else f"By your stats you played {better} than your team-mates."
        factors.append(Factor("Performance", change - stake.change, "amount", why))
    if points != change:
        why = "To whole points." if worst else "Whole points, shared out so that the team's add up."
        factors.append(Factor("Rounding", points - change, "amount", why))
    if player.skill.mmr + points < 0:
        factors.append(Factor("Floor", 0.0, "floor", "No MMR falls below 0."))
    return tuple(factors)


def _why_expected(left: bool) -> str:
    if left:
        return "Your team's chance by the skills of everybody, drawn nearer to even."
    return "Your team's chance by the skills of those who were there, drawn nearer to even."
