"""A player's conduct record for one page: incidents, bans, appeals, newest matches, and moderators' acts."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q

from ranking.admin.base.display import change_text
from ranking.models import Appeal, AuditEntry, Ban, Change, Incident, Participation, Player, Void
from ranking.moderation.incidents import find_lapses
from ranking.rules.conduct import lockout_of, points

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
    bans = Ban.objects.filter(player=player).select_related("by", "lifted_by", "appeal").order_by("-pk")
    appeals = Appeal.objects.filter(player=player).select_related("decided_by").order_by("-pk")
    known_as = Q(player=player.pk) | Q(player__merged_into=player.pk)
    log = AuditEntry.objects.filter(known_as).select_related("by").order_by("-pk")
    rows: list[Any] = list(bans[:SHOWN])
    for ban in rows:
        ban.running = ban.runs(now)
    return ConductRecord(
        _offences(player, now), rows, list(appeals[:SHOWN]), _newest_matches(player), list(log[:NEWEST])
    )


def _offences(player: Player, now: dt.datetime) -> list[Offence]:
    lapses = find_lapses([player.pk], now)[player.pk]
    counting = {lapse.id: lapse for lapse in lapses}
    void = Void.objects.filter(Q(match=OuterRef("match")) | Q(forfeit=OuterRef("forfeit")), lifted_at=None)
    incidents = Incident.objects.filter(player=player).annotate(void=Exists(void))
    related = incidents.with_pardon().select_related("mode", "match", "pardon__by", "appeal")
    offences = []
    for incident in related.order_by("-happened_at", "-pk")[:SHOWN]:
        lapse = counting.get(incident.pk)
        lockout = None if lapse is None else lockout_of(lapse, lapses)
        minutes = 0 if lockout is None else round((lockout.until - lockout.since) / dt.timedelta(minutes=1))
        worth = "" if lapse is None else f"{points([lapse], now):.1f}"
        offences.append(Offence(incident, lapse is not None, _length(minutes), worth))
    return offences


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
