"""Explains a change of a team-ratio rank: the factors of the formula, with the match's numbers.

The product of a player's `amount` and `times` factors is the change before rounding and before the floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import float_info
from typing import Any

from ranking.systems.base import Factor, Team
from ranking.systems.team_ratio.wagers import (
    LOWEST,
    WAGER,
    Ratio,
    Rule,
    TeamTotals,
    coefficients_of,
    odds,
    opposition,
    presence,
)

_STEP = "0.01"  # means are displayed with two decimals
_WHY_WAGER = {
    Rule.WON: "A twentieth of your rating before the match.",
    Rule.LOST: "A twentieth of your rating before the match.",
    Rule.WON_ALONE: "Everyone on the other team left, so you win a twentieth of your rating.",
    Rule.DRAWN_AS_LOWER: "A draw counts as a win for the team rated lower: a twentieth of your rating.",
    Rule.LEFT: "You left early: that costs a twentieth of your rating or more, whatever the result.",
}


def explain_team(
    teams: Sequence[Team[Any]], rule: Rule, own: TeamTotals, other: TeamTotals
) -> tuple[tuple[Factor, ...], ...]:
    """The factors of each player on the first team; `rule`: the one for players who stayed."""
    left = [sum(player.left_early for player in team.players) for team in teams]
    return tuple(
        _factors(
            player.skill.hundredths,
            Rule.LEFT if player.left_early else rule,
            own,
            other,
            why_presence=_why_presence(own, other, left[0] - player.left_early, left[1], player.left_early),
        )
        for player in teams[0].players
    )


def _factors(rank: int, rule: Rule, own: TeamTotals, other: TeamTotals, *, why_presence: str) -> tuple[Factor, ...]:
    if rule is Rule.DRAWN_STAYS:
        return (Factor("Draw", 0.0, "amount", _why_draw(own, other)),)
    up = odds(own, other)
    gains = rule in (Rule.WON, Rule.WON_ALONE, Rule.DRAWN_AS_LOWER)
    wager = rank / (100 * WAGER)
    factors = [Factor("Base wager", wager if gains else -wager, "amount", _why_wager(rule, own, other))]
    if rule is not Rule.WON_ALONE and not (rule is Rule.LEFT and up[0] >= up[1]):
        strength, time = opposition(own, other), presence(own, other)
        if not gains:
            strength, time = strength[::-1], time[::-1]
        times = (
            Factor("Opposition", _times(strength), "times", _why_opposition(own, other)),
            Factor("Time in game", _times(time), "times", why_presence),
        )
        factors += [factor for factor in times if factor.value != 1]
    a, b, c = coefficients_of(rule, up)
    if (rank * a + b) // c < LOWEST:  # as `new_rank`, before the floor
        factors.append(Factor("Floor", LOWEST / 100, "floor", "No rating falls below 1.00."))
    return tuple(factors)


def _why_wager(rule: Rule, own: TeamTotals, other: TeamTotals) -> str:
    if rule is Rule.DRAWN_AS_LOWER and _look_even(own, other):
        return f"A draw counts as a win for the team rated lower, if only by less than {_STEP}."
    stronger, weaker = opposition(own, other)
    if rule in (Rule.WON, Rule.LOST) and stronger == weaker:
        return f"{_WHY_WAGER[rule]} The teams were even."
    return _WHY_WAGER[rule]


def _times(ratio: Ratio) -> float:
    """A ratio as a float; a ratio beyond every float gives the largest float."""
    try:
        return ratio[0] / ratio[1]
    except OverflowError:
        return float_info.max


def _why_draw(own: TeamTotals, other: TeamTotals) -> str:
    ya, oa = own.total * other.size, other.total * own.size
    if ya == oa:
        return "A draw between teams rated the same leaves all ratings as they were."
    hair = f", by less than {_STEP}" if _look_even(own, other) else ""
    return f"Your team was rated higher{hair}, so a draw leaves its ratings as they were."


def _why_opposition(own: TeamTotals, other: TeamTotals) -> str:
    if _look_even(own, other):
        return f"The teams were even: both {_mean_text(own)} on average."
    oa, ya = opposition(own, other)
    word = "higher" if oa > ya else "lower"
    return f"The other team was rated {word} on average: {_mean_text(other)} to your {_mean_text(own)}."


def _look_even(own: TeamTotals, other: TeamTotals) -> bool:
    """True if the two means are the same number as they are displayed."""
    return _mean_text(own) == _mean_text(other)


def _mean_text(side: TeamTotals) -> str:
    return f"{side.total / (100 * side.size):,.2f}"


def _why_presence(own: TeamTotals, other: TeamTotals, mates_left: int, others_left: int, left_self: bool) -> str:
    """The reason for unequal times; `mates_left`: team-mates of the player who left, `others_left`: opponents.

    Those who left the team that was in game for more time are no reason.
    """
    own_less = own.seconds < other.seconds
    leavers = [
        words
        for words, applies in (
            ("you", own_less and left_self),
            (f"{mates_left} of your team-mates" if mates_left > 1 else "a team-mate", own_less and mates_left > 0),
            (f"{others_left} opponents" if others_left > 1 else "an opponent", not own_less and others_left > 0),
        )
        if applies
    ]
    less = "your" if own_less else "the other"
    if leavers:
        joined = " and ".join(leavers)
        return f"{joined[0].upper()}{joined[1:]} left early; {less} team was in game for less time in all."
    return f"{less.capitalize()} team was in game for less time in all."
