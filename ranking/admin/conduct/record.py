"""A player's conduct record for one page: incidents, bans, appeals, newest matches, and moderators' acts."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from ranking.admin.base.display import change_text
from ranking.models import Appeal, AuditEntry, Change, Participation, Player
from ranking.moderation.conduct_facts import APPEALS, BANS, find_incidents, weigh_incidents
from ranking.moderation.incidents import find_lapses

SHOWN, NEWEST = 100, 20  # incidents, bans and appeals; matches and lines of the log


@dataclass(frozen=True, slots=True)
class Offence:
    """An incident. `locked`: the length of its lockout; `worth`: its points now; both are "" if it does not count."""

    incident: Any
    counts: bool
    locked: str
    worth: str


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A player's participation in a match, and the change of their rating as text."""

    part: Participation
    change: str


@dataclass(frozen=True, slots=True)
class ConductRecord:
    """Everything about a player's conduct, the newest first."""

    offences: list[Offence]
    bans: list[Any]
    appeals: list[Appeal]
    matches: list[PlayedMatch]
    log: list[AuditEntry]


def load_record(player: Player, now: dt.datetime) -> ConductRecord:
    """Load a player's conduct record: seven queries, however long it is."""
    bans = BANS.about(player).select_related("by", "lifted_by", "appeal")
    appeals = APPEALS.about(player).select_related("decided_by")
    known_as = Q(player=player.pk) | Q(player__merged_into=player.pk)
    log = AuditEntry.objects.filter(known_as).select_related("by").order_by("-pk")
    rows: list[Any] = list(bans[:SHOWN])
    for ban in rows:
        ban.running = ban.runs(now)
    return ConductRecord(
        _offences(player, now), rows, list(appeals[:SHOWN]), _newest_matches(player), list(log[:NEWEST])
    )


def _offences(player: Player, now: dt.datetime) -> list[Offence]:
    incidents = find_incidents(player).select_related("match", "pardon__by")[:SHOWN]
    return [
        Offence(row.incident, row.counts, _length(row.minutes), f"{row.points:.1f}" if row.counts else "")
        for row in weigh_incidents(incidents, find_lapses([player.pk], now)[player.pk], now)
    ]


def _length(minutes: int) -> str:
    """Return a lockout's length as text, such as "10 min" or "12 h"; "" for none."""
    whole_hours = minutes >= 120 and minutes % 60 == 0
    return f"{minutes // 60} h" if whole_hours else f"{minutes} min" if minutes else ""


def _newest_matches(player: Player) -> list[PlayedMatch]:
    parts = Participation.objects.filter(player=player).select_related("match__mode", "match__source")
    newest = list(parts.order_by("-match__ended_at", "-match")[:NEWEST])
    changes = Change.objects.live().filter(player=player, match__in=[part.match_id for part in newest])
    texts = {change.match_id: change_text(change.display_before, change.display_after) for change in changes}
    return [PlayedMatch(part, texts.get(part.match_id, "–")) for part in newest]
