"""An administrator's changes of a mode's settings and parameters, each with a line in the audit log."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from ranking.database import locks
from ranking.database.retries import retried
from ranking.models import Mode, ParameterVersion
from ranking.modes.changes import change_parameters, change_settings
from ranking.modes.parameters import current_parameters, params_of
from ranking.operations.audit import check_reason, record_changes
from ranking.operations.row_changes import change_texts, changed_fields, state_of
from ranking.systems.registry import describe_params


@retried
@transaction.atomic
def configure_mode(mode: Mode, settings: Mapping[str, Any], *, by: User, reason: str, now: dt.datetime) -> None:
    """Change settings of a mode; settings equal to those in force change nothing, and the log says nothing of them.

    Raises as change_settings does, and ValueError without a reason.
    """
    check_reason(reason)
    locks.hold_mode(mode.slug)
    stored = Mode.objects.get(pk=mode.pk)
    before = state_of(stored, settings)
    if any(getattr(stored, name) != value for name, value in settings.items()):
        change_settings(mode, now=now, **settings)
        changes = change_texts(before, state_of(Mode.objects.get(pk=mode.pk), settings))
        subject = changed_fields(f"mode {mode.slug}", changes)
        record_changes("change mode", subject, changes, by=by, reason=reason, now=now)


@retried
@transaction.atomic
def configure_parameters(
    mode: Mode, params: Mapping[str, object], *, by: User, reason: str, now: dt.datetime, system: str | None = None
) -> ParameterVersion:
    """Rate by these parameters from now on; those left out get their defaults. `system` None: the mode's.

    Returns the version in force. Parameters equal to those in force change nothing, and the log says nothing of them.
    Raises as change_parameters does, and ValueError without a reason.
    """
    check_reason(reason)
    locks.hold_mode(mode.slug)
    before = current_parameters(mode)
    version = change_parameters(mode, params=params, system=system, now=now)
    if version.pk != before.pk:
        subject = f"mode {mode.slug}: parameters {version.number}"
        changes = parameter_changes(before, version.system, params_of(version))
        record_changes("change parameters", subject, changes, by=by, reason=reason, now=now)
    return version


def parameter_changes(before: ParameterVersion, system: str, params: Mapping[str, object]) -> dict[str, str]:
    """What other parameters change, by name, as text: their system, and those that differ or have other defaults."""
    return change_texts(_state(before.system, params_of(before)), _state(system, params))


def _state(system: str, params: Mapping[str, object]) -> dict[str, object]:
    """A system and each of its parameters."""
    return {"system": system, **{parameter.name: parameter.default for parameter in describe_params(system)}, **params}
