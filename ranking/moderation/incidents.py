"""Incidents as facts: what a match or a lobby makes of those who left, and what players have done lately."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from django.db.models import QuerySet

from ranking.matches.leaves import _occasion
from ranking.models import Incident, Mode
from ranking.rules.conduct import FORGOTTEN, Lapse, Settings, read_settings


def find_crashed(server: str, since: dt.datetime, until: dt.datetime) -> QuerySet[Incident]:
    """What counts and happened then, oldest first: leaves of matches of a server, or everything where none is named."""
    counting = Incident.objects.counting().filter(happened_at__gte=since, happened_at__lte=until)
    return (counting.filter(match__server=server) if server else counting).order_by("happened_at", "pk")


def find_servers(since: dt.datetime, *, most: int = 100) -> list[str]:
    """Servers of matches that were left since then, by name."""
    left = Incident.objects.filter(happened_at__gte=since).exclude(match=None).exclude(match__server="")
    return sorted(left.order_by().values_list("match__server", flat=True).distinct()[:most])


def find_lapses(players: Iterable[int], now: dt.datetime) -> dict[int, list[Lapse]]:
    """What counts against each of these players, newest first: one query, however many."""
    found: dict[int, list[Lapse]] = {player: [] for player in players}
    recent = Incident.objects.counting().filter(player__in=found, happened_at__gt=now - FORGOTTEN)
    numbers: dict[int, Settings] = {}
    rows = recent.order_by("-happened_at", "-pk")
    for player, kind, at, pk, mode, given in rows.values_list(
        "player", "kind", "happened_at", "pk", "mode", "mode__conduct"
    ):
        if mode not in numbers:
            numbers[mode] = read_settings(given)
        found[player].append(Lapse(kind, at, numbers[mode], pk))
    return found


def record_missed(players: Sequence[int], mode: Mode, *, lobby: str, happened_at: dt.datetime) -> None:
    """Players declined or let pass a match of this lobby: once each."""
    _record(Incident.MISSED, players, mode, lobby, happened_at)


def record_dropout(player: int, mode: Mode, *, lobby: str, happened_at: dt.datetime) -> None:
    """A player dropped out of a lobby of which the mode's system rates no forfeit: once."""
    _record(Incident.DROPOUT, [player], mode, lobby, happened_at)


def _record(kind: str, players: Sequence[int], mode: Mode, lobby: str, happened_at: dt.datetime) -> None:
    incidents = [
        Incident(player_id=player, kind=kind, occasion=_occasion(mode.pk, lobby), happened_at=happened_at, mode=mode)
        for player in players
    ]
    Incident.objects.bulk_create(incidents, ignore_conflicts=True)
