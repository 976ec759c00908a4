"""Reads systems with parameters as commands name them: elo, or elo:alpha=0.1,start=20."""

from __future__ import annotations

import json
from typing import Any

from ranking.systems.base import Refused


def read_params(key: str, text: str) -> dict[str, Any]:
    """The parameters in name=value,name=value; a value that isn't JSON is a text. Raises Refused."""
    params: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals:
            raise Refused(f"{key}: give parameters as name=value, and {part!r} isn't.")
        try:
            params[name] = json.loads(value)
        except ValueError:
            params[name] = value
    return params
