"""What the site keeps about players' conduct, as rows of plain values: of one player, or of all.

Moderators' reasons are in them, which the players read; their notes and their names aren't.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Q, QuerySet

from ranking.models import Appeal, Ban, BanAct, Complaint, Hiding, Incident, Player, PlayerWarning, Reopening, Strike

CHUNK = 500  # rows in memory at once


class Section:
    """Rows of one kind. `player`: the path to whom a row is about; `fields`: what it tells, by name or by its path."""

    def __init__(
        self, rows: Callable[[], QuerySet[Any]], player: str, /, *fields: str, of_merged: bool = False, **named: str
    ) -> None:
        self._rows, self._player, self._of_merged = rows, player, of_merged
        self._fields = {**{field: field for field in fields}, **named}

    def of(self, player: Player) -> Iterator[dict[str, Any]]:
        own = Q((self._player, player))
        if self._of_merged:
            own |= Q((f"{self._player}__merged_into", player))
        return self._read(self._rows().filter(own), self._fields)

    def of_all(self) -> Iterator[dict[str, Any]]:
        """The rows of everybody, each with its id, and with the player's key."""
        return self._read(self._rows(), {"id": "pk", "player": f"{self._player}__key", **self._fields})

    def _read(self, rows: QuerySet[Any], fields: dict[str, str]) -> Iterator[dict[str, Any]]:
        for values in rows.order_by("pk").values_list(*fields.values()).iterator(CHUNK):
            yield dict(zip(fields, values, strict=True))


_LIFTED = ("lifted_at", "lift_reason")

# By name. Strikes of accounts that were merged into the player's are the player's, too.
CONDUCT = {
    "incidents": Section(
        lambda: Incident.objects.with_pardon(), "player", "kind", "happened_at", mode="mode__slug", match="match",
        pardoned_at="pardon__pardoned_at", pardon="pardon__reason",
    ),
    "bans": Section(Ban.objects.all, "player", "scope", "reason", "starts_at", "ends_at", *_LIFTED),
    "ban_acts": Section(BanAct.objects.all, "ban__player", "ban", "act", "at", "reason", "ended_at", "ends_at"),
    "appeals": Section(
        Appeal.objects.all, "player", "ban", "incident", "words", "made_at", "decision", "decided_at", "answer"
    ),
    "reopenings": Section(
        Reopening.objects.all, "appeal__player", "appeal", "decision", "decided_at", "answer", "reopened_at", "reason"
    ),
    "hidings": Section(Hiding.objects.all, "player", "hidden_at", "reason", *_LIFTED),
    "strikes": Section(
        Strike.objects.all, "rating__player", "struck_at", "reason", *_LIFTED, of_merged=True,
        mode="rating__mode__slug", season="rating__season__number",
    ),
    "warnings": Section(PlayerWarning.objects.all, "player", "warned_at", "reason", *_LIFTED),
}  # fmt: skip
# What a player reported about others. What others reported about the player is theirs.
REPORTS = Section(Complaint.objects.all, "reporter", "match", "reason", "text", "made_at", player="reported__key")


def export_conduct() -> Iterator[str]:
    """A line of JSON for each row of CONDUCT, with its section, section by section."""
    for name, section in CONDUCT.items():
        for row in section.of_all():
            yield json.dumps({"section": name, **row}, cls=DjangoJSONEncoder, ensure_ascii=False) + "\n"
