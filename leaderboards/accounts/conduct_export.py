"""The sections of an export about a player's conduct: incidents, bans, warnings, appeals, what moderators did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db.models import F, Q

from ranking.models import Appeal, Ban, BanAct, Complaint, Hiding, Incident, Player, PlayerWarning, Reopening, Strike

CHUNK = 500  # rows in memory at once

Section = Callable[[Player], Iterable[dict[str, Any]]]


def _incidents(player: Player) -> Iterator[dict[str, Any]]:
    rows = Incident.objects.with_pardon().filter(player=player).select_related("mode", "pardon").order_by("pk")
    for incident in rows.iterator(CHUNK):
        pardon = getattr(incident, "pardon", None)
        yield {
            "kind": incident.kind,
            "happened_at": incident.happened_at,
            "mode": incident.mode.slug,
            "match": incident.match_id,
            "pardoned_at": pardon and pardon.pardoned_at,
            "pardon": pardon and pardon.reason,
        }


def _bans(player: Player) -> Iterator[dict[str, Any]]:
    fields = ("scope", "reason", "starts_at", "ends_at", "lifted_at", "lift_reason")
    yield from Ban.objects.filter(player=player).order_by("pk").values(*fields).iterator(CHUNK)


def _ban_acts(player: Player) -> Iterator[dict[str, Any]]:
    fields = ("ban", "act", "at", "reason", "ended_at", "ends_at")
    yield from BanAct.objects.filter(ban__player=player).order_by("pk").values(*fields).iterator(CHUNK)


def _hidings(player: Player) -> Iterator[dict[str, Any]]:
    fields = ("hidden_at", "reason", "lifted_at", "lift_reason")
    yield from Hiding.objects.filter(player=player).order_by("pk").values(*fields).iterator(CHUNK)


def _strikes(player: Player) -> Iterator[dict[str, Any]]:
    """Those of accounts that were merged into the player's are the player's, too."""
    fields = ("struck_at", "reason", "lifted_at", "lift_reason")
    rows = Strike.objects.filter(Q(rating__player=player) | Q(rating__player__merged_into=player)).order_by("pk")
    named = {"mode": F("rating__mode__slug"), "season": F("rating__season__number")}
    yield from rows.values(*fields, **named).iterator(CHUNK)


def _warnings(player: Player) -> Iterator[dict[str, Any]]:
    fields = ("warned_at", "reason", "lifted_at", "lift_reason")
    yield from PlayerWarning.objects.filter(player=player).order_by("pk").values(*fields).iterator(CHUNK)


def _reports(player: Player) -> Iterator[dict[str, Any]]:
    """What the player reported about others. What others reported about the player is theirs, and isn't here."""
    made = Complaint.objects.filter(reporter=player).order_by("pk")
    rows: Any = made.values("match", "reason", "text", "made_at", player=F("reported__key"))
    yield from rows.iterator(CHUNK)


def _reopenings(player: Player) -> Iterator[dict[str, Any]]:
    fields = ("appeal", "decision", "decided_at", "answer", "reopened_at", "reason")
    yield from Reopening.objects.filter(appeal__player=player).order_by("pk").values(*fields).iterator(CHUNK)


def _appeals(player: Player) -> Iterator[dict[str, Any]]:
    fields = ("ban", "incident", "words", "made_at", "decision", "decided_at", "answer")
    yield from Appeal.objects.filter(player=player).order_by("pk").values(*fields).iterator(CHUNK)


CONDUCT: dict[str, Section] = {
    "incidents": _incidents,
    "bans": _bans,
    "ban_acts": _ban_acts,
    "appeals": _appeals,
    "reopenings": _reopenings,
    "hidings": _hidings,
    "strikes": _strikes,
    "warnings": _warnings,
    "reports": _reports,
}
