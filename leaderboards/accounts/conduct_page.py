"""A player's own conduct: points and their decay, what was held against them, what they may appeal against."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q

from leaderboards.display.decay import Decay, draw_decay
from ranking.models import Ban, Incident, Mode, Player, Sight, Void
from ranking.moderation.appeals import Grounds, find_grounds
from ranking.moderation.eligibility import Restriction, load_conduct
from ranking.rules.conduct import Settings, lockout_of, points

SHOWN = 50  # incidents a page, and bans


@dataclass(frozen=True, slots=True)
class Record:
    """An incident as its player sees it. `state`: what became of it; `minutes` it locked them out."""

    incident: Any
    worth: str
    minutes: int
    state: str
    may_appeal: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """A ban as its player sees it."""

    ban: Any
    running: bool
    may_appeal: bool


@dataclass(frozen=True, slots=True)
class Price:
    """What leaving costs in these modes."""

    modes: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class ConductPage:
    """`older` is the number of the record after which older ones begin, 0 where these are the last."""

    points: str
    bar: Restriction | None
    decay: Decay | None
    records: list[Record]
    bans: list[Sentence]
    prices: list[Price]
    older: int


def load_page(player: Player, now: dt.datetime, *, before: int = 0) -> ConductPage:
    """With the records older than the incident `before`, if it is theirs. Eight queries, and one more for that."""
    conduct, grounds = load_conduct(player.pk, now), find_grounds(player.pk, now)
    counting = {lapse.id: lapse for lapse in conduct.lapses}
    void = Void.objects.filter(Q(match=OuterRef("match")) | Q(forfeit=OuterRef("forfeit")), lifted_at=None)
    incidents = Incident.objects.filter(player=player).annotate(void=Exists(void))
    records = []
    if before and (last := Incident.objects.filter(player=player, pk=before).first()):
        earlier = Q(happened_at__lt=last.happened_at) | Q(happened_at=last.happened_at, pk__lt=last.pk)
        incidents = incidents.filter(earlier)
    rows = list(incidents.select_related("mode", "pardon", "appeal").order_by("-happened_at", "-pk")[: SHOWN + 1])
    for incident in rows[:SHOWN]:
        lapse = counting.get(incident.pk)
        lockout = None if lapse is None else lockout_of(lapse, conduct.lapses)
        minutes = 0 if lockout is None else round((lockout.until - lockout.since) / dt.timedelta(minutes=1))
        worth = "" if lapse is None else f"{points([lapse], now):.1f}"
        records.append(
            Record(incident, worth, minutes, _state(incident, lapse is not None), incident.pk in grounds.lockouts)
        )
    decay = draw_decay(conduct.lapses, now) if conduct.lapses else None
    return ConductPage(
        points=f"{conduct.points:.1f}",
        bar=conduct.restriction,
        decay=decay,
        records=records,
        bans=_bans(player, grounds, now),
        prices=_prices(Mode.objects.all()),
        older=rows[SHOWN - 1].pk if len(rows) > SHOWN else 0,
    )


def _state(incident: Any, counts: bool) -> str:
    if hasattr(incident, "pardon"):
        return "Pardoned"
    if incident.void:
        return "The match is void"
    if hasattr(incident, "appeal"):
        decided = {"confirmed": "Your appeal was turned down"}
        return decided.get(incident.appeal.decision, "Your appeal is being looked at")
    return "Counts" if counts else "Over"


def _bans(player: Player, grounds: Grounds, now: dt.datetime) -> list[Sentence]:
    bans = Ban.objects.filter(player=player).select_related("appeal").order_by("-pk")[:SHOWN]
    return [Sentence(ban, ban.runs(now), ban.pk in grounds.bans) for ban in bans]


def _prices(modes: Sequence[Mode] | Any) -> list[Price]:
    """Modes with the same numbers together, in the order of their names."""
    together: dict[Settings, list[str]] = {}
    for mode in modes:
        together.setdefault(mode.conduct_settings, []).append(mode.name)
    return [Price(", ".join(names), numbers) for numbers, names in together.items()]


_NOTHING = 0.05  # points that would read 0.0


@dataclass(frozen=True, slots=True)
class OwnConduct:
    """`points` now, and what keeps the player from queues (None: nothing); `decay` None where nothing counts."""

    points: str
    bar: Restriction | None
    decay: Decay | None


def load_own_conduct(player: Player, sight: Sight, now: dt.datetime) -> OwnConduct | None:
    """None for others' eyes, and where there is nothing to tell: two queries."""
    if not sight.everything and sight.player_id != player.pk:
        return None
    conduct = load_conduct(player.pk, now)
    if conduct.points < _NOTHING and conduct.restriction is None:
        return None
    decay = draw_decay(conduct.lapses, now) if conduct.lapses else None
    return OwnConduct(f"{conduct.points:.1f}", conduct.restriction, decay)
