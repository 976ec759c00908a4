"""Reads the match to rate from the entries of the calculator's sheet, and collects the faults by their place.

A place says where the page shows a sentence: "0-3" (team and slot) beside a player, "0" beside a team, MATCH beside
the match's own fields, PARAMS beside the parameters.
"""

from __future__ import annotations

import json
import re
from typing import Any

from leaderboards.calculator._sheet import PlayerEntry, Sheet, TeamEntry, number, skill_fields
from leaderboards.calculator.refusals import letter, refusal_text
from ranking.systems.base import Refused, Result, System
from ranking.systems.calculation import read_line
from ranking.systems.registry import describe_params, get_system
from ranking.wording.translation import gettext

MATCH, PARAMS = "match", "params"
MOST_FAULTS = 50


def read_match(sheet: Sheet, faults: dict[str, str]) -> tuple[System[Any], Result[Any]]:
    """The system and the result; adds to `faults`. Raises Refused for a fault that belongs to no field."""
    return _read(_line(sheet, faults), faults)


def _read(line: dict[str, object], faults: dict[str, str]) -> tuple[System[Any], Result[Any]]:
    """The system and the result. A field that can't be read becomes a fault and is left out, so that all are found."""
    for _ in range(MOST_FAULTS):
        try:
            return read_line(line)
        except Refused as refused:
            where = refused.path
            if not where.startswith(("teams[", "params", "duration")):
                raise
            faults.setdefault(_place(where), refusal_text(refused))
            _leave_out(line, where)
    return read_line(line)


def _leave_out(line: dict[str, Any], path: str) -> None:
    """Remove the field at fault, or all parameters if they don't go together."""
    if path.startswith(PARAMS):
        name = re.match(r"params\.(\w+)", path)
        line[PARAMS] = {key: value for key, value in line[PARAMS].items() if name and key != name[1]}
        return
    *parents, last = [int(step) if step.isdigit() else step for step in re.findall(r"\w+", path)]
    place: Any = line
    for step in parents:
        place = place[step]
    place[last] = None


def _line(sheet: Sheet, faults: dict[str, str]) -> dict[str, object]:
    """The calculator's line of JSON; a text that is no number becomes a fault and is left out."""
    system = get_system(sheet.system)

    def read(text: str, place: str) -> float | None:
        try:
            return number(text) if text else None
        except ValueError as error:
            faults.setdefault(place, str(error))
            return None

    def player(row: PlayerEntry, place: str, name: str) -> dict[str, object]:
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
            "matches": read(row.matches, place),
        }

    def lineup(team: TeamEntry, index: int) -> dict[str, object]:
        return {
            "place": read(team.place, str(index)),
            "score": read(team.score, str(index)),
            "players": [
                player(row, f"{index}-{slot}", f"{letter(index)}{slot + 1}") for slot, row in enumerate(team.rows)
            ],
        }

    return {
        "system": sheet.system,
        "params": {name: _parameter(sheet.system, name, text, faults) for name, text in sheet.params.items()},
        "duration": read(sheet.duration, MATCH),
        "teams": [lineup(team, index) for index, team in enumerate(sheet.teams)],
    }


def _parameter(key: str, name: str, text: str, faults: dict[str, str]) -> object:
    parameter = next(parameter for parameter in describe_params(key) if parameter.name == name)
    default = parameter.default
    if isinstance(default, bool):
        return text == "on"
    if parameter.options:
        return text
    if parameter.nullable and text == "null":
        return None
    try:
        return number(text) if isinstance(default, int | float) else json.loads(text)
    except ValueError:
        sentence = gettext("“%(text)s” can’t be read as %(name)s.")
        faults.setdefault(PARAMS, sentence % {"text": text, "name": name})
        return None


def _place(path: str) -> str:
    match = re.match(r"teams\[(\d+)\](?:\.players\[(\d+)\])?", path)
    if match is None:
        return PARAMS if path.startswith("params") else MATCH
    return f"{match[1]}-{match[2]}" if match[2] else match[1]
