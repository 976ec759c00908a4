"""The exact integer arithmetic of team ratio (see system.py for the formula and its source).

A rule turns a rank r, in hundredths, into (r·a + b) // c, which rounds half up, once. The integers a, b, c are the
same for everyone on a team under the same rule, so each player costs one multiplication and one division.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from ranking.systems.base import Result, Team
from ranking.systems.shared.display import LARGEST_HUNDREDTHS
from ranking.systems.shared.rules import Places, duration_of, left_whole, seconds_of

LOWEST = 100  # 1.00 in hundredths
WAGER = 20  # a twentieth of the rank is at stake

Ratio = tuple[int, int]  # numerator and denominator, both positive
Coefficients = tuple[int, int, int]  # a, b, c


class Rule(Enum):
    """The case of the formula for a team's players who stayed; LEFT is the one for leavers."""

    WON = "won"
    LOST = "lost"
    WON_ALONE = "everyone on the other team left"
    DRAWN_AS_LOWER = "drawn, by the team with the lower mean"
    DRAWN_STAYS = "drawn, by the team with the higher mean or an equal one"
    LEFT = "left early"


@dataclass(frozen=True, slots=True)
class TeamTotals:
    """The sums over one team that the formula needs."""

    total: int  # of the ranks in hundredths, leavers included
    size: int
    seconds: int | Fraction


def exact(seconds: float) -> int | Fraction:
    """Seconds as the decimal number that they print as: 801.1 is 8011/10, not the nearest binary fraction."""
    whole = int(seconds)
    return whole if seconds == whole else Fraction(repr(seconds))


def totals_of(result: Result[Any]) -> tuple[TeamTotals, TeamTotals]:
    """The totals of both teams; if the duration is unknown, everyone counts as present for one second of one."""
    known = duration_of(result)
    duration = 1 if known is None else known
    return _totals(result.teams[0], duration), _totals(result.teams[1], duration)


def _totals(team: Team[Any], duration: float) -> TeamTotals:
    return TeamTotals(
        total=sum([player.skill.hundredths for player in team.players]),
        size=len(team.players),
        seconds=sum([exact(seconds_of(player, duration)) for player in team.players]),
    )


def rules_of(result: Result[Any], places: Places, sides: tuple[TeamTotals, TeamTotals]) -> tuple[Rule, Rule]:
    """By team: the rule for players who stayed; leavers are under Rule.LEFT."""
    left = tuple(map(left_whole, result.teams))
    return (
        _rule(places[0], places[1], sides[0], sides[1], other_left=left[1]),
        _rule(places[1], places[0], sides[1], sides[0], other_left=left[0]),
    )


def _rule(place: int, other_place: int, own: TeamTotals, other: TeamTotals, *, other_left: bool) -> Rule:
    if other_left:
        return Rule.WON_ALONE
    if place != other_place:
        return Rule.WON if place < other_place else Rule.LOST
    lower = own.total * other.size < other.total * own.size
    return Rule.DRAWN_AS_LOWER if lower else Rule.DRAWN_STAYS


def opposition(own: TeamTotals, other: TeamTotals) -> Ratio:
    """OA/YA: the other team's mean rank, divided by that of the own team."""
    return other.total * own.size, other.size * own.total


def presence(own: TeamTotals, other: TeamTotals) -> Ratio:
    """OT/YT: the other team's seconds, divided by those of the own team; 1 if either is zero."""
    if not own.seconds or not other.seconds:
        return 1, 1
    if isinstance(own.seconds, int) and isinstance(other.seconds, int):
        return other.seconds, own.seconds
    ratio = Fraction(other.seconds) / own.seconds
    return ratio.numerator, ratio.denominator


def odds(own: TeamTotals, other: TeamTotals) -> Ratio:
    """(OA/YA) · (OT/YT): what a win multiplies the wager by; a loss multiplies it by the inverse."""
    stronger, weaker = opposition(own, other)
    longer, shorter = presence(own, other)
    return stronger * longer, weaker * shorter


def coefficients_of(rule: Rule, up: Ratio) -> Coefficients:
    """The integers (a, b, c) of a rule; `up`: the odds."""
    n, d = up
    if rule is Rule.WON or rule is Rule.DRAWN_AS_LOWER:
        return 2 * (WAGER * d + n), WAGER * d, 2 * WAGER * d
    if rule is Rule.LOST or (rule is Rule.LEFT and d > n):
        return 2 * (WAGER * n - d), WAGER * n, 2 * WAGER * n
    if rule is Rule.LEFT:
        return 2 * (WAGER - 1), WAGER, 2 * WAGER
    if rule is Rule.WON_ALONE:
        return 2 * (WAGER + 1), WAGER, 2 * WAGER
    return 1, 0, 1


def new_rank(rank: int, by: Coefficients) -> int:
    """The rank after the match, in hundredths."""
    a, b, c = by
    after = (rank * a + b) // c
    return after if LOWEST <= after <= LARGEST_HUNDREDTHS else min(max(after, LOWEST), LARGEST_HUNDREDTHS)
