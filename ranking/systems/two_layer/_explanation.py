"""Explains a change of an MMR: the factors of two-layer's visible layer, with the match's numbers.

The change of the MMR is stake × (result − expectation) × the `times` factors, within the caps, plus the `amount`
factors after them.
"""

from __future__ import annotations

from ranking.systems.base import Entrant, Factor, Result
from ranking.systems.shared.explanations import part_time, plain_number
from ranking.systems.shared.scores import why_score
from ranking.systems.two_layer._visible import Stake
from ranking.systems.two_layer.hidden import TwoLayerSkill
from ranking.systems.two_layer.params import TwoLayerParams
from ranking.wording.translation import gettext, pgettext


def explain_player(
    params: TwoLayerParams,
    result: Result[TwoLayerSkill],
    player: Entrant[TwoLayerSkill],
    stake: Stake,
    change: float,
    points: int,
    *,
    worst: bool = False,
) -> tuple[Factor, ...]:
    """The factors of one player's change in a match; `change`: f, with the stats; `points`: r, in whole points.

    `worst`: the change is that by the worst stats there could have been.
    """
    left = player.left_early
    factors = [
        Factor(
            pgettext("factor", "Stake"),
            stake.k,
            "stake",
            gettext("The less certain a skill, the more is at stake."),
        ),
        Factor(pgettext("factor", "Result"), stake.score, "share", why_score(stake.score, left_early=left)),
        Factor(pgettext("factor", "Win expectation"), stake.expected, "share", _why_expected(left)),
    ]
    favourite = gettext("A win was expected.")
    if stake.upset != 1:
        why = gettext("A loss was expected.") if stake.score == 1 else favourite
        factors.append(Factor(pgettext("factor", "Upset"), stake.upset, "times", why))
    if stake.relief != 1:
        factors.append(Factor(pgettext("factor", "Favourite’s relief"), stake.relief, "times", favourite))
    if stake.elite != 1:
        why = gettext("Gains shrink at the top.") if stake.change > 0 else gettext("Losses grow at the top.")
        factors.append(Factor(pgettext("factor", "Top ratings"), stake.elite, "times", why))
    factors += part_time(player, result, "times")
    uncapped = stake.share * stake.k * (stake.score - stake.expected) * stake.upset * stake.relief * stake.elite
    if abs(uncapped - stake.change) > 1e-9:
        gains = stake.change > 0
        why = gettext("No match brings more than %(most)s.") if gains else gettext("No match costs more than %(most)s.")
        why %= {"most": plain_number(stake.cap if gains else params.cap_loss)}
        factors.append(Factor(pgettext("factor", "Cap"), stake.change - uncapped, "amount", why))
    if change != stake.change:
        why = _why_performance(change > stake.change, worst)
        factors.append(Factor(pgettext("factor", "Performance"), change - stake.change, "amount", why))
    if points != change:
        why = gettext("Rounded to whole points so that those of the team add up.")
        if worst:
            why = gettext("Rounded to whole points.")
        factors.append(Factor(pgettext("factor", "Rounding"), points - change, "amount", why))
    if player.skill.mmr + points < 0:
        factors.append(Factor(pgettext("factor", "Floor"), 0.0, "floor", gettext("No MMR falls below 0.")))
    return tuple(factors)


def _why_performance(better: bool, worst: bool) -> str:
    if worst:
        return gettext("Nobody knows which stats staying would have brought, so the worst possible ones count.")
    if better:
        return gettext("The stats were better than those of the team-mates.")
    return gettext("The stats were worse than those of the team-mates.")


def _why_expected(left: bool) -> str:
    if left:
        return gettext("The chance to win by everybody’s skills, moved closer to even.")
    return gettext("The chance to win by the skills of those who were there, moved closer to even.")
