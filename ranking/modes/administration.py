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
from ranking.modes.parameters import current_parameters
from ranking.operations.audit import check_reason, record_act


@retried
@transaction.atomic
def configure_mode(mode: Mode, settings: Mapping[str, Any], *, by: User, reason: str, now: dt.datetime) -> None:
    """Change settings of a mode; settings equal to those in force change nothing, and the log says nothing of them.

    Raises as change_settings does, and ValueError without a reason.
    """
    check_reason(reason)
    locks.hold_mode(mode.slug)
    stored = Mode.objects.get(pk=mode.pk)
    changed = [name for name, value in settings.items() if getattr(stored, name) != value]
    if changed:
        change_settings(mode, now=now, **settings)
        subject = f"mode {mode.slug}: {', '.join(changed)}"
        record_act("change mode", subject[:160], by=by, reason=reason, now=now)


@retried
@transaction.atomic
def configure_parameters(
    mode: Mode, params: Mapping[str, Any], *, by: User, reason: str, now: dt.datetime
) -> ParameterVersion:
    """Rate by these parameters of the mode's system from now on; those left out get their defaults.

    Returns the version in force. Parameters equal to those in force change nothing, and the log says nothing of them.
    Raises as change_parameters does, and ValueError without a reason.
    """
    check_reason(reason)
    locks.hold_mode(mode.slug)
    before = current_parameters(mode)
    version = change_parameters(mode, params=params, now=now)
    if version.pk != before.pk:
        subject = f"mode {mode.slug}: parameters {version.number}"
        record_act("change parameters", subject, by=by, reason=reason, now=now)
    return version
