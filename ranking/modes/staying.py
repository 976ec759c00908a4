"""Requests that staying is always better in a mode's whole history, not only from a version of parameters on."""

from typing import Any

from ranking.models import Mode
from ranking.modes.parameters import STAYING, current_parameters, find_versions, params_of, system_of
from ranking.systems.base import Refused


def staying_for_all(mode: Mode) -> dict[str, Any]:
    """What to request so that staying is always better in the mode's whole history: its system and parameters.

    The history is rated by the parameters in force now. Raises Refused if all of it is rated so already.
    """
    if all(system_of(version).staying_is_better for version in find_versions(mode, mode.generation)):
        raise Refused(f"In all matches of {mode.slug}, staying is better already.")
    current = current_parameters(mode)
    return {"system": current.system, "params": {**params_of(current), STAYING: True}}
