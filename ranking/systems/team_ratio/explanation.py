"""Explains a change of a team-ratio rank: the factors of the formula, with the match's numbers.

The product of a player's `amount` and `times` factors is the change before rounding and before the floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import float_info
from typing import Any

from ranking.systems.base import Factor, Result, Team
from ranking.systems.shared.explanations import part_time
from ranking.systems.team_ratio.wagers import (
    LOWEST,
    WAGER,
    Exact,
    Ratio,
    Rule,
    TeamTotals,
    coefficients_of,
    odds,
    opposition,
    presence,
)
from ranking.wording.translation import gettext, ngettext, number_text, pgettext

Factors = tuple[Factor, ...]
_STEP = 0.01  # means are displayed with two decimals


def explain_team(
    result: Result[Any], teams: Sequence[Team[Any]], rule: Rule, own: TeamTotals, other: TeamTotals
) -> tuple[tuple[Factor, ...], ...]:
    """The factors of each player on the first of these teams of a match; `rule`: the one for players who stayed."""
    left = [sum(player.left_early for player in team.players) for team in teams]
    return tuple(
        _factors(
            player.skill.hundredths,
            Rule.LEFT if player.left_early else rule,
            own,
            other,
            why_presence=_why_presence(own, other, left[0] - player.left_early, left[1], player.left_early),
            share=share,
            part=part_time(player, result, "times"),
        )
        for player, share in zip(teams[0].players, own.shares, strict=True)
    )


def _factors(
    rank: int,
    rule: Rule,
    own: TeamTotals,
    other: TeamTotals,
    *,
    why_presence: str,
    share: Exact,
    part: Factors,
) -> tuple[Factor, ...]:
    if rule is Rule.DRAWN_STAYS:
        return (Factor(pgettext("factor", "Draw"), 0.0, "amount", _why_draw(own, other)),)
    up = odds(own, other)
    gains = rule in (Rule.WON, Rule.WON_ALONE, Rule.DRAWN_AS_LOWER)
    wager = rank / (100 * WAGER)
    why = _why_wager(rule, own, other)
    factors = [Factor(pgettext("factor", "Base wager"), wager if gains else -wager, "amount", why)]
    if rule is not Rule.WON_ALONE and not (rule is Rule.LEFT and up[0] >= up[1]):
        strength, time = opposition(own, other), presence(own, other)
        if not gains:
            strength, time = strength[::-1], time[::-1]
        times = (
            Factor(pgettext("factor", "Opposition"), _times(strength), "times", _why_opposition(own, other)),
            Factor(pgettext("factor", "Time in game"), _times(time), "times", why_presence),
        )
        factors += [factor for factor in times if factor.value != 1]
    factors += part
    a, b, c = coefficients_of(rule, up, share)
    if (rank * a + b) // c < LOWEST:  # as `new_rank`, before the floor
        why = gettext("No rating falls below %(floor)s.") % {"floor": number_text(LOWEST / 100, 2)}
        factors.append(Factor(pgettext("factor", "Floor"), LOWEST / 100, "floor", why))
    return tuple(factors)


def _why_wager(rule: Rule, own: TeamTotals, other: TeamTotals) -> str:
    if rule is Rule.LEFT:
        return gettext("You left early: that costs a twentieth of your rating or more, whatever the result.")
    if rule is Rule.WON_ALONE:
        return gettext("Everyone on the other team left, so you win a twentieth of your rating.")
    if rule is Rule.DRAWN_AS_LOWER:
        if not _look_even(own, other):
            return gettext("A draw counts as a win for the team rated lower: a twentieth of your rating.")
        why = gettext("A draw counts as a win for the team rated lower, if only by less than %(step)s.")
        return why % {"step": number_text(_STEP, 2)}
    stronger, weaker = opposition(own, other)
    if stronger == weaker:
        return gettext("A twentieth of your rating before the match. The teams were even.")
    return gettext("A twentieth of your rating before the match.")


def _times(ratio: Ratio) -> float:
    """A ratio as a float; a ratio beyond every float gives the largest float."""
    try:
        return ratio[0] / ratio[1]
    except OverflowError:
        return float_info.max


def _why_draw(own: TeamTotals, other: TeamTotals) -> str:
    ya, oa = own.total * other.size, other.total * own.size
    if ya == oa:
        return gettext("A draw between teams rated the same leaves all ratings as they were.")
    if not _look_even(own, other):
        return gettext("Your team was rated higher, so a draw leaves its ratings as they were.")
    why = gettext("Your team was rated higher, by less than %(step)s, so a draw leaves its ratings as they were.")
    return why % {"step": number_text(_STEP, 2)}


def _why_opposition(own: TeamTotals, other: TeamTotals) -> str:
    means = {"own": _mean_text(own), "other": _mean_text(other)}
    if _look_even(own, other):
        return gettext("The teams were even: both %(own)s on average.") % means
    oa, ya = opposition(own, other)
    if oa > ya:
        return gettext("The other team was rated higher on average: %(other)s to your %(own)s.") % means
    return gettext("The other team was rated lower on average: %(other)s to your %(own)s.") % means


def _look_even(own: TeamTotals, other: TeamTotals) -> bool:
    """True if the two means are the same number as they are displayed."""
    return _mean_text(own) == _mean_text(other)


def _mean_text(side: TeamTotals) -> str:
    return number_text(float(side.total / (100 * side.size)), 2)


def _why_presence(own: TeamTotals, other: TeamTotals, mates_left: int, others_left: int, left_self: bool) -> str:
    """The reason for unequal times; `mates_left`: team-mates of the player who left, `others_left`: opponents.

    Those who left the team that was in game for more time are no reason.
    """
    if own.seconds >= other.seconds:
        if not others_left:
            return gettext("The other team had less time in game.")
        why = ngettext(
            "An opponent left early, so the other team had less time in game.",
            "%(number)s opponents left early, so the other team had less time in game.",
            others_left,
        )
        return why % {"number": number_text(others_left)}
    if left_self and not mates_left:
        return gettext("You left early, so your team had less time in game.")
    if not mates_left:
        return gettext("Your team had less time in game.")
    why = ngettext(
        "A team-mate left early, so your team had less time in game.",
        "%(number)s of your team-mates left early, so your team had less time in game.",
        mates_left,
    )
    if left_self:
        why = ngettext(
            "You and a team-mate left early, so your team had less time in game.",
            "You and %(number)s of your team-mates left early, so your team had less time in game.",
            mates_left,
        )
    return why % {"number": number_text(mates_left)}
