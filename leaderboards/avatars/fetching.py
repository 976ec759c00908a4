"""The job that fetches pictures that players chose to show, once when they choose it and then each week."""

from __future__ import annotations

import datetime as dt
import logging
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from leaderboards.avatars.choosing import find_sources
from leaderboards.avatars.image import NotAPicture, shrink
from leaderboards.models import Avatar
from leaderboards.models.avatar import LARGEST
from leaderboards.outgoing.allowed_addresses import check_url
from leaderboards.outgoing.connections import fetch
from ranking.models import Player

AT_ONCE = 8
PATIENCE = 5.0  # seconds for a picture
MOST = 1_000_000  # bytes of a picture as it comes
AGAIN = dt.timedelta(days=7)
AFTER_FAILURE = dt.timedelta(days=1)

log = logging.getLogger(__name__)


def has_work() -> bool:
    """True if a picture is due."""
    return Avatar.objects.filter(due_at__lte=timezone.now()).exists()


def fetch_avatars(now: dt.datetime) -> int:
    """Fetch some of the pictures that are due; return how many pictures changed."""
    due = _claim(now)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        fetched = list(pool.map(_fetch, (_address_of(avatar.player) for avatar in due)))
    return sum(_keep(avatar.pk, image, now) for avatar, image in zip(due, fetched, strict=True))


@transaction.atomic
def _claim(now: dt.datetime) -> list[Avatar]:
    """Take due pictures; a process that dies with them leaves them for the next day."""
    free = Avatar.objects.filter(due_at__lte=now).order_by("due_at").select_related("player__user")
    due = list(free.select_for_update(of=("self",), skip_locked=True)[:AT_ONCE])
    Avatar.objects.filter(pk__in=[avatar.pk for avatar in due]).update(due_at=now + AFTER_FAILURE)
    return due


def _address_of(player: Player) -> str:
    """The address of the picture at the other site; "": it has none."""
    addresses = (_picture_at(source) for source in find_sources(player.user)) if player.user else ()
    return next(filter(None, addresses), "")


def _picture_at(source: Any) -> str:
    """What the library makes of the facts that the other site told at the last log-in."""
    return str(source.get_avatar_url() or "")


def _fetch(address: str) -> bytes | None:
    """Return a small picture, b"" if there is none, or None if it couldn't be fetched."""
    if not address:
        return b""
    private = settings.WEBHOOK_ALLOW_PRIVATE
    try:
        check_url(address, https_only=settings.SCALED, allow_private=private)
        return shrink(fetch(address, most=MOST, allow_private=private, timeout=PATIENCE), most=LARGEST)
    except (OSError, NotAPicture) as error:
        log.info("A picture couldn't be fetched.", extra={"reason": str(error)[:200]})
        return None


@transaction.atomic
def _keep(pk: int, image: bytes | None, now: dt.datetime) -> bool:
    """Store what was fetched, if the player still wants it. A picture that couldn't be fetched stays as it was."""
    avatar = Avatar.objects.select_for_update().filter(pk=pk, removed_at=None).first()
    if avatar is None or image is None:
        return False
    name = blake2b(image, digest_size=8).hexdigest() if image else ""
    changed = Player.objects.filter(pk=pk, user__isnull=False).exclude(avatar=name).update(avatar=name)
    Avatar.objects.filter(pk=pk).update(image=image or None, due_at=now + AGAIN)
    return bool(changed)
