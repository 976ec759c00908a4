"""Who may queue: restrictions by lockouts, bans, running matches, and what a mode asks of newcomers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import F, Sum

from ranking import hooks
from ranking.hooks import RunningMatch
from ranking.models import Ban, Mode, Player, Rating
from ranking.moderation.incidents import find_lapses
from ranking.rules.conduct import DROPOUT, LEAVE, MISSED, Lapse, Lockout, find_lockout, points

LOCKOUT, BAN, RUNNING, ENTRY = "lockout", "ban", "running", "entry"
REASONS = (LOCKOUT, BAN, RUNNING, ENTRY)

_DID = {LEAVE: "left a match", DROPOUT: "dropped out of a lobby", MISSED: "missed an accept"}
_FOR_GOOD = dt.datetime.max.replace(tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class Restriction:
    """Why a player may not queue.

    `reason`: a lockout, a ban, a running match, or the mode's entry condition. `number`: the id of the incident, the
    ban or the running match's ticket; 0 for an entry condition. `until` None: for good, or nobody knows until when.
    `sentence` tells the player why, until when, and how to appeal.
    """

    reason: str
    number: int
    until: dt.datetime | None
    sentence: str


class MayNotQueue(Exception):
    """A restriction keeps the player from queueing; the message is for the player."""

    def __init__(self, restriction: Restriction, mode: Mode) -> None:
        super().__init__(f"You can’t queue for {mode.name} now. {restriction.sentence}")
        self.restriction = restriction


def check_may_queue(player: Player, mode: Mode, now: dt.datetime) -> None:
    """Raise MayNotQueue if the player may not queue, accept or join. Lockouts, bans and lock-in hold in every mode."""
    restriction = find_restrictions([player.pk], now).get(player.pk)
    if restriction is None:
        restriction = find_entry_restrictions([player.pk], mode, now).get(player.pk)
    if restriction is not None:
        raise MayNotQueue(restriction, mode)


def may_queue(player: Player, mode: Mode, now: dt.datetime) -> bool:
    try:
        check_may_queue(player, mode, now)
    except MayNotQueue:
        return False
    return True


def find_restrictions(players: Collection[int], now: dt.datetime) -> dict[int, Restriction]:
    """By player's id, the restriction that holds in every mode; of several the one that ends last.

    Players who may queue are left out. Two queries, and those of the lock-in hooks.
    """
    restrictions = {player: _of_lapses(lapses, now) for player, lapses in find_lapses(players, now).items()}
    for ban in Ban.objects.running(now).from_queues().filter(player__in=players).order_by("id"):
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
    bans = Ban.objects.running(now).from_queues().filter(player=player).order_by("id")
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
    until = f"until {_date_text(ban.ends_at)}" if ban.ends_at else "for good"
    sentence = f"You are banned from queues {until}: {ban.reason.rstrip('.')}. You can appeal on your conduct page"
    return Restriction(BAN, ban.pk, ban.ends_at, f"{sentence} (ban {ban.pk}).")


def _of_lockout(lockout: Lockout) -> Restriction:
    sentence = (
        f"You {_DID[lockout.lapse.kind]} on {_date_text(lockout.since)} and can queue again on"
        f" {_date_text(lockout.until)}."
        f" If that is wrong, appeal on your conduct page (incident {lockout.lapse.id})."
    )
    return Restriction(LOCKOUT, lockout.lapse.id, lockout.until, sentence)


def _of_running(match: RunningMatch) -> Restriction:
    sentence = (
        f"Your match in {match.mode}, begun on {_date_text(match.since)}, is still running, even if you left it."
        " You can queue again when its result is in."
    )
    return Restriction(RUNNING, match.number, None, sentence)


def _of_matches(mode: Mode, missing: int) -> Restriction:
    name = mode.entry_mode.name if mode.entry_mode is not None else ""
    matches = "one more match" if missing == 1 else f"{missing:,} more matches"
    return Restriction(ENTRY, 0, None, f"Complete {matches} of {name} first, without leaving.")


def _of_age(mode: Mode, until: dt.datetime) -> Restriction:
    days = "a day" if mode.entry_days == 1 else f"{mode.entry_days} days"
    return Restriction(
        ENTRY, 0, until, f"It is for those who have been known here for {days}: you have on {_date_text(until)}."
    )


def _date_text(moment: dt.datetime) -> str:
    return f"{moment.astimezone(dt.UTC):%d %b %Y at %H:%M} UTC".removeprefix("0")
