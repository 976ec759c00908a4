"""Acts of administrators on API keys: make, rotate and revoke; each adds a line to the audit log."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from ranking.models import Key
from ranking.operations.audit import UNASKED, record_act, record_changes
from ranking.operations.keys import create_key, revoke_key, rotate_key
from ranking.operations.row_changes import change_texts, state_of
from ranking.wording.dates import utc_text

FIELDS = ("source", "name", "scopes", "modes", "expires_at", "limit")  # those that say what a key may do


def subject_of(key: Key) -> str:
    """The key as the audit log names it: by its source and the part that may be shown."""
    return f"key {key.source} · {key.prefix}"


@transaction.atomic
def make_key(source: str, *, scopes: Sequence[str], by: User | None, now: dt.datetime, **more: Any) -> str:
    """Create a key, as create_key does, whose arguments `more` are; returns the secret."""
    secret = create_key(source, scopes=scopes, now=now, **more)
    key = Key.objects.get(prefix=secret.split("_")[1])
    changes = change_texts(state_of(Key(), FIELDS), state_of(key, FIELDS))
    record_changes("add key", subject_of(key), changes, by=by, reason=UNASKED, now=now)
    return secret


@transaction.atomic
def replace_key(
    key: Key, *, by: User | None, now: dt.datetime, prefix: str, overlap: dt.timedelta | None
) -> tuple[Key, str]:
    """Rotate a key, as rotate_key does; returns the new key and its secret."""
    successor, secret = rotate_key(key, now=now, prefix=prefix, overlap=overlap)
    until = "it is revoked" if key.expires_at is None else utc_text(key.expires_at)
    note = f"The new key is {successor.prefix}; the old one works until {until}."
    record_act("rotate key", subject_of(key), by=by, reason=UNASKED, now=now, note=note)
    return successor, secret


@transaction.atomic
def end_key(key: Key, *, by: User | None, now: dt.datetime) -> bool:
    """Revoke a key; returns False if it was revoked already."""
    revoked = revoke_key(key, now=now)
    if revoked:
        record_act("revoke key", subject_of(key), by=by, reason=UNASKED, now=now)
    return revoked
