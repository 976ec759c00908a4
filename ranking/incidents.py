"""Incidents as facts: what a match or a lobby makes of those who left, and what players have done lately."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from ranking.conduct import FORGOTTEN, Lapse, Settings
from ranking.models import Forfeit, Incident, Match, Participation
from ranking.plays import Play


def leaves_of(play: Play) -> Iterator[Incident]:
    """The incidents of a saved match: one for each who left it early."""
    for part in play.parts:
        if part.left_early:
            yield Incident(
                player_id=part.player_id,
                kind=Incident.LEAVE,
                occasion=f"match:{play.match.pk}",
                happened_at=_left_at(play.match, part),
                mode_id=play.match.mode_id,
                match_id=play.match.pk,
            )


def dropout_of(forfeit: Forfeit) -> Incident:
    """The incident of a saved forfeit."""
    return Incident(
        player_id=forfeit.player_id,
        kind=Incident.DROPOUT,
        occasion=f"lobby:{forfeit.mode_id}:{forfeit.lobby}",
        happened_at=forfeit.happened_at,
        mode_id=forfeit.mode_id,
        forfeit_id=forfeit.pk,
    )


def _left_at(match: Match, part: Participation) -> dt.datetime:
    if match.started_at is None or part.seconds is None:
        return match.ended_at
    return match.started_at + dt.timedelta(seconds=part.seconds)


def find_lapses(players: Iterable[int], now: dt.datetime) -> dict[int, list[Lapse]]:
    """What counts against each of these players, newest first: one query, however many."""
    found: dict[int, list[Lapse]] = {player: [] for player in players}
    recent = Incident.objects.counting().filter(player__in=found, happened_at__gt=now - FORGOTTEN)
    numbers: dict[int, Settings] = {}
    for incident in recent.select_related("mode").order_by("-happened_at", "-pk"):
        if incident.mode_id not in numbers:
            numbers[incident.mode_id] = incident.mode.conduct_settings
        lapse = Lapse(incident.kind, incident.happened_at, numbers[incident.mode_id], incident.pk)
        found[incident.player_id].append(lapse)
    return found
