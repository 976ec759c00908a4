"""Devices that players play on, where the game tells: kept as digests that only this installation can make."""

import datetime as dt
from collections.abc import Iterable

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils.crypto import salted_hmac

from ranking.matches.records import MatchRecord
from ranking.models import DeviceUse, Player
from ranking.rules.report import Report

_CHUNK = 5_000  # rows deleted at once


def digest_of(device: str) -> str:
    """What is kept of the game's key of a device."""
    secret = settings.DEVICE_PEPPER or None  # None: the secret key
    return salted_hmac("rungs.devices", device, secret=secret, algorithm="sha256").hexdigest()[:32]


def note_devices(recorded: Iterable[tuple[Report, MatchRecord]]) -> None:
    """Keep the devices of results just recorded, inside their transaction; `play.parts` as the report has them."""
    uses = [
        DeviceUse(
            match=play.match, player_id=part.player_id, digest=digest_of(said.device), used_at=play.match.ended_at
        )
        for report, play in recorded
        for (_, _, said), part in zip(report.players(), play.parts, strict=True)
        if said.device
    ]
    if uses:
        DeviceUse.objects.bulk_create(uses)


def drop_old_devices(now: dt.datetime) -> int:
    """Forget what is older than RUNGS_DEVICES_KEPT days, some thousand at once; how many."""
    old = DeviceUse.objects.filter(used_at__lt=now - dt.timedelta(days=settings.DEVICES_KEPT)).order_by("used_at")
    dropped = 0
    while ids := list(old.values_list("pk", flat=True)[:_CHUNK]):
        dropped += DeviceUse.objects.filter(pk__in=ids).delete()[0]
    return dropped


def merge_devices(kept: Player, merged: Player) -> None:
    """Give the devices of the merged player to the player who is kept."""
    same = DeviceUse.objects.filter(player=kept, match=OuterRef("match"))
    DeviceUse.objects.filter(Exists(same), player=merged).delete()
    DeviceUse.objects.filter(player=merged).update(player=kept)
