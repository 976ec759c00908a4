"""Makes a fit's results parameters of its mode: from now on, or with a re-rating of the whole history."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from ranking.models import FitRun, ParameterVersion, Rerating
from ranking.modes.administration import configure_parameters
from ranking.modes.parameters import changed_params, current_parameters
from ranking.rerating.reratings import switch_system
from ranking.systems.base import Refused

SOURCE_OF_WEIGHTS = "two-layer"


def proposal_of(run: FitRun, name: str) -> dict[str, Any]:
    """The candidate {"system", "params", "recommended"} of this name: the number of a result, or one of the summary,
    "impact" or "elite", for the system two-layer.

    Raises Refused if the run has no such candidate.
    """
    if name.isdecimal() and len(name) < 3 and int(name) < len(run.results):
        result = run.results[int(name)]
        if "params" in result and "error" not in result:
            return {"system": result["system"], "params": result["params"], "recommended": result["recommended"]}
    elif "params" in run.summary.get(name, {}):
        in_force = current_parameters(run.mode)
        base = changed_params(in_force) if in_force.system == SOURCE_OF_WEIGHTS else {}
        proposal: Mapping[str, Any] = run.summary[name]
        recommended = proposal.get("recommended", True)
        return {
            "system": SOURCE_OF_WEIGHTS, "params": {**base, **proposal["params"]}, "recommended": recommended
        }  # fmt: skip
    raise Refused("This fit has no such candidate.")


@transaction.atomic
def use_candidate(
    run: FitRun, name: str, *, rerate: bool, anyway: bool = False, by: Any, reason: str, now: dt.datetime
) -> Rerating | ParameterVersion:
    """Rate the mode by a candidate: from now on, or (`rerate`) its whole history anew.

    Raises Refused for a candidate that isn't recommended, unless `anyway`; and as configure_parameters and
    switch_system.
    """
    candidate = proposal_of(run, name)
    if not candidate["recommended"] and not anyway:
        raise Refused("The fit recommends to keep the defaults. Say that you want these parameters anyway.")
    system, params = candidate["system"], candidate["params"]
    done: Rerating | ParameterVersion
    if rerate:
        done = switch_system(run.mode, system=system, params=params, by=by, reason=reason, now=now)
    else:
        done = configure_parameters(run.mode, params, system=system, by=by, reason=reason, now=now)
    run.refresh_from_db(fields=["used"])
    if name not in run.used:
        run.used.append(name)
        run.save(update_fields=["used"])
    return done
