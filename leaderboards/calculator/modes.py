"""The site's own modes in the calculator: the rating system and parameters of each, and an example match."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from leaderboards.calculator._presets import ALL, QUITTER, UPSET
from leaderboards.calculator._sheet import (
    MOST_PLAYERS,
    MOST_TEAMS,
    PlayerEntry,
    Sheet,
    TeamEntry,
    carry,
    components,
    number,
)
from ranking.systems.registry import get_system

FEW = 6  # teams that are seen at a glance


@dataclass(frozen=True, slots=True)
class SiteMode:
    """A mode of the site; `params`: those that aren't at their defaults. `fewest`, `teams`: the fewest and most teams
    of a match. `size`: the most players of a team.
    """

    slug: str
    title: str
    system: str
    params: Mapping[str, Any]
    fewest: int
    teams: int
    size: int


def example_match(mode: SiteMode) -> Sheet:
    """Return a match of this mode, with the strengths of the preset whose shape is nearest; of few teams if it may.

    Where newcomers start at the bottom, the ratings begin with theirs.
    """
    teams = min(mode.teams, max(mode.fewest, FEW), MOST_TEAMS)
    from_bottom = mode.system == QUITTER.system
    preset = QUITTER if mode.size > 1 or from_bottom else UPSET if teams == 2 else ALL
    size = min(mode.size, MOST_PLAYERS // teams)
    sheet = Sheet(preset.system, tuple(_team(preset, index, size) for index in range(teams)))
    if sheet.system != mode.system:
        sheet = _shortened(carry(sheet, mode.system))
    if from_bottom:
        sheet = _from_newcomers(sheet)
    return replace(sheet, params={name: _text(value) for name, value in mode.params.items()})


def _team(preset: Sheet, index: int, size: int) -> TeamEntry:
    """The preset's team at this place, cut or filled up with newcomers; nobody leaves."""
    rows = preset.teams[index].rows[:size] if index < len(preset.teams) else ()
    stayed = [replace(row, seconds="", left=False) for row in rows]
    return TeamEntry((*stayed, *(PlayerEntry(),) * (size - len(stayed))), place=str(index + 1))


def _from_newcomers(sheet: Sheet) -> Sheet:
    """The sheet with ratings in the same proportions, the lowest of them a newcomer's."""
    newcomer = float(str(components(get_system(sheet.system))["rating"]))
    lowest = min(float(row.skill["rating"]) for team in sheet.teams for row in team.rows if row.skill)

    def scaled(row: PlayerEntry) -> PlayerEntry:
        skill = {name: f"{float(text) / lowest * newcomer:.2f}" for name, text in row.skill.items()}
        return replace(row, skill=skill)

    return replace(sheet, teams=tuple(replace(team, rows=tuple(map(scaled, team.rows))) for team in sheet.teams))


def _shortened(sheet: Sheet) -> Sheet:
    """The sheet with the decimals of converted skills cut to three digits, as somebody would enter them."""

    def shorter(row: PlayerEntry) -> PlayerEntry:
        return replace(row, skill={name: _three_digits(text) for name, text in row.skill.items()})

    teams = tuple(replace(team, rows=tuple(shorter(row) for row in team.rows)) for team in sheet.teams)
    return replace(sheet, teams=teams)


def _three_digits(text: str) -> str:
    return f"{float(f'{number(text):.3g}'):g}" if "." in text else text


def _text(value: object) -> str:
    """A parameter as its field holds it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return value if isinstance(value, str) else json.dumps(value)
