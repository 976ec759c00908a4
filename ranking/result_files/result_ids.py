"""Makes ids of results that have none, out of what they say, so that reading a file again makes the same ids. Pure."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import Any

PREFIX = "made-"


def made_id(result: object) -> str:
    """The id of a result by its content: the same whatever the order of its keys."""
    text = json.dumps(result, sort_keys=True, ensure_ascii=True, default=str)
    return f"{PREFIX}{hashlib.sha256(text.encode()).hexdigest()[:24]}"


def trimmed(text: str) -> str:
    """The id without spaces at its ends and without invisible characters, such as soft hyphens."""
    return "".join(character for character in text if unicodedata.category(character) != "Cf").strip()


def trim_ids(result: object) -> object:
    """A result of the API's format whose ids, its own and the players', are trimmed; anything else as it is."""
    if not isinstance(result, dict):
        return result
    teams = result.get("teams")
    fields = {**result, **_trimmed_id(result)}
    return {**fields, "teams": [_trim_team(team) for team in teams]} if isinstance(teams, list) else fields


def _trim_team(team: Any) -> Any:
    players = team.get("players") if isinstance(team, dict) else None
    if not isinstance(players, list):
        return team
    return {**team, "players": [{**one, **_trimmed_id(one)} if isinstance(one, dict) else one for one in players]}


def _trimmed_id(fields: dict[str, Any]) -> dict[str, str]:
    return {"id": trimmed(fields["id"])} if isinstance(fields.get("id"), str) else {}
