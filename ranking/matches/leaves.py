"""Incidents that a match or a forfeit makes: who left early, who dropped out of the lobby."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from ranking.matches.records import MatchRecord
from ranking.models import Forfeit, Incident, Match, Participation


def leaves_of(record: MatchRecord) -> Iterator[Incident]:
    """The incidents of a saved match: one for each player who left it early."""
    for part in record.parts:
        if part.left_early:
            yield Incident(
                player_id=part.player_id,
                kind=Incident.LEAVE,
                occasion=f"match:{record.match.pk}",
                happened_at=_left_at(record.match, part),
                mode_id=record.match.mode_id,
                match_id=record.match.pk,
            )


def dropout_of(forfeit: Forfeit) -> Incident:
    """The incident of a saved forfeit."""
    return Incident(
        player_id=forfeit.player_id,
        kind=Incident.DROPOUT,
        occasion=occasion_of(forfeit.mode_id, forfeit.lobby),
        happened_at=forfeit.happened_at,
        mode_id=forfeit.mode_id,
        forfeit_id=forfeit.pk,
    )


def _left_at(match: Match, part: Participation) -> dt.datetime:
    if match.started_at is None or part.seconds is None:
        return match.ended_at
    return match.started_at + dt.timedelta(seconds=part.seconds)


def occasion_of(mode_id: int, lobby: str) -> str:
    return f"lobby:{mode_id}:{lobby}"
