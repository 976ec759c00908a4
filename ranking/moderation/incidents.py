"""Incidents: records missed accepts and dropouts, and finds what counts against players."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from django.db.models import QuerySet

from ranking.matches.forfeits import occasion_of
from ranking.models import Incident, Mode
from ranking.rules.conduct import FORGOTTEN, Lapse, Settings, read_settings


def find_crashed(server: str, since: dt.datetime, until: dt.datetime) -> QuerySet[Incident]:
    """Incidents that count and happened in this time, oldest first. With a server only leaves of its matches."""
    counting = Incident.objects.counting().filter(happened_at__gte=since, happened_at__lte=until)
    return (counting.filter(match__server=server) if server else counting).order_by("happened_at", "pk")


def find_servers(since: dt.datetime, *, most: int = 100) -> list[str]:
    """Names of the servers of matches that somebody left since then, sorted."""
    leaves = Incident.objects.filter(happened_at__gte=since).exclude(match=None).exclude(match__server="")
    return sorted(leaves.order_by().values_list("match__server", flat=True).distinct()[:most])


def find_lapses(players: Iterable[int], now: dt.datetime) -> dict[int, list[Lapse]]:
    """By player's id, what counts against the player, newest first. One query for any number of players."""
    lapses: dict[int, list[Lapse]] = {player: [] for player in players}
    recent = Incident.objects.counting().filter(player__in=lapses, happened_at__gt=now - FORGOTTEN)
    settings: dict[int, Settings] = {}  # by mode
    rows = recent.order_by("-happened_at", "-pk")
    for player, kind, at, pk, mode, conduct, appeal in rows.values_list(
        "player", "kind", "happened_at", "pk", "mode", "mode__conduct", "appeal__decision"
    ):
        if mode not in settings:
            settings[mode] = read_settings(conduct)
        lapses[player].append(Lapse(kind, at, settings[mode], pk, appeal))
    return lapses


def record_missed(players: Sequence[int], mode: Mode, *, lobby: str, happened_at: dt.datetime) -> None:
    """Record that players declined this lobby's match, or didn't answer. A second call changes nothing."""
    _record(Incident.MISSED, players, mode, lobby, happened_at)


def record_dropout(player: int, mode: Mode, *, lobby: str, happened_at: dt.datetime) -> None:
    """Record that a player dropped out of a lobby whose mode rates no forfeits. A second call changes nothing."""
    _record(Incident.DROPOUT, [player], mode, lobby, happened_at)


def _record(kind: str, players: Sequence[int], mode: Mode, lobby: str, happened_at: dt.datetime) -> None:
    incidents = [
        Incident(player_id=player, kind=kind, occasion=occasion_of(mode.pk, lobby), happened_at=happened_at, mode=mode)
        for player in players
    ]
    Incident.objects.bulk_create(incidents, ignore_conflicts=True)
