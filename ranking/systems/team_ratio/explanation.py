"""Why a team-ratio rank moved as it did: the factors of the formula, with this match's numbers.

The product of a player's `amount` and `times` factors is the change before rounding and before the floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import float_info
from typing import Any

from ranking.systems.base import Factor, Team
from ranking.systems.team_ratio.wagers import LOWEST, WAGER, Ratio, Rule, Side, move, odds, opposition, presence

_WHY_WAGER = {
    Rule.WON: "A twentieth of your rating before the match.",
    Rule.LOST: "A twentieth of your rating before the match.",
    Rule.WON_ALONE: "Everyone on the other team left, so you win a twentieth of your rating.",
    Rule.DRAWN_AS_LOWER: "A draw counts as a win for the team rated lower: a twentieth of your rating.",
    Rule.LEFT: "You left early: that costs a twentieth of your rating or more, whatever the result.",
}


def explain_team(teams: Sequence[Team[Any]], rule: Rule, own: Side, other: Side) -> tuple[tuple[Factor, ...], ...]:
    """The factors of each player of the first of two teams; `rule` is for those who stayed."""
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


def _factors(rank: int, rule: Rule, own: Side, other: Side, *, why_presence: str) -> tuple[Factor, ...]:
    if rule is Rule.DRAWN_STAYS:
        return (Factor("Draw", 0.0, "amount", _why_draw(own, other)),)
    up = odds(own, other)
    gains = rule in (Rule.WON, Rule.WON_ALONE, Rule.DRAWN_AS_LOWER)
    wager = rank / (100 * WAGER)
    factors = [Factor("Base wager", wager if gains else -wager, "amount", _WHY_WAGER[rule])]
    if rule is not Rule.WON_ALONE and not (rule is Rule.LEFT and up[0] >= up[1]):
        strength, time = opposition(own, other), presence(own, other)
        if not gains:
            strength, time = strength[::-1], time[::-1]
        times = (
            Factor("Opposition", _times(strength), "times", _why_opposition(own, other)),
            Factor("Time in game", _times(time), "times", why_presence),
        )
        factors += [factor for factor in times if factor.value != 1]
    a, b, c = move(rule, up)
    if (rank * a + b) // c < LOWEST:
        factors.append(Factor("Floor", LOWEST / 100, "floor", "No rating falls below 1.00."))
    return tuple(factors)


def _times(ratio: Ratio) -> float:
    """A ratio as a float; one beyond every float (a second against next to none) is the largest there is."""
    try:
        return ratio[0] / ratio[1]
    except OverflowError:
        return float_info.max


def _why_draw(own: Side, other: Side) -> str:
    ya, oa = own.total * other.size, other.total * own.size
    if ya == oa:
        return "A draw between teams rated the same leaves all ratings as they were."
    return "Your team was rated higher, so a draw leaves its ratings as they were."


def _why_opposition(own: Side, other: Side) -> str:
    oa, ya = opposition(own, other)
    word = "higher" if oa > ya else "lower"
    mean_other, mean_own = other.total / (100 * other.size), own.total / (100 * own.size)
    return f"The other team was rated {word} on average: {mean_other:.2f} to your {mean_own:.2f}."


def _why_presence(own: Side, other: Side, mates_left: int, others_left: int, left_self: bool) -> str:
    """Of unequal times: `mates_left` counts the player's team-mates who left, `others_left` the opponents who did."""
    who = [
        words
        for words, applies in (
            ("you", left_self),
            (f"{mates_left} of your team-mates" if mates_left > 1 else "a team-mate", mates_left > 0),
            (f"{others_left} opponents" if others_left > 1 else "an opponent", others_left > 0),
        )
        if applies
    ]
    less = "your" if own.seconds < other.seconds else "the other"
    if who:
        joined = " and ".join([", ".join(who[:-1]), who[-1]] if len(who) > 1 else who)
        return f"{joined[0].upper()}{joined[1:]} left early; {less} team was in game for less time in all."
    return f"{less.capitalize()} team was in game for less time in all."
