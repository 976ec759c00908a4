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
            why_presence=_why_presence(own, other, *left),
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
        return gettext("Leaving early costs at least a twentieth of the rating, whatever the result.")
    if rule is Rule.WON_ALONE:
        return gettext("Everyone on the other side left, so the win brings a twentieth of the rating.")
    if rule is Rule.DRAWN_AS_LOWER:
        if not _look_even(own, other):
            return gettext("The lower-rated side gains from a draw as from a win: a twentieth of the rating.")
        why = gettext("The lower-rated side gains from a draw as from a win; the difference was less than %(step)s.")
        return why % {"step": number_text(_STEP, 2)}
    stronger, weaker = opposition(own, other)
    if stronger == weaker:
        return gettext("A twentieth of the rating before the match. Both sides were even.")
    return gettext("A twentieth of the rating before the match.")


def _times(ratio: Ratio) -> float:
    """A ratio as a float; a ratio beyond every float gives the largest float."""
    try:
        return ratio[0] / ratio[1]
    except OverflowError:
        return float_info.max


def _why_draw(own: TeamTotals, other: TeamTotals) -> str:
    ya, oa = own.total * other.size, other.total * own.size
    if ya == oa:
        return gettext("A draw between sides that were rated the same changes no rating.")
    if not _look_even(own, other):
        return gettext("A draw changes nothing for the higher-rated side.")
    why = gettext("A draw changes nothing for the higher-rated side; the difference was less than %(step)s.")
    return why % {"step": number_text(_STEP, 2)}


def _why_opposition(own: TeamTotals, other: TeamTotals) -> str:
    means = {"own": _mean_text(own), "other": _mean_text(other)}
    oa, ya = opposition(own, other)
    if len(own.shares) == len(other.shares) == 1:
        if _look_even(own, other):
            why = gettext("Both players were rated %(own)s.")
        elif oa > ya:
            why = gettext("The opponent was rated higher: %(other)s to %(own)s.")
        else:
            why = gettext("The opponent was rated lower: %(other)s to %(own)s.")
    elif _look_even(own, other):
        why = gettext("Both sides were rated %(own)s on average.")
    elif oa > ya:
        why = gettext("The other side was rated higher on average: %(other)s to %(own)s.")
    else:
        why = gettext("The other side was rated lower on average: %(other)s to %(own)s.")
    return why % means


def _look_even(own: TeamTotals, other: TeamTotals) -> bool:
    """True if the two means are the same number as they are displayed."""
    return _mean_text(own) == _mean_text(other)


def _mean_text(side: TeamTotals) -> str:
    return number_text(float(side.total / (100 * side.size)), 2)


def _why_presence(own: TeamTotals, other: TeamTotals, own_left: int, others_left: int) -> str:
    """The reason for unequal times; `own_left`: players of this team who left, `others_left`: opponents.

    Those who left the team that was in game for more time are no reason.
    """
    if own.seconds >= other.seconds:
        if not others_left:
            return gettext("The other side had less time in game.")
        why = ngettext(
            "A player of the other side left early, so it had less time in game.",
            "%(number)s players of the other side left early, so it had less time in game.",
            others_left,
        )
        return why % {"number": number_text(others_left)}
    if not own_left:
        return gettext("This side had less time in game.")
    why = ngettext(
        "A player of this side left early, so it had less time in game.",
        "%(number)s players of this side left early, so it had less time in game.",
        own_left,
    )
    return why % {"number": number_text(own_left)}
