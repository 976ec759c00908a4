"""The stateless calculator: it reads one match as a line of JSON and returns the new skills.

The command `rate` and the API read the same line. Reading is strict: an unknown key at any level, a wrong type,
NaN or an infinity is refused, and the sentence names the field: teams[1].players[0].seconds. The formulas clamp
seconds to the duration. null for an optional key is the same as leaving it out; a player's `skill` is required,
and null stands for a newcomer's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ranking.systems.base import Entrant, Refused, Result, S, System, Team
from ranking.systems.registry import get_system, system_class
from ranking.systems.shared import fields as read

LINE_KEYS = ("system", "params", "duration", "rounds", "variant", "mode_state", "teams")
IGNORED_LINE_KEYS = ("id", "source", "expected", "tolerance")  # further keys in files of worked cases
TEAM_KEYS = ("place", "score", "players")
LARGEST = 1e12  # of any number outside a skill
MOST_ROUNDS = 10**6
LAST_PLACE = 10**6
MOST_MATCHES = 10**9
PLAYER_KEYS = (
    "id", "skill", "seconds", "joined_at", "left_early", "rounds_played", "weight", "idle_days", "stats", "party",
    "matches",
)  # fmt: skip


def rate_line(line: Any) -> dict[str, object]:
    """{"teams": [{"win_probability", "players": [{"id", "skill", "display"}]}]}, or {"error": sentence}.

    From a system that learns about a mode, `mode_state`, too: its learnt values after this match.
    """
    try:
        return calculate(line)
    except Refused as refused:
        return {"error": str(refused)}


def calculate(line: Any) -> dict[str, object]:
    """The answer to a line; raises Refused with the path of the field at fault, if there is one."""
    return answer_of(*read_line(line))


def answer_of(system: System[S], result: Result[S]) -> dict[str, object]:
    """The answer to a result by a system: new skills and chances as JSON; raises Refused."""
    result = system.attended(result)
    after = system.rate(result)
    chances = system.win_probability([team.players for team in result.teams])
    state = system.after(result).mode_state()
    return {
        "teams": [
            {
                "win_probability": chance,
                "players": [
                    {
                        "id": player.id,
                        "skill": system.write_skill(skill),
                        "display": format(system.display(skill), "f"),
                    }
                    for player, skill in zip(team.players, skills, strict=True)
                ],
            }
            for team, skills, chance in zip(result.teams, after, chances, strict=True)
        ],
        **({} if state is None else {"mode_state": state}),
    }


def read_line(line: Any) -> tuple[System[Any], Result[Any]]:
    """The system and the result in a line; raises Refused with the path of the field at fault, if there is one."""
    fields = read.mapping(line, "The line")
    read.only_known(fields, LINE_KEYS, "The line", ignored=IGNORED_LINE_KEYS)
    key = read.text(fields.get("system"), "system")
    params = {} if fields.get("params") is None else read.mapping(fields["params"], "params")
    system = _system(key, params)
    if fields.get("mode_state") is not None:
        system = system.with_mode_state(fields["mode_state"], "mode_state")
    result = Result(
        teams=tuple(
            _team(system, team, f"teams[{index}]")
            for index, team in enumerate(read.sequence(fields.get("teams"), "teams"))
        ),
        duration=_optional(read.number, fields, "duration", "", least=0, most=LARGEST),
        rounds=_optional(read.integer, fields, "rounds", "", least=0, most=MOST_ROUNDS),
        variant=_optional(read.text, fields, "variant", "") or "",
    )
    return system, result


def _system(key: str, params: Mapping[str, object]) -> System[Any]:
    try:
        system_class(key)
    except Refused as refused:
        raise refused.at("system") from None
    try:
        return get_system(key, params)
    except read.Malformed as bad:
        raise bad.at(bad.path.replace(f"{key}: parameter ", "params.")) from None
    except Refused as refused:
        raise refused.at("params") from None


def _team(system: System[S], value: Any, path: str) -> Team[S]:
    fields = read.mapping(value, path)
    read.only_known(fields, TEAM_KEYS, path)
    players = read.sequence(fields.get("players"), f"{path}.players")
    return Team(
        players=tuple(_player(system, player, f"{path}.players[{index}]") for index, player in enumerate(players)),
        place=_optional(read.integer, fields, "place", path, least=1, most=LAST_PLACE),
        score=_optional(read.number, fields, "score", path, least=-LARGEST, most=LARGEST),
    )


def _player(system: System[S], value: Any, path: str) -> Entrant[S]:
    fields = read.mapping(value, path)
    read.only_known(fields, PLAYER_KEYS, path)
    return Entrant(
        id=read.text(fields.get("id"), f"{path}.id"),
        skill=_skill(system, fields, path),
        seconds=_optional(read.number, fields, "seconds", path, least=0, most=LARGEST),
        joined_at=_optional(read.number, fields, "joined_at", path, least=0, most=LARGEST),
        left_early=_optional(read.boolean, fields, "left_early", path) or False,
        rounds_played=_optional(read.integer, fields, "rounds_played", path, least=0, most=MOST_ROUNDS),
        weight=_optional(read.number, fields, "weight", path, least=0, most=LARGEST),
        idle_days=_optional(read.number, fields, "idle_days", path, least=system.least_idle_days, most=LARGEST) or 0.0,
        stats=_optional(_stats, fields, "stats", path) or {},
        party=_optional(read.text, fields, "party", path),
        matches=_optional(read.integer, fields, "matches", path, least=0, most=MOST_MATCHES) or 0,
    )


def _skill(system: System[S], fields: Mapping[str, object], path: str) -> Any:
    if "skill" not in fields:
        raise read.Malformed(f"{path}.skill", "%(field)s is missing; give null for a newcomer.")
    if fields["skill"] is None:
        return system.newcomer()
    skill = read.mapping(fields["skill"], f"{path}.skill")
    try:
        return system.read_skill(skill)
    except Refused as refused:
        raise read.Malformed(f"{path}.skill", "%(field)s can't be read: %(reason)s", reason=refused) from refused


def _stats(value: Any, path: str) -> dict[str, float]:
    stats = read.mapping(value, path)
    return {
        read.text(name, path): read.number(stat, f"{path}.{name}", least=-LARGEST, most=LARGEST)
        for name, stat in stats.items()
    }


def _optional(read_value: Any, fields: Mapping[str, object], name: str, path: str, **bounds: float) -> Any:
    """The field read by `read_value`; None if it is left out or null."""
    value = fields.get(name)
    return None if value is None else read_value(value, f"{path}.{name}" if path else name, **bounds)
