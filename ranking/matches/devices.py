"""Devices on which players played, if the game reports them: kept as digests that only this site can compute."""

import datetime as dt
from collections.abc import Collection, Iterable

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils.crypto import salted_hmac

from ranking.matches.records import MatchRecord
from ranking.models import DeviceUse, Participation, Player
from ranking.rules.report import Report

_CHUNK = 5_000  # rows deleted at once


def digest_of(device: str) -> str:
    """The digest that is kept instead of the game's key for a device."""
    secret = settings.DEVICE_PEPPER or None  # None: the secret key
    return salted_hmac("rungs.devices", device, secret=secret, algorithm="sha256").hexdigest()[:32]


def device_uses(recorded: Iterable[tuple[Report, MatchRecord]]) -> list[DeviceUse]:
    """The uses of devices in results just recorded; they aren't saved. `record.parts` are in the report's order."""
    return [
        DeviceUse(
            match=record.match, player_id=part.player_id, digest=digest_of(player.device), used_at=record.match.ended_at
        )
        for report, record in recorded
        for (_, _, player), part in zip(report.players(), record.parts, strict=True)
        if player.device
    ]


def drop_old_devices(now: dt.datetime) -> int:
    """Delete device uses that are older than RUNGS_DEVICES_KEPT days, in chunks; returns how many."""
    old = DeviceUse.objects.filter(used_at__lt=now - dt.timedelta(days=settings.DEVICES_KEPT)).order_by("used_at")
    dropped = 0
    while ids := list(old.values_list("pk", flat=True)[:_CHUNK]):
        dropped += DeviceUse.objects.filter(pk__in=ids).delete()[0]
    return dropped


def merge_devices(kept: Player, merged: Player) -> None:
    """Give the devices of the merged player to the kept player, except those of matches that stay with them."""
    own = Participation.objects.filter(player=merged, match=OuterRef("match"))
    DeviceUse.objects.filter(~Exists(own), player=merged).update(player=kept)


def split_devices(kept: Player, merged: Player, played_as: Collection[int]) -> None:
    """Give back the devices of the matches that the merged player played, under the ids `played_as`."""
    parts = Participation.objects.filter(player=kept, played_as__in=played_as)
    DeviceUse.objects.filter(player=kept, match__in=parts.values("match")).update(player=merged)
