"""The arithmetic of team-ratio (see team_ratio.py for the formula and its source), exact and fast.

A rule turns a rank r, in hundredths, into (r·a + b) // c, rounded half up, once. The integers a, b, c are the
same for everyone on a team under the same rule, so a player costs one multiplication and one division.
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
Move = tuple[int, int, int]  # a, b, c


class Rule(Enum):
    """What a match does to the ranks of those who stayed, and of those who left."""

    WON = "won"
    LOST = "lost"
    WON_ALONE = "everyone on the other team left"
    DRAWN_AS_LOWER = "drawn, by the team with the lower mean"
    DRAWN_STAYS = "drawn, by the team with the higher mean or an equal one"
    LEFT = "left early"


@dataclass(frozen=True, slots=True)
class Side:
    """What the formula needs of one team."""

    total: int  # of its ranks, in hundredths; leavers included
    size: int
    seconds: int | Fraction


def exact(seconds: float) -> int | Fraction:
    """Seconds as the decimal number that they print as: 801.1 is 8011/10, not its nearest binary."""
    whole = int(seconds)
    return whole if seconds == whole else Fraction(repr(seconds))


def sides_of(result: Result[Any]) -> tuple[Side, Side]:
    """Both teams. Where the match's length isn't known, everyone is there for all of one unit of it."""
    known = duration_of(result)
    duration = 1 if known is None else known
    return _side(result.teams[0], duration), _side(result.teams[1], duration)


def _side(team: Team[Any], duration: float) -> Side:
    return Side(
        total=sum([player.skill.hundredths for player in team.players]),
        size=len(team.players),
        seconds=sum([exact(seconds_of(player, duration)) for player in team.players]),
    )


def rules_of(result: Result[Any], places: Places, sides: tuple[Side, Side]) -> tuple[Rule, Rule]:
    """For each team, the rule for those who stayed; who left is under Rule.LEFT."""
    gone = tuple(map(left_whole, result.teams))
    return (
        _rule(places[0], places[1], sides[0], sides[1], other_gone=gone[1]),
        _rule(places[1], places[0], sides[1], sides[0], other_gone=gone[0]),
    )


def _rule(place: int, other_place: int, own: Side, other: Side, *, other_gone: bool) -> Rule:
    if other_gone:
        return Rule.WON_ALONE
    if place != other_place:
        return Rule.WON if place < other_place else Rule.LOST
    lower = own.total * other.size < other.total * own.size
    return Rule.DRAWN_AS_LOWER if lower else Rule.DRAWN_STAYS


def opposition(own: Side, other: Side) -> Ratio:
    """OA/YA: how strong the other team is, measured by one's own."""
    return other.total * own.size, other.size * own.total


def presence(own: Side, other: Side) -> Ratio:
    """OT/YT: how much more the other team was there; 1 where either wasn't there at all."""
    if not own.seconds or not other.seconds:
        return 1, 1
    if isinstance(own.seconds, int) and isinstance(other.seconds, int):
        return other.seconds, own.seconds
    ratio = Fraction(other.seconds) / own.seconds
    return ratio.numerator, ratio.denominator


def odds(own: Side, other: Side) -> Ratio:
    """(OA/YA) · (OT/YT): what a win multiplies the wager by; a loss multiplies it by the inverse."""
    stronger, weaker = opposition(own, other)
    longer, shorter = presence(own, other)
    return stronger * longer, weaker * shorter


def move(rule: Rule, up: Ratio) -> Move:
    """The (a, b, c) of a rule; `up` are the odds."""
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


def moved(rank: int, by: Move) -> int:
    """The rank after the match, in hundredths."""
    a, b, c = by
    after = (rank * a + b) // c
    return after if LOWEST <= after <= LARGEST_HUNDREDTHS else min(max(after, LOWEST), LARGEST_HUNDREDTHS)
