"""Who may queue: restrictions by lockouts, bans, running matches, and what a mode asks of newcomers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Sum

from ranking import hooks
from ranking.hooks import RunningMatch
from ranking.models import Ban, Mode, Player, Rating
from ranking.moderation.incidents import find_lapses
from ranking.moderation.wording import cause_words, refusal_words, restriction_words
from ranking.rules.conduct import Lapse, Lockout, find_lockout, points

LOCKOUT, BAN, RUNNING, ENTRY = "lockout", "ban", "running", "entry"
REASONS = (LOCKOUT, BAN, RUNNING, ENTRY)

_FOR_GOOD = dt.datetime.max.replace(tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class Restriction:
    """Why a player may not queue.

    `reason`: a lockout, a ban, a running match, or the mode's entry condition. `number`: the id of the incident, the
    ban or the running match's ticket; 0 for an entry condition. `until` None: for good, or nobody knows until when.
    `case`, `values` (as JSON): of the sentence for the player; see ranking.moderation.wording.
    """

    reason: str
    number: int
    until: dt.datetime | None
    case: str
    values: Mapping[str, Any]

    @property
    def sentence(self) -> str:
        """Why, until when, and how to appeal, in the reader's language."""
        return restriction_words(self.case, self.values)

    @property
    def cause(self) -> str:
        """Why, and until when, for pages where the player sees how to appeal."""
        return cause_words(self.case, self.values)

    @property
    def may_appeal(self) -> bool:
        return self.reason in (LOCKOUT, BAN) and not self.values["appealed"]

    @property
    def appeal(self) -> str | None:
        """The decision on the player's appeal, "" until there is one; None if they haven't appealed."""
        decision: str | None = self.values.get("appeal")
        return decision


class MayNotQueue(Exception):
    """A restriction keeps the player from queueing; `str` words it for the player, in the reader's language."""

    def __init__(self, restriction: Restriction, mode: Mode) -> None:
        super().__init__(restriction, mode)
        self.restriction, self.mode = restriction, mode

    def __str__(self) -> str:
        return refusal_words(self.mode.stored_name, self.restriction.case, self.restriction.values)


def find_restrictions(players: Collection[int], now: dt.datetime) -> dict[int, Restriction]:
    """By player's id, the restriction that holds in every mode; of several the one that ends last.

    Players who may queue are left out. Two queries, and those of the lock-in hooks.
    """
    restrictions = {player: _of_lapses(lapses, now) for player, lapses in find_lapses(players, now).items()}
    for ban in (
        Ban.objects.running(now).from_queues().filter(player__in=players).select_related("appeal").order_by("id")
    ):
        restrictions[ban.player_id].append(_of_ban(ban))
    for player, restriction in _of_running_matches(players, now):
        restrictions[player].append(restriction)
    return {player: last for player, group in restrictions.items() if (last := _last_to_end(group)) is not None}


def find_entry_restrictions(players: Collection[int], mode: Mode, now: dt.datetime) -> dict[int, Restriction]:
    """By player's id, the restriction of players who don't meet the mode's entry condition.

    No query if the mode has no condition, else at most two.
    """
    restrictions: dict[int, Restriction] = {}
    if mode.entry_matches:
        ratings = Rating.objects.filter(player__in=players, mode=mode.entry_mode_id).values("player").order_by()
        completed = F("wins") + F("draws") + F("losses")
        counts = dict(ratings.annotate(count=Sum(completed)).values_list("player", "count"))
        missing = {player: mode.entry_matches - counts.get(player, 0) for player in players}
        restrictions = {player: _of_matches(mode, count) for player, count in missing.items() if count > 0}
    if mode.entry_days:
        age = dt.timedelta(days=mode.entry_days)
        young = Player.objects.filter(pk__in=players, created_at__gt=now - age)
        restrictions |= {player: _of_age(mode, since + age) for player, since in young.values_list("pk", "created_at")}
    return restrictions


@dataclass(frozen=True, slots=True)
class Conduct:
    """What counts against a player, newest first, its points, and the restriction that follows (None: may queue)."""

    lapses: Sequence[Lapse]
    points: float
    restriction: Restriction | None


def load_conduct(player: int, now: dt.datetime) -> Conduct:
    """A player's conduct at this moment. Two queries, and those of the lock-in hooks."""
    lapses = find_lapses([player], now)[player]
    bans = Ban.objects.running(now).from_queues().filter(player=player).select_related("appeal").order_by("id")
    running = [restriction for _, restriction in _of_running_matches([player], now)]
    restrictions = [*map(_of_ban, bans), *_of_lapses(lapses, now), *running]
    return Conduct(lapses, points(lapses, now), _last_to_end(restrictions))


def _of_lapses(lapses: Sequence[Lapse], now: dt.datetime) -> list[Restriction]:
    lockout = find_lockout(lapses, now)
    return [] if lockout is None else [_of_lockout(lockout)]


def _of_running_matches(players: Collection[int], now: dt.datetime) -> Iterator[tuple[int, Restriction]]:
    for find_running in hooks.LOCK_INS.functions():
        yield from ((player, _of_running(match)) for player, match in find_running(players, now).items())


def _last_to_end(restrictions: Sequence[Restriction]) -> Restriction | None:
    return max(restrictions, key=lambda restriction: restriction.until or _FOR_GOOD, default=None)


def _of_ban(ban: Ban) -> Restriction:
    until = ban.ends_at and ban.ends_at.isoformat()
    appeal = ban.appeal.decision if hasattr(ban, "appeal") else None
    values = {"why": ban.reason.rstrip("."), "number": ban.pk, "until": until, **_appeal_values(appeal)}
    case = f"{BAN}:both" if ban.scope == Ban.BOTH else BAN
    return Restriction(BAN, ban.pk, ban.ends_at, case if ban.ends_at else f"{case}:for-good", values)


def _of_lockout(lockout: Lockout) -> Restriction:
    number = lockout.lapse.id
    moments = {"since": lockout.since.isoformat(), "until": lockout.until.isoformat()}
    values = {"number": number, **moments, **_appeal_values(lockout.lapse.appeal)}
    return Restriction(LOCKOUT, number, lockout.until, f"{LOCKOUT}:{lockout.lapse.kind}", values)


def _appeal_values(decision: str | None) -> dict[str, object]:
    return {"appealed": decision is not None, "appeal": decision}


def _of_running(match: RunningMatch) -> Restriction:
    return Restriction(RUNNING, match.number, None, RUNNING, {"mode": match.mode, "since": match.since.isoformat()})


def _of_matches(mode: Mode, missing: int) -> Restriction:
    name = mode.entry_mode.stored_name if mode.entry_mode is not None else ""
    values = {"mode": name, "count": missing, "matches": f"{missing:,}"}
    return Restriction(ENTRY, 0, None, f"{ENTRY}:one-match" if missing == 1 else f"{ENTRY}:matches", values)


def _of_age(mode: Mode, until: dt.datetime) -> Restriction:
    values = {"count": mode.entry_days, "until": until.isoformat()}
    return Restriction(ENTRY, 0, until, f"{ENTRY}:one-day" if mode.entry_days == 1 else f"{ENTRY}:days", values)
