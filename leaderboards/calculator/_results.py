"""Computes a sheet's results: each player's ratings and their reasons, faults by field, the match by every system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from leaderboards.calculator._entries import read_match
from leaderboards.calculator._sheet import Sheet
from leaderboards.calculator.refusals import refusal_text
from leaderboards.display.numbers import Delta, ordinal, rating_delta, rating_text
from ranking.systems.base import Refused, Result, System
from ranking.systems.conversion import convert_skill
from ranking.systems.outlook import PlayerOutlook, outlooks_of, why_drawn
from ranking.systems.registry import SYSTEMS, get_system
from ranking.systems.shared.display import hundredths
from ranking.systems.shared.explanations import Explanation
from ranking.systems.shared.rules import check_result, effective_places


@dataclass(frozen=True, slots=True)
class PlayerFigures:
    """A player's figures as texts."""

    before: str
    after: str
    change: Delta
    won: Delta
    drew: Delta
    lost: Delta
    why: Explanation


@dataclass(frozen=True, slots=True)
class SystemChange:
    """The watched player's outcome by one system; `refusal` if it can't rate the match; `chance` in per cent."""

    key: str
    title: str
    chance: int | None = None
    outcome: PlayerFigures | None = None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Calculation:
    """`faults`: sentences by place (see entries.py); `problem`: a sentence about the whole sheet.

    `draws`: by team, how a draw would be rated.
    """

    outcomes: Mapping[tuple[int, int], PlayerFigures] = field(default_factory=dict)
    chances: tuple[int | None, ...] = ()
    places: tuple[str, ...] = ()
    draws: tuple[str, ...] = ()
    faults: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    comparisons: list[SystemChange] = field(default_factory=list)


def calculate(sheet: Sheet) -> Calculation:
    """All results of a sheet."""
    faults: dict[str, str] = {}
    try:
        system, result = read_match(sheet, faults)
        if faults:
            return Calculation(faults=faults)
        result = system.attended(result)
        outlooks = outlooks_of(system, result)
    except Refused as refused:
        return Calculation(faults=faults, problem=refusal_text(refused))
    return Calculation(
        outcomes={
            (team, slot): _outcome(outlook, system.decimals)
            for team, players in enumerate(outlooks)
            for slot, outlook in enumerate(players)
        },
        chances=_chances(system, result),
        places=tuple(ordinal(place) for place in _standing(system, result)),
        draws=why_drawn(system, result),
        comparisons=[_comparison(key, system, result, sheet) for key in SYSTEMS],
    )


def _outcome(outlook: PlayerOutlook, decimals: int) -> PlayerFigures:
    before = hundredths(outlook.before)

    def moved(after: Decimal) -> Delta:
        return rating_delta(before, hundredths(after), decimals)

    return PlayerFigures(
        before=rating_text(before, decimals),
        after=rating_text(hundredths(outlook.after), decimals),
        change=moved(outlook.after),
        won=moved(outlook.won),
        drew=moved(outlook.drew),
        lost=moved(outlook.lost),
        why=outlook.why,
    )


def _chances(system: System[Any], result: Result[Any]) -> tuple[int | None, ...]:
    chances = system.win_probability([team.players for team in result.teams])
    return tuple(None if chance is None else round(100 * chance) for chance in chances)


def _standing(system: System[Any], result: Result[Any]) -> list[int]:
    places = effective_places(result, check_result(system, result))
    return [1 + sum(other < place for other in places) for place in places]


def _comparison(key: str, own: System[Any], result: Result[Any], sheet: Sheet) -> SystemChange:
    system = own if key == own.key else get_system(key)
    if key != own.key:
        teams = tuple(
            replace(
                team,
                players=tuple(
                    replace(player, skill=convert_skill(player.skill, own, system)) for player in team.players
                ),
            )
            for team in result.teams
        )
        result = replace(result, teams=teams)
    team, slot = sheet.watched
    try:
        outlook = outlooks_of(system, result, only=team)[team][slot]
    except Refused as refused:
        return SystemChange(key, system.title, refusal=refusal_text(refused))
    return SystemChange(key, system.title, _chances(system, result)[team], _outcome(outlook, system.decimals))
