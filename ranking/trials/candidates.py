"""Rating systems with parameters that trials try: as commands name them, and as a mode has chosen them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ranking.models import Mode
from ranking.modes.parameters import changed_params, check_fits, current_parameters
from ranking.systems.base import Refused
from ranking.systems.registry import SYSTEMS, get_system
from ranking.trials.core.parameters import is_fittable


def read_candidate(text: str, chosen: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """The candidate {"system", "params"} of elo or elo:alpha=0.1,start=20.

    `chosen`: parameters by system, for texts without any. A value that isn't JSON is a text. Raises Refused.
    """
    key, colon, given = text.partition(":")
    get_system(key)
    params = _read_params(key, given) if colon else dict(chosen.get(key, {}))
    get_system(key, params)
    return {"system": key, "params": params}


def _read_params(key: str, text: str) -> dict[str, object]:
    params: dict[str, object] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals:
            raise Refused(f"{key}: give parameters as name=value, and {part!r} isn't.")
        try:
            params[name] = json.loads(value)
        except ValueError:
            params[name] = value
    return params


def candidate_of(mode: Mode, key: str) -> dict[str, Any]:
    """A system with the parameters that the mode has chosen, if it is rated by it."""
    in_force = current_parameters(mode)
    return {"system": key, "params": changed_params(in_force) if key == in_force.system else {}}


def fittable_systems(mode: Mode) -> list[str]:
    """The systems with parameters to fit that can rate the mode; the one in force first."""
    in_force = current_parameters(mode).system
    keys = []
    for key in sorted(filter(is_fittable, SYSTEMS), key=lambda each: each != in_force):
        try:
            check_fits(get_system(key), mode)
        except Refused:
            continue
        keys.append(key)
    return keys
