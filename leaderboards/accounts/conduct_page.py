"""A player's own conduct: points and their decay, incidents and bans, and what the player may appeal against.

`load_page` loads the page of one's own conduct, `load_own_conduct` the short form on a player's profile.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, Q, QuerySet

from leaderboards.accounts.conduct_words import (
    act_words,
    ban_words,
    incident_words,
    missed_costs,
    missed_heading,
    state_words,
)
from leaderboards.display.decay import Decay, draw_decay
from ranking.models import Ban, BanAct, Hiding, Incident, Mode, Player, PlayerWarning, ReadAccess, Renaming, Strike
from ranking.moderation.appeals import Grounds, find_grounds
from ranking.moderation.conduct_facts import (
    BANS,
    HIDINGS,
    RENAMINGS,
    STRIKES,
    WARNINGS,
    WeighedIncident,
    find_incidents,
    weigh_incidents,
)
from ranking.moderation.eligibility import Restriction, load_conduct
from ranking.rules.conduct import Settings
from ranking.wording.translation import number_text

SHOWN = 50  # incidents a page, and bans, strikes and warnings
_NOTHING = 0.05  # points that would read 0.0


@dataclass(frozen=True, slots=True)
class IncidentLine:
    """An incident as its player sees it.

    `state`: its present state in words, empty if it counts; `minutes`: how long it locked out.
    """

    incident: Any
    words: str
    worth: str
    minutes: int
    state: str
    may_appeal: bool


@dataclass(frozen=True, slots=True)
class BanLine:
    """A ban as its player sees it. `acts`: what was done to it, in words, each with its row."""

    ban: Ban
    words: str
    acts: list[tuple[str, BanAct]]
    running: bool
    may_appeal: bool


@dataclass(frozen=True, slots=True)
class LeavingCost:
    """What leaving a match costs in these modes. `missed`: how many missed accepts cost how long a lockout."""

    modes: str
    settings: Settings

    @property
    def missed_heading(self) -> str:
        return missed_heading(self.settings)

    @property
    def missed(self) -> list[tuple[str, str]]:
        return missed_costs(self.settings)


@dataclass(frozen=True, slots=True)
class ConductPage:
    """The page's content. `older`: the id of the last incident here if there are older ones, else 0. `hiding`: why the
    player is off every board, or None; `renaming`: why they have a name from moderators, or None. `strikes`: from
    archived seasons, the newest first, with those that were lifted.
    `warnings`: the newest first, with those that were withdrawn.
    """

    points: str
    restriction: Restriction | None
    decay: Decay | None
    incidents: list[IncidentLine]
    bans: list[BanLine]
    strikes: list[Strike]
    warnings: list[PlayerWarning]
    costs: list[LeavingCost]
    older: int
    hiding: Hiding | None
    renaming: Renaming | None


@dataclass(frozen=True, slots=True)
class OwnConduct:
    """Conduct in short. `restriction`: what keeps the player from queues, or None; `decay` None: nothing counts."""

    points: str
    restriction: Restriction | None
    decay: Decay | None


def load_page(player: Player, now: dt.datetime, *, before: int = 0) -> ConductPage:
    """Load the page in twelve queries, and one more if there are bans.

    `before`: start after this incident, if it is the player's (one more query).
    """
    conduct, grounds = load_conduct(player.pk, now), find_grounds(player.pk, now)
    incidents = list(_incidents(player, before)[: SHOWN + 1])
    return ConductPage(
        points=_points_text(conduct.points),
        restriction=conduct.restriction,
        decay=draw_decay(conduct.lapses, now) if conduct.lapses else None,
        incidents=[_incident_line(row, grounds) for row in weigh_incidents(incidents[:SHOWN], conduct.lapses, now)],
        bans=_bans(player, grounds, now),
        strikes=list(STRIKES.about(player)[:SHOWN]),
        warnings=list(WARNINGS.about(player)[:SHOWN]),
        costs=_costs(Mode.objects.all()),
        older=incidents[SHOWN - 1].pk if len(incidents) > SHOWN else 0,
        renaming=RENAMINGS.about(player).filter(lifted_at=None).first(),
        hiding=HIDINGS.about(player).filter(lifted_at=None).first(),
    )


def load_own_conduct(player: Player, access: ReadAccess, now: dt.datetime) -> OwnConduct | None:
    """Load the short form in two queries. None for other viewers, and if there is nothing to tell."""
    if not access.everything and access.player_id != player.pk:
        return None
    conduct = load_conduct(player.pk, now)
    if conduct.points < _NOTHING and conduct.restriction is None:
        return None
    decay = draw_decay(conduct.lapses, now) if conduct.lapses else None
    return OwnConduct(_points_text(conduct.points), conduct.restriction, decay)


def _points_text(number: float) -> str:
    """Points as text; empty if they would read 0.0."""
    return number_text(number, 1) if number >= _NOTHING else ""


def _incidents(player: Player, before: int) -> QuerySet[Any]:
    """A player's incidents, newest first, from the one after `before` on if that one is the player's."""
    incidents = find_incidents(player)
    if before and (last := Incident.objects.filter(player=player, pk=before).first()):
        earlier = Q(happened_at__lt=last.happened_at) | Q(happened_at=last.happened_at, pk__lt=last.pk)
        incidents = incidents.filter(earlier)
    return incidents


def _incident_line(row: WeighedIncident, grounds: Grounds) -> IncidentLine:
    return IncidentLine(
        incident=row.incident,
        words=incident_words(row.incident),
        worth=number_text(row.points, 1) if row.counts else "",
        minutes=row.minutes,
        state=state_words(row.incident, row.counts),
        may_appeal=row.incident.pk in grounds.lockouts,
    )


def _bans(player: Player, grounds: Grounds, now: dt.datetime) -> list[BanLine]:
    changed = BanAct.objects.exclude(act=BanAct.LIFT).order_by("pk")
    bans = BANS.about(player).select_related("appeal").prefetch_related(Prefetch("acts", changed, to_attr="changes"))
    return [_ban_line(ban, grounds, now) for ban in bans[:SHOWN]]


def _ban_line(ban: Any, grounds: Grounds, now: dt.datetime) -> BanLine:
    acts = [(act_words(act), act) for act in ban.changes]
    return BanLine(ban, ban_words(ban), acts, ban.runs(now), ban.pk in grounds.bans)


def _costs(modes: Iterable[Mode]) -> list[LeavingCost]:
    """The costs of leaving; modes with the same settings are listed together, in the order of their names."""
    names: dict[Settings, list[str]] = {}
    for mode in modes:
        names.setdefault(mode.conduct_settings, []).append(mode.local_name)
    return [LeavingCost(", ".join(group), settings) for settings, group in names.items()]
