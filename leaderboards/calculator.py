"""What a sheet comes to: every player's ratings and why, faults by field, and the same match by every system. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from leaderboards.figures import Delta, ordinal, rating_delta, rating_text
from leaderboards.sheets import Lineup, Row, Sheet, number, skill_fields
from ranking.systems import SYSTEMS, describe_params, get_system
from ranking.systems.base import Refused, Result, System
from ranking.systems.calculation import read_line
from ranking.systems.display import hundredths
from ranking.systems.fields import Malformed
from ranking.systems.prospects import Prospect, prospects
from ranking.systems.reasons import Explanation
from ranking.systems.rules import check_result, effective_places
from ranking.systems.strengths import carried

MATCH, PARAMS = "match", "params"  # where faults stand that are no team's: by the match's own fields


@dataclass(frozen=True, slots=True)
class Outcome:
    """A player's figures, as texts."""

    before: str
    after: str
    change: Delta
    won: Delta
    drew: Delta
    lost: Delta
    why: Explanation


@dataclass(frozen=True, slots=True)
class Comparison:
    """The watched player's outcome in one system; `refusal` where it can't rate the match. `chance` in per cent."""

    key: str
    title: str
    chance: int | None = None
    outcome: Outcome | None = None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Calculation:
    """`faults`: sentences by place, "0-3" a player, "0" a team, MATCH, PARAMS; `problem` is of the whole."""

    outcomes: Mapping[tuple[int, int], Outcome] = field(default_factory=dict)
    chances: tuple[int | None, ...] = ()
    places: tuple[str, ...] = ()
    faults: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    comparisons: list[Comparison] = field(default_factory=list)


def calculate(sheet: Sheet) -> Calculation:
    """Everything that the page says of a sheet."""
    line, faults = _line(sheet)
    if faults:
        return Calculation(faults=faults)
    try:
        system, result = read_line(line)
        found = prospects(system, result)
    except Malformed as bad:
        return Calculation(faults={_place(bad.path): _sentence(bad)})
    except Refused as refused:
        return Calculation(problem=str(refused)) if not refused.path else Calculation(faults={PARAMS: str(refused)})
    return Calculation(
        outcomes={
            (team, slot): _outcome(prospect, system.decimals)
            for team, seats in enumerate(found)
            for slot, prospect in enumerate(seats)
        },
        chances=_chances(system, result),
        places=tuple(ordinal(place) for place in _standing(system, result)),
        comparisons=[_comparison(key, system, result, sheet) for key in SYSTEMS],
    )


def _line(sheet: Sheet) -> tuple[dict[str, Any], dict[str, str]]:
    """The calculator's line, and what couldn't be read of the sheet."""
    faults: dict[str, str] = {}
    system = get_system(sheet.system)

    def read(text: str, place: str) -> float | None:
        try:
            return number(text) if text else None
        except ValueError as error:
            faults.setdefault(place, str(error))
            return None

    def player(row: Row, place: str, name: str) -> dict[str, Any]:
        skill = None
        try:
            skill = skill_fields(system, row.skill) if row.skill else None
        except ValueError as error:
            faults.setdefault(place, str(error))
        return {
            "id": row.name or name,
            "skill": skill,
            "seconds": read(row.seconds, place),
            "left_early": row.left,
            "idle_days": read(row.idle, place),
        }

    def lineup(team: Lineup, index: int) -> dict[str, Any]:
        return {
            "place": read(team.place, str(index)),
            "score": read(team.score, str(index)),
            "players": [
                player(row, f"{index}-{slot}", f"{letter(index)}{slot + 1}") for slot, row in enumerate(team.rows)
            ],
        }

    line = {
        "system": sheet.system,
        "params": {name: _parameter(sheet.system, name, text, faults) for name, text in sheet.params.items()},
        "duration": read(sheet.duration, MATCH),
        "teams": [lineup(team, index) for index, team in enumerate(sheet.teams)],
    }
    return line, faults


def _parameter(key: str, name: str, text: str, faults: dict[str, str]) -> Any:
    default = next(parameter.default for parameter in describe_params(key) if parameter.name == name)
    if isinstance(default, bool):
        return text == "on"
    try:
        return number(text) if isinstance(default, int | float) else json.loads(text)
    except ValueError:
        faults.setdefault(PARAMS, f"{name}: “{text}” can’t be read.")
        return None


def letter(team: int) -> str:
    return chr(ord("A") + team)


def _place(path: str) -> str:
    found = re.match(r"teams\[(\d+)\](?:\.players\[(\d+)\])?", path)
    if found is None:
        return PARAMS if path.startswith("params") else MATCH
    return f"{found[1]}-{found[2]}" if found[2] else found[1]


def _sentence(bad: Malformed) -> str:
    """Without the path, which the sentence stands beside."""
    name = re.split(r"[.\]]", bad.path)[-1].replace("_", " ") or bad.path
    return f"{name.capitalize()} {bad.reason}"


def _outcome(prospect: Prospect, decimals: int) -> Outcome:
    before = hundredths(prospect.before)

    def moved(after: Decimal) -> Delta:
        return rating_delta(before, hundredths(after), decimals)

    return Outcome(
        before=rating_text(before, decimals),
        after=rating_text(hundredths(prospect.after), decimals),
        change=moved(prospect.after),
        won=moved(prospect.won),
        drew=moved(prospect.drew),
        lost=moved(prospect.lost),
        why=prospect.why,
    )


def _chances(system: System[Any], result: Result[Any]) -> tuple[int | None, ...]:
    chances = system.win_probability([team.players for team in result.teams])
    return tuple(None if chance is None else round(100 * chance) for chance in chances)


def _standing(system: System[Any], result: Result[Any]) -> list[int]:
    places = effective_places(result, check_result(system, result))
    return [1 + sum(other < place for other in places) for place in places]


def _comparison(key: str, own: System[Any], result: Result[Any], sheet: Sheet) -> Comparison:
    system = own if key == own.key else get_system(key)
    if key != own.key:
        teams = tuple(
            replace(
                team,
                players=tuple(replace(player, skill=carried(player.skill, own, system)) for player in team.players),
            )
            for team in result.teams
        )
        result = replace(result, teams=teams)
    team, slot = sheet.watched
    try:
        prospect = prospects(system, result, only=team)[team][slot]
    except Refused as refused:
        return Comparison(key, system.title, refusal=str(refused))
    return Comparison(key, system.title, _chances(system, result)[team], _outcome(prospect, system.decimals))
