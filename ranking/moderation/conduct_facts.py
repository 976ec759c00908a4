"""Facts about players' conduct, which the player's own page, notices, exports and moderators take from here.

Moderators' reasons are in them, which the players read; what is exported holds neither their notes nor their names.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from ranking.models import (
    Appeal,
    Ban,
    BanAct,
    Complaint,
    Hiding,
    Incident,
    Player,
    PlayerWarning,
    Renaming,
    Reopening,
    Strike,
    Void,
)
from ranking.rules.conduct import Lapse, lockout_of, points

CHUNK = 500  # rows in memory at once

Rows = TypeVar("Rows", bound=QuerySet[Any])


@dataclass(frozen=True, slots=True)
class Turn:
    """An act against a player that came into force, or was `lifted`; `reason`: why."""

    act: Any
    player: int
    lifted: bool
    reason: str


class Facts(Generic[Rows]):
    """Facts of one kind. `player`: the path to whom a row is about; `since`: the field with the time at which it began.

    `fields`: what an export tells, by name or by its path. `of_merged`: the exports of a player hold those of accounts
    that were merged into the player's, too.
    """

    def __init__(
        self, rows: Callable[[], Rows], player: str, since: str, /, *fields: str, of_merged: bool = False, **named: str
    ) -> None:
        self._rows, self._player, self._since, self._of_merged = rows, player, since, of_merged
        self._fields = {**{field: field for field in fields}, **named}

    def about(self, player: Player) -> Rows:
        """The rows about a player, the latest first."""
        return self._rows().filter((self._player, player)).order_by("-pk")

    def of_accounts(self) -> Rows:
        """The rows about players who have an account, the oldest first."""
        return self._rows().filter((f"{self._player}__user__isnull", False)).order_by("pk")

    def begun(self, after: dt.datetime) -> Rows:
        """Those of `of_accounts` that began after this moment."""
        return self.of_accounts().filter((f"{self._since}__gt", after))

    def turns(self, after: dt.datetime) -> Iterator[Turn]:
        """What came into force or was lifted after this moment, about players who have an account; of liftable acts."""
        lately = Q((f"{self._since}__gt", after)) | Q(lifted_at__gt=after)
        acts = self.of_accounts().filter(lately).annotate(about=F(self._player))
        for act in acts:
            if getattr(act, self._since) > after:
                yield Turn(act, act.about, lifted=False, reason=act.reason)
            if act.lifted_at is not None:
                yield Turn(act, act.about, lifted=True, reason=act.lift_reason)

    def of(self, player: Player) -> Iterator[dict[str, Any]]:
        """The rows about a player as plain values, the oldest first."""
        own = Q((self._player, player))
        if self._of_merged:
            own |= Q((f"{self._player}__merged_into", player))
        return self._read(self._rows().filter(own), self._fields)

    def of_all(self) -> Iterator[dict[str, object]]:
        """The rows about everybody as plain values, each with its id, and with the player's key."""
        return self._read(self._rows(), {"id": "pk", "player": f"{self._player}__key", **self._fields})

    def _read(self, rows: QuerySet[Any], fields: dict[str, str]) -> Iterator[dict[str, Any]]:
        for values in rows.order_by("pk").values_list(*fields.values()).iterator(CHUNK):
            yield dict(zip(fields, values, strict=True))


_LIFTED = ("lifted_at", "lift_reason")

INCIDENTS = Facts(
    Incident.objects.with_pardon, "player", "happened_at", "kind", "happened_at", mode="mode__slug", match="match",
    pardoned_at="pardon__pardoned_at", pardon="pardon__reason",
)  # fmt: skip
BANS = Facts(Ban.objects.all, "player", "starts_at", "scope", "reason", "starts_at", "ends_at", *_LIFTED)
BAN_ACTS = Facts(BanAct.objects.all, "ban__player", "at", "ban", "act", "at", "reason", "ended_at", "ends_at")
APPEALS = Facts(
    Appeal.objects.all, "player", "made_at", "ban", "incident", "words", "made_at", "decision", "decided_at", "answer"
)
REOPENINGS = Facts(
    Reopening.objects.all, "appeal__player", "reopened_at",
    "appeal", "decision", "decided_at", "answer", "reopened_at", "reason",
)  # fmt: skip
HIDINGS = Facts(Hiding.objects.all, "player", "hidden_at", "hidden_at", "reason", *_LIFTED)
RENAMINGS = Facts(
    Renaming.objects.all, "player", "renamed_at", "renamed_at", "former_name", "name", "reason", *_LIFTED, "undone"
)
STRIKES = Facts(
    lambda: Strike.objects.select_related("rating__season__mode", "rating__mode"), "rating__player", "struck_at",
    "struck_at", "reason", *_LIFTED, of_merged=True, mode="rating__mode__slug", season="rating__season__number",
)  # fmt: skip
WARNINGS = Facts(PlayerWarning.objects.all, "player", "warned_at", "warned_at", "reason", *_LIFTED)

# By the names of an export's sections.
CONDUCT: dict[str, Facts[Any]] = {
    "incidents": INCIDENTS,
    "bans": BANS,
    "ban_acts": BAN_ACTS,
    "appeals": APPEALS,
    "reopenings": REOPENINGS,
    "hidings": HIDINGS,
    "renamings": RENAMINGS,
    "strikes": STRIKES,
    "warnings": WARNINGS,
}
# What a player reported about others. What others reported about the player is theirs.
REPORTS = Facts(
    Complaint.objects.all, "reporter", "made_at", "match", "reason", "text", "made_at", player="reported__key"
)


def export_conduct() -> Iterator[str]:
    """A line of JSON for each row of CONDUCT, with its section, section by section."""
    for name, facts in CONDUCT.items():
        for row in facts.of_all():
            yield json.dumps({"section": name, **row}, cls=DjangoJSONEncoder, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class WeighedIncident:
    """An incident, and what it weighs now: nothing if `counts` is False. `minutes`: how long it locked out.

    Its row has the reason why its match is void, or None, as `void_reason`; see `find_incidents`.
    """

    incident: Incident
    counts: bool
    points: float = 0.0
    minutes: int = 0


def find_incidents(player: Player) -> QuerySet[Any, Any]:
    """A player's incidents, the latest first, each with its mode, its appeal, its pardon, and `void_reason`."""
    void = Void.objects.filter(Q(match=OuterRef("match")) | Q(forfeit=OuterRef("forfeit")), lifted_at=None)
    incidents: Any = INCIDENTS.about(player).annotate(void_reason=Subquery(void.values("reason")[:1]))
    rows: QuerySet[Any, Any] = incidents.select_related("mode", "pardon", "appeal").order_by("-happened_at", "-pk")
    return rows


def weigh_incidents(incidents: Iterable[Any], lapses: Sequence[Lapse], now: dt.datetime) -> list[WeighedIncident]:
    """Weigh these incidents of a player; `lapses`: all that counts against the player."""
    counting = {lapse.id: lapse for lapse in lapses}
    return [_weighed(incident, counting.get(incident.pk), lapses, now) for incident in incidents]


def _weighed(incident: Incident, lapse: Lapse | None, lapses: Sequence[Lapse], now: dt.datetime) -> WeighedIncident:
    if lapse is None:
        return WeighedIncident(incident, counts=False)
    return WeighedIncident(incident, True, points([lapse], now), lockout_of(lapse, lapses).minutes)
