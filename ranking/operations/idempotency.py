"""Requests that are sent again: the answer to a request with an Idempotency-Key is kept for a day.

The row is claimed before the act, in a transaction of its own, so a second request at the same time sees it. The
answer is written in the transaction of the act: both are there, or neither. If the process dies in between, the claim
lapses after a minute, and the next such request acts. If another request has taken over a lapsed claim, the first one
can't complete it any more, and its act is rolled back.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import zlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.db import IntegrityError

from ranking.models.access import KeptAnswer

KEPT_FOR = dt.timedelta(hours=24)
CLAIM = dt.timedelta(seconds=60)  # longer than a request may take
LARGEST = 1_000_000  # bytes of a kept answer, compressed
_CHUNK = 5_000


class InFlight(Exception):
    """The same request is being answered at the moment; `wait`: seconds until it may be sent again."""

    def __init__(self, wait: int) -> None:
        super().__init__(wait)
        self.wait = wait


class Reused(Exception):
    """Another request was sent with this key before."""


class Unreadable(Exception):
    """The request was answered, and the answer can't be read any more."""


def claim(caller: str, key: str, digest: str, *, now: dt.datetime) -> KeptAnswer:
    """Claim a request, or find the answer that was kept for it. Return its row: without a status if it is claimed now.

    `caller`: whose keys they are, such as "key-12". `digest`: of what is asked. Raises InFlight and Reused.
    """
    values = {"digest": digest, "claimed_at": now}
    try:
        row, made = KeptAnswer.objects.get_or_create(caller=caller, key=key, defaults=values)
    except IntegrityError as error:  # another request's row kept this one out, and is gone: that request was refused
        raise InFlight(1) from error
    if made:
        return row
    has_lapsed = row.claimed_at < now - (CLAIM if row.status is None else KEPT_FOR)
    if not has_lapsed and row.digest != digest:
        raise Reused
    if not has_lapsed and row.status is None:
        raise InFlight(max(1, round((row.claimed_at + CLAIM - now).total_seconds())))
    if has_lapsed:
        _take_over(row, digest, now)
    return row


def _take_over(row: KeptAnswer, digest: str, now: dt.datetime) -> None:
    """Claim a row whose claim or answer has lapsed.

    Raises InFlight if another request was quicker, or if the one that was late has been answered by now.
    """
    rows = KeptAnswer.objects.filter(pk=row.pk, claimed_at=row.claimed_at, status=row.status)
    if not rows.update(claimed_at=now, digest=digest, status=None, body=None):
        raise InFlight(1)
    row.claimed_at, row.digest, row.status, row.body = now, digest, None, None


def complete(row: KeptAnswer, status: int, body: bytes) -> None:
    """Keep the answer to a claimed request. Raises InFlight if the claim lapsed and another request took it over."""
    sealed = _box(row).encrypt(zlib.compress(body, 1))
    if len(sealed) > LARGEST:
        release(row)
        return
    rows = KeptAnswer.objects.filter(pk=row.pk, claimed_at=row.claimed_at, status=None)
    if not rows.update(status=status, body=sealed):
        raise InFlight(1)


def release(row: KeptAnswer) -> None:
    """Give up a claim: the next such request acts."""
    KeptAnswer.objects.filter(pk=row.pk, claimed_at=row.claimed_at, status=None).delete()


def read_body(row: KeptAnswer) -> bytes:
    """Return the body of a kept answer. Raises Unreadable if the site's secret key has changed since."""
    assert row.body is not None  # noqa: S101 - the row has a status
    try:
        return zlib.decompress(_box(row).decrypt(bytes(row.body)))
    except InvalidToken as error:
        raise Unreadable from error


def _box(row: KeptAnswer) -> Fernet:
    """Return what seals a row. Answers hold tokens and names: the database alone isn't enough to read them."""
    text = f"kept answer\n{settings.SECRET_KEY}\n{row.caller}\n{row.key}"
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()))


def drop_old_answers(now: dt.datetime) -> int:
    """Delete answers and claims that are older than a day, in chunks; returns how many."""
    old = KeptAnswer.objects.filter(claimed_at__lt=now - KEPT_FOR).order_by("claimed_at")
    dropped = 0
    while ids := list(old.values_list("pk", flat=True)[:_CHUNK]):
        dropped += KeptAnswer.objects.filter(pk__in=ids).delete()[0]
    return dropped
