"""The exact integer arithmetic of team ratio (see system.py for the formula and its source).

A rule turns a rank r, in hundredths, into (r·a + b) // c, which rounds half up, once. The integers a, b, c are the
same for everyone on a team under the same rule and with the same share, so each player costs one multiplication and one
division.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.shared import presence as presence_formulas
from ranking.systems.shared.display import LARGEST_HUNDREDTHS
from ranking.systems.shared.maths import FLOATS
from ranking.systems.shared.presence import LEAST_SHARE, time_there
from ranking.systems.shared.rules import Places, duration_of, left_whole, seconds_of

LOWEST = 100  # 1.00 in hundredths
WAGER = 20  # a twentieth of the rank is at stake

Ratio = tuple[int, int]  # numerator and denominator, both positive
Coefficients = tuple[int, int, int]  # a, b, c


Exact = int | Fraction
LEAST = Fraction(repr(LEAST_SHARE))


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

    total: Exact  # of the ranks in hundredths by shares, leavers included
    size: Exact  # of the shares: the number of players if nobody played part-time
    seconds: Exact
    shares: Sequence[Exact]  # by player


def exact(seconds: float) -> Exact:
    """Seconds as the decimal number that they print as: 801.1 is 8011/10, not the nearest binary fraction."""
    whole = int(seconds)
    return whole if seconds == whole else Fraction(repr(seconds))


def totals_of(result: Result[Any]) -> tuple[TeamTotals, TeamTotals]:
    """The totals of both teams; if the duration is unknown, everyone counts as present for one second."""
    duration = duration_of(result)
    first, second = [[_presence(player, duration, result.rounds) for player in team.players] for team in result.teams]
    return _totals(result.teams[0], first, duration), _totals(result.teams[1], second, duration)


def _presence(player: Entrant[Any], duration: float | None, rounds: int | None) -> Exact:
    """The exact number of which `player.presence` is a float."""
    if player.presence == 1:
        return 1
    time, whole = time_there(player, duration, rounds)
    exactly: Fraction = presence_formulas.presence(Fraction(exact(time)), exact(whole), FLOATS, LEAST)
    return exactly


def _totals(team: Team[Any], presences: Sequence[Exact], duration: float | None) -> TeamTotals:
    there = sum(presences)
    seconds: Exact = len(team.players)
    if duration is not None:
        seconds = sum([exact(seconds_of(player, duration)) for player in team.players])
    if there == len(team.players):
        return TeamTotals(sum([p.skill.hundredths for p in team.players]), there, seconds, presences)
    shares = [presence_formulas.share(Fraction(own), there, FLOATS) for own in presences]
    return TeamTotals(
        total=sum([share * player.skill.hundredths for share, player in zip(shares, team.players, strict=True)]),
        size=sum(shares),
        seconds=presence_formulas.share(Fraction(seconds), there, FLOATS),
        shares=shares,
    )


def rules_of(result: Result[Any], places: Places, sides: tuple[TeamTotals, TeamTotals]) -> tuple[Rule, Rule]:
    """By team: the rule for players who stayed; leavers are under Rule.LEFT."""
    left = tuple(map(left_whole, result.teams))
    return (
        _rule(places[0], places[1], sides[0], sides[1], alone=left[1] and not left[0]),
        _rule(places[1], places[0], sides[1], sides[0], alone=left[0] and not left[1]),
    )


def _rule(place: int, other_place: int, own: TeamTotals, other: TeamTotals, *, alone: bool) -> Rule:
    if alone:
        return Rule.WON_ALONE
    if place != other_place:
        return Rule.WON if place < other_place else Rule.LOST
    lower = own.total * other.size < other.total * own.size
    return Rule.DRAWN_AS_LOWER if lower else Rule.DRAWN_STAYS


def opposition(own: TeamTotals, other: TeamTotals) -> Ratio:
    """OA/YA: the other team's mean rank, divided by that of the own team."""
    return _ratio(other.total * own.size, other.size * own.total)


def presence(own: TeamTotals, other: TeamTotals) -> Ratio:
    """OT/YT: the other team's seconds, divided by those of the own team; 1 if either is zero."""
    if not own.seconds or not other.seconds:
        return 1, 1
    return _ratio(other.seconds, own.seconds)


def _ratio(above: Exact, below: Exact) -> Ratio:
    if isinstance(above, int) and isinstance(below, int):
        return above, below
    ratio = Fraction(above) / below
    return ratio.numerator, ratio.denominator


def odds(own: TeamTotals, other: TeamTotals) -> Ratio:
    """(OA/YA) · (OT/YT): what a win multiplies the wager by; a loss multiplies it by the inverse."""
    stronger, weaker = opposition(own, other)
    longer, shorter = presence(own, other)
    return stronger * longer, weaker * shorter


def coefficients_of(rule: Rule, up: Ratio, share: Exact = 1) -> Coefficients:
    """The integers (a, b, c) of a rule; `up`: the odds, `share`: w, by which the wager counts."""
    (n, d), (w, whole) = up, (share.numerator, share.denominator)
    if rule is Rule.WON or rule is Rule.DRAWN_AS_LOWER:
        return _moved(w * n, whole * d)
    if rule is Rule.LOST or (rule is Rule.LEFT and d > n):
        return _moved(-w * d, whole * n)
    if rule is Rule.LEFT:
        return _moved(-1, 1)
    if rule is Rule.WON_ALONE:
        return _moved(w, whole)
    return 1, 0, 1


def _moved(by: int, of: int) -> Coefficients:
    """The rank moves by so many parts, of so many, of its twentieth."""
    return 2 * (WAGER * of + by), WAGER * of, 2 * WAGER * of


def new_rank(rank: int, by: Coefficients) -> int:
    """The rank after the match, in hundredths."""
    a, b, c = by
    after = (rank * a + b) // c
    return after if LOWEST <= after <= LARGEST_HUNDREDTHS else min(max(after, LOWEST), LARGEST_HUNDREDTHS)
