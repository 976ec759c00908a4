"""Makes a fit's results parameters of its mode; proposes the elite band, where gains shrink and losses grow."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from ranking.models import FitRun, Mode, ParameterVersion, Rerating, Season
from ranking.modes.administration import configure_parameters
from ranking.modes.parameters import changed_params, current_parameters, system_of
from ranking.rerating.reratings import switch_system
from ranking.rules.rank_table import RankTable
from ranking.standings.snapshots import newest_table
from ranking.systems.base import Refused
from ranking.trials.core.fits import SOURCE_OF_WEIGHTS

FROM, TO = 0.97, 0.995  # percentiles
NEEDED = 500  # listed players
ROUNDED_TO = 10  # points


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
    run: FitRun, name: str, *, rerate: bool, anyway: bool = False, by: User, reason: str, now: dt.datetime
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


def propose_elite_band(mode: Mode) -> dict[str, object] | None:
    """The band as JSON, with today's; None if the mode isn't rated by two-layer or lists too few players."""
    version = current_parameters(mode)
    season = Season.objects.filter(mode=mode, current=True).first()
    table = newest_table(mode.pk, season.pk) if season else None
    if version.system != SOURCE_OF_WEIGHTS or table is None or len(table) < NEEDED:
        return None
    system: Any = system_of(version)
    low, high = (ROUNDED_TO * round(_value_at(table, share) / 100 / ROUNDED_TO) for share in (FROM, TO))
    return {
        "listed": len(table),
        "today": {"elite_from": system.elite_from, "elite_to": system.elite_to},
        "params": {"elite_from": float(low), "elite_to": float(max(high, low + ROUNDED_TO))},
    }


def _value_at(table: RankTable, share: float) -> int:
    """The lowest display rating, in hundredths, that at least this share of the listed players don't exceed."""
    reached = 0
    for value, count in table.rows():
        reached += count
        if reached >= share * len(table):
            return value
    raise ValueError("An empty table has no percentiles.")
