"""API keys: created and shown once, then found by their digest."""

import datetime as dt
import functools
import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from ranking.models import ClaimCode, Key, Mode, Source
from ranking.models.access import SCOPES

_PREFIX = 8  # characters of a key that may be shown
_USE_RESOLUTION = dt.timedelta(minutes=1)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def create_key(source: str, *, scopes: Sequence[str], now: dt.datetime, modes: Iterable[Mode] = ()) -> str:
    """Create a key of a source, and the source if unknown; returns the secret, which is stored nowhere."""
    if unknown := sorted(set(scopes) - set(SCOPES)):
        raise ValueError(f"Unknown scope {unknown[0]!r}; scopes are {', '.join(SCOPES)}.")
    owner, _ = Source.objects.get_or_create(slug=source, defaults={"created_at": now})
    key = Key(source=owner, scopes=sorted(set(scopes)))
    secret = issue_key(key, now=now)
    key.modes.set(modes)
    return secret


def issue_key(key: Key, *, now: dt.datetime, prefix: str | None = None) -> str:
    """Save a new key that has a source and scopes; returns the secret, which is stored nowhere.

    A caller that passes a fresh `prefix` (see new_prefix) can't issue the same key twice: prefixes are unique.
    """
    secret = f"rungs_{prefix or new_prefix()}_{secrets.token_urlsafe(32)}"
    key.prefix, key.digest, key.created_at = _prefix(secret), _digest(secret), now
    key.save(force_insert=True)
    return secret


def new_prefix() -> str:
    return secrets.token_hex(_PREFIX // 2)


@transaction.atomic
def rotate_key(key: Key, *, now: dt.datetime, prefix: str | None = None) -> tuple[Key, str]:
    """Create a second key with the same rights; returns it and its secret. The first one works until it is revoked."""
    successor = Key(source=key.source, scopes=key.scopes)
    secret = issue_key(successor, now=now, prefix=prefix)
    successor.modes.set(key.modes.all())
    return successor, secret


@transaction.atomic
def revoke_key(key: Key, *, now: dt.datetime) -> bool:
    """End a key for good, from the next request on; returns False if it was revoked already.

    Every claim code ends, too. Codes don't say which key obtained them, and live for minutes: games give out new ones.
    """
    revoked = Key.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=now)
    if revoked:
        ClaimCode.objects.all().delete()
    return bool(revoked)


def _prefix(secret: str) -> str:
    return secret.split("_")[1][:_PREFIX] if secret.count("_") >= 2 else ""


def find_key(secret: str, *, now: dt.datetime) -> Key | None:
    """The unrevoked key with this secret; `bound`: is it for some modes only? Notes the key's use, to the minute."""
    try:
        key = _unrevoked_keys().get(prefix=_prefix(secret))
    except Key.DoesNotExist:
        return None
    if not hmac.compare_digest(key.digest, _digest(secret)):
        return None
    key.source = Source.from_db(None, ["id"], [key.source_id])  # the rest is read if asked for
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - _USE_RESOLUTION)
    if key.last_used_at is None or key.last_used_at < now - _USE_RESOLUTION:
        Key.objects.filter(stale, pk=key.pk).update(last_used_at=now)
    return key


@functools.cache  # each request has a key, and building the subquery takes longer than running it
def _unrevoked_keys() -> QuerySet[Key]:
    bound = Exists(Key.modes.through.objects.filter(key=OuterRef("pk")))
    return Key.objects.filter(revoked_at=None).annotate(bound=bound)
