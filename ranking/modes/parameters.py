"""Makes modes, and finds the parameters by which a mode is rated."""

import datetime as dt
import functools
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import CharField, F, OuterRef, Subquery

from ranking.database import locks
from ranking.database.prepared_queries import InPlaceholder, PreparedModels, prepare_models
from ranking.models import Event, Mode, ModeState, ParameterVersion, Rerating, Season
from ranking.modes.season_schedule import scheduled_end
from ranking.systems.base import Refused, S, System
from ranking.systems.registry import describe_params, get_system, system_class
from ranking.wording.names import numbered_name

STAYING, SHARES = "staying_is_better", "counts_shares"  # the parameters that every system has
# Rules that were added to systems, with what held before. A version of parameters from before hasn't got them.
BEFORE = {STAYING: False, SHARES: False, "ties": "chain", "practice_in_defeat": True}


class Misfit(Refused):
    """A mode whose teams its rating system can't rate; `field` is the setting at fault."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@transaction.atomic
def create_mode(
    *,
    slug: str,
    name: str,
    system: str,
    now: dt.datetime,
    params: Mapping[str, object] | None = None,
    **settings: object,
) -> Mode:
    """Create a mode with its first season and parameters; `settings` are fields of Mode.

    Raises Refused for an unknown system or bad parameters, Misfit for teams that the system can't rate.
    """
    rules = get_system(system, params or {})
    mode = Mode(slug=slug, name=name, created_at=now, **settings)
    check_fits(rules, mode)
    mode.full_clean()
    mode.save()
    Season.objects.create(mode=mode, number=1, name=numbered_name(1), starts_at=now, ends_at=scheduled_end(mode, now))
    event = Event.objects.create(mode=mode, kind=Event.PARAMETERS, happened_at=now)
    version = ParameterVersion.objects.create(
        mode=mode, number=1, event=event, system=system, params=stored_params(system, params or {})
    )
    begin_learning(version, mode.generation)
    return mode


def begin_learning(version: ParameterVersion, generation: int) -> None:
    """Write the state that has learnt nothing yet, if the system of these parameters learns about its mode."""
    system = system_of(version)
    if system.learns:
        ModeState.objects.create(parameters=version, generation=generation, number=0, values=system.mode_state())


def check_fits(system: System[S], mode: Mode) -> None:
    """Raise Misfit if the system can't rate teams of this mode."""
    fewest, most = system.team_counts
    if mode.fewest_teams < fewest or (most is not None and mode.team_count > most):
        allowed = f"{fewest}" if fewest == most else f"at least {fewest}" if most is None else f"{fewest} to {most}"
        raise Misfit("team_count", f"{system.key} rates matches of {allowed} teams; {mode.slug} has {mode.teams}.")
    if system.max_team_size is not None and mode.team_size_max > system.max_team_size:
        raise Misfit(
            "team_size_max", f"{system.key} rates teams of at most {system.max_team_size}; {mode.slug} allows more."
        )


@dataclass(frozen=True, slots=True)
class Rules:
    """What a mode is rated by at this moment, and in which season.

    `ends_at` None: the season's end isn't known yet. `lease`: the kind of the run that holds the mode's lease, or "".
    """

    mode: Mode
    season_id: int
    parameters: ParameterVersion
    system: System[Any]
    season_number: int = 1
    starts_at: dt.datetime | None = None
    ends_at: dt.datetime | None = None
    closing: bool = False
    lease: str = ""

    def waits(self, moment: dt.datetime) -> bool:
        """True if a match that ended at this moment, or a forfeit of it, is recorded now and rated later.

        During a re-rating all wait for its end. Those from after the season's end wait until the next season is open.
        """
        if self.lease == Rerating.RERATING:
            return True
        opening = self.lease == Rerating.SEASON_END and not self.closing
        boundary = self.starts_at if opening else self.ends_at
        return boundary is not None and moment >= boundary

    def waits_until(self, moment: dt.datetime) -> dt.datetime | None:
        """When a match that ended at this moment will be rated, if that is known; the next season begins then."""
        if self.lease or self.ends_at is None or moment < self.ends_at:
            return None
        return self.ends_at + dt.timedelta(seconds=self.mode.late_results)

    def is_straggler(self, ended_at: dt.datetime) -> bool:
        """True if a match ended before the season began: it belongs to it because it came so late."""
        return self.season_number > 1 and self.starts_at is not None and ended_at < self.starts_at


def rules_in_force(slugs: Collection[str]) -> dict[str, Rules]:
    """The rules of these modes, by slug; unknown modes are left out. They stay in force until the transaction ends."""
    locks.share_modes(slugs)
    versions: list[Any] = _versions_query().objects(slugs=slugs)
    # Of several versions of a mode, the dict keeps the last.
    return {row.mode.slug: _rules_from(row) for row in versions}


def _rules_from(row: Any) -> Rules:
    """The rules that a version with the annotations of `_versions_query` stands for."""
    return Rules(
        row.mode, row.season, row, system_of(row), row.season_number, row.starts_at, row.ends_at,
        row.season_state == Season.CLOSING, row.lease_kind or "",
    )  # fmt: skip


@functools.cache
def _versions_query() -> PreparedModels[ParameterVersion]:
    versions = ParameterVersion.objects.filter(
        InPlaceholder("mode__slug", "slugs", CharField()), mode__seasons__current=True
    )
    versions = versions.filter(generation__lte=F("mode__generation")).order_by("number")
    return prepare_models(
        versions.select_related("mode").annotate(
            season=F("mode__seasons"),
            season_number=F("mode__seasons__number"),
            season_state=F("mode__seasons__state"),
            starts_at=F("mode__seasons__starts_at"),
            ends_at=F("mode__seasons__ends_at"),
            lease_kind=F("mode__lease__kind"),
        )
    )


def find_versions(mode: Mode, generation: int) -> list[ParameterVersion]:
    """The versions of parameters in a generation of the mode, oldest first; a retroactive one drops all before it."""
    versions: list[ParameterVersion] = []
    for version in ParameterVersion.objects.filter(mode=mode, generation__lte=generation).order_by("number"):
        if version.retroactive:
            versions.clear()
        versions.append(version)
    return versions


def current_parameters(mode: Mode) -> ParameterVersion:
    """The parameters in force."""
    return ParameterVersion.objects.in_force().filter(mode=mode)[0]


def versions_of_ranked_modes() -> list[ParameterVersion]:
    """The parameters in force of each ranked mode, with the mode, by its name. One query."""
    newest = ParameterVersion.objects.in_force().filter(mode=OuterRef("mode")).values("pk")[:1]
    versions = ParameterVersion.objects.filter(pk=Subquery(newest), mode__ranked=True)
    return list(versions.select_related("mode").order_by("mode__name", "mode"))


def system_of(version: ParameterVersion) -> System[Any]:
    """The rating system with these parameters; each is built once."""
    return _system(version.system, json.dumps(params_of(version), sort_keys=True))


def stored_params(system: str, params: Mapping[str, object]) -> dict[str, object]:
    """The parameters of a new version as they are stored: the rules that older versions lack are always among them."""
    rules = get_system(system, params)
    return {**{name: getattr(rules, name) for name in BEFORE if hasattr(rules, name)}, **params}


def params_of(version: ParameterVersion) -> dict[str, object]:
    """The parameters of a version. One from before a rule was added keeps what held in its time."""
    rules = system_class(version.system)
    return {**{name: value for name, value in BEFORE.items() if hasattr(rules, name)}, **version.params}


def changed_params(version: ParameterVersion) -> dict[str, object]:
    """The parameters of a version that aren't at their defaults."""
    defaults = {parameter.name: parameter.default for parameter in describe_params(version.system)}
    return {name: value for name, value in params_of(version).items() if value != defaults.get(name)}


@functools.lru_cache(maxsize=256)
def _system(key: str, params: str) -> System[Any]:
    return get_system(key, json.loads(params))


def staying_for_all(mode: Mode) -> dict[str, object]:
    """What to request so that staying is always better in the mode's whole history: its system and parameters.

    The history is rated by the parameters in force now. Raises Refused if all of it is rated so already.
    """
    if all(system_of(version).staying_is_better for version in find_versions(mode, mode.generation)):
        raise Refused(f"In all matches of {mode.slug}, staying is better already.")
    current = current_parameters(mode)
    return {"system": current.system, "params": {**params_of(current), STAYING: True}}
