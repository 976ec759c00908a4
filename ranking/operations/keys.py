"""API keys: created and shown once, then found by their digest."""

import datetime as dt
import functools
import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator, Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from ranking.models import ClaimCode, Key, Mode, Source
from ranking.models.access import SCOPES
from ranking.operations.violations import Violation

_PREFIX = 8  # characters of a key that may be shown
_USE_RESOLUTION = dt.timedelta(minutes=1)
SOON = dt.timedelta(days=7)  # before its expiry, a key is warned of


class KeyEnded(Exception):
    """The key was revoked, or has expired; `str` is a sentence for who holds it, `code` is for programs."""

    def __init__(self, key: Key) -> None:
        revoked = key.revoked_at is not None
        moment = key.revoked_at or key.expires_at
        super().__init__(f"This key {'was revoked' if revoked else 'expired'} on {moment:%d %b %Y, %H:%M} UTC.")
        self.code = "revoked-key" if revoked else "expired-key"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def create_key(
    source: str,
    *,
    scopes: Sequence[str],
    now: dt.datetime,
    modes: Iterable[Mode] = (),
    name: str = "",
    expires_at: dt.datetime | None = None,
    limit: int | None = None,
) -> str:
    """Create a key of a source, and the source if unknown; returns the secret, which is stored nowhere.

    `expires_at`: the key is refused from then on. `limit`: requests a minute, instead of RUNGS_LIMIT_KEY.
    """
    if unknown := sorted(set(scopes) - set(SCOPES)):
        raise ValueError(f"Unknown scope {unknown[0]!r}; scopes are {', '.join(SCOPES)}.")
    owner, _ = Source.objects.get_or_create(slug=source, defaults={"created_at": now})
    key = Key(source=owner, scopes=sorted(set(scopes)), name=name, expires_at=expires_at, limit=limit)
    secret = issue_key(key, now=now)
    key.modes.set(modes)
    return secret


def issue_key(key: Key, *, now: dt.datetime, prefix: str | None = None) -> str:
    """Save a new key that has a source and scopes; returns the secret, which is stored nowhere.

    A caller that passes a fresh `prefix` (see new_prefix) can't issue the same key twice: prefixes are unique.
    """
    secret = f"rungs_{prefix or new_prefix()}_{secrets.token_urlsafe(32)}"
    key.prefix, key.digest, key.created_at = _prefix(secret), _digest(secret), now
    key.lifetime = None if key.expires_at is None else key.expires_at - now
    key.save(force_insert=True)
    return secret


def new_prefix() -> str:
    return secrets.token_hex(_PREFIX // 2)


@transaction.atomic
def rotate_key(
    key: Key, *, now: dt.datetime, prefix: str | None = None, overlap: dt.timedelta | None = None
) -> tuple[Key, str]:
    """Create a second key with the same rights; returns it and its secret.

    The first key works for as long as `overlap`, or until its own expiry if that comes first; None: until it is
    revoked. A key that was made for a time has a successor for as long a time, even if an overlap
    has shortened its own.
    """
    expires_at = None if key.lifetime is None else now + key.lifetime
    successor = Key(source=key.source, scopes=key.scopes, name=key.name, limit=key.limit, expires_at=expires_at)
    secret = issue_key(successor, now=now, prefix=prefix)
    successor.modes.set(key.modes.all())
    if overlap is not None:
        key.expires_at = min(now + overlap, key.expires_at or now + overlap)
        key.save(update_fields=["expires_at"])
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
    """The key with this secret; `bound`: is it for some modes only? Notes the key's use, to the minute.

    Raises KeyEnded if it was revoked or has expired.
    """
    try:
        key = _keys().get(prefix=_prefix(secret))
    except Key.DoesNotExist:
        return None
    if not hmac.compare_digest(key.digest, _digest(secret)):
        return None
    if key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= now):
        raise KeyEnded(key)
    key.source = Source.from_db(None, ["id"], [key.source_id])  # the rest is read if asked for
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - _USE_RESOLUTION)
    if key.last_used_at is None or key.last_used_at < now - _USE_RESOLUTION:
        Key.objects.filter(stale, pk=key.pk).update(last_used_at=now)
    return key


def expiring_keys(now: dt.datetime) -> QuerySet[Key]:
    """The keys that work and expire within a week."""
    return Key.objects.filter(revoked_at=None, expires_at__gt=now, expires_at__lte=now + SOON).order_by("expires_at")


def violations(now: dt.datetime) -> Iterator[Violation]:
    """Yield a warning for each key that expires within a week, the first hundred."""
    for key in expiring_keys(now).select_related("source")[:100]:
        sentence = f"The key {key} expires on {key.expires_at:%d %b %Y, %H:%M} UTC."
        yield Violation("key.expiring", sentence, "Rotate it in the admin, under Keys.")


@functools.cache  # each request has a key, and building the subquery takes longer than running it
def _keys() -> QuerySet[Key]:
    return Key.objects.annotate(bound=Exists(Key.modes.through.objects.filter(key=OuterRef("pk"))))
