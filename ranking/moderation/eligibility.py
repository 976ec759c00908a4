"""The gate to every queue: who may not pass, what for, until when."""

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
    """Why a player may not queue: a lockout (`number` is its incident's), a ban, a match that still runs, or what the
    mode asks of newcomers (`number` 0). `until` None: for good, or for as long as nobody knows.

    `sentence` is for the player: what for, until when, how to appeal.
    """

    reason: str
    number: int
    until: dt.datetime | None
    sentence: str


class MayNotQueue(Exception):
    """The player is barred; the message is for them."""

    def __init__(self, bar: Restriction, mode: Mode) -> None:
        super().__init__(f"You can’t queue for {mode.name} now. {bar.sentence}")
        self.bar = bar


def check_may_queue(player: Player, mode: Mode, now: dt.datetime) -> None:
    """Let a player queue, accept and join, or raise MayNotQueue. Lockouts, bans and lock-in hold in every mode."""
    bar = find_restrictions([player.pk], now).get(player.pk) or find_entry_restrictions([player.pk], mode, now).get(
        player.pk
    )
    if bar is not None:
        raise MayNotQueue(bar, mode)


def may_queue(player: Player, mode: Mode, now: dt.datetime) -> bool:
    try:
        check_may_queue(player, mode, now)
    except MayNotQueue:
        return False
    return True


def find_restrictions(players: Collection[int], now: dt.datetime) -> dict[int, Restriction]:
    """What bars each of these players from every mode, the one that ends last; none of those who may queue.

    Two queries, and what is asked for matches that run.
    """
    bars = {player: _locked_out(lapses, now) for player, lapses in find_lapses(players, now).items()}
    for ban in Ban.objects.running(now).from_queues().filter(player__in=players).order_by("id"):
        bars[ban.player_id].append(_of_ban(ban))
    for player, running in _locked_in(players, now):
        bars[player].append(running)
    return {player: bar for player, found in bars.items() if (bar := _last(found)) is not None}


def find_entry_restrictions(players: Collection[int], mode: Mode, now: dt.datetime) -> dict[int, Restriction]:
    """Those of these players who lack what the mode asks of newcomers: no query where it asks nothing, else at most
    two.
    """
    bars: dict[int, Restriction] = {}
    if mode.entry_matches:
        rated = Rating.objects.filter(player__in=players, mode=mode.entry_mode_id).values("player").order_by()
        completed = F("wins") + F("draws") + F("losses")
        done = dict(rated.annotate(done=Sum(completed)).values_list("player", "done"))
        lacking = {player: mode.entry_matches - done.get(player, 0) for player in players}
        bars = {player: _of_matches(mode, missing) for player, missing in lacking.items() if missing > 0}
    if mode.entry_days:
        age = dt.timedelta(days=mode.entry_days)
        young = Player.objects.filter(pk__in=players, created_at__gt=now - age)
        bars |= {player: _of_age(mode, since + age) for player, since in young.values_list("pk", "created_at")}
    return bars


@dataclass(frozen=True, slots=True)
class Conduct:
    """What counts against a player, newest first, what it weighs, and what bars them (None: they may queue)."""

    lapses: Sequence[Lapse]
    points: float
    bar: Restriction | None


def load_conduct(player: int, now: dt.datetime) -> Conduct:
    """A player's conduct at this moment: two queries, and what is asked for matches that run."""
    lapses = find_lapses([player], now)[player]
    bans = Ban.objects.running(now).from_queues().filter(player=player).order_by("id")
    running = [bar for _, bar in _locked_in([player], now)]
    bars = [*map(_of_ban, bans), *_locked_out(lapses, now), *running]
    return Conduct(lapses, points(lapses, now), _last(bars))


def _locked_out(lapses: Sequence[Lapse], now: dt.datetime) -> list[Restriction]:
    lockout = find_lockout(lapses, now)
    return [] if lockout is None else [_of_lockout(lockout)]


def _locked_in(players: Collection[int], now: dt.datetime) -> Iterator[tuple[int, Restriction]]:
    for find_running in hooks.LOCK_INS.functions():
        yield from ((player, _of_running(match)) for player, match in find_running(players, now).items())


def _last(bars: Sequence[Restriction]) -> Restriction | None:
    """The one that ends last."""
    return max(bars, key=lambda bar: bar.until or _FOR_GOOD, default=None)


def _of_ban(ban: Ban) -> Restriction:
    until = f"until {_said(ban.ends_at)}" if ban.ends_at else "for good"
    sentence = f"You are banned from queues {until}: {ban.reason.rstrip('.')}. You can appeal on your conduct page"
    return Restriction(BAN, ban.pk, ban.ends_at, f"{sentence} (ban {ban.pk}).")


def _of_lockout(lockout: Lockout) -> Restriction:
    sentence = (
        f"You {_DID[lockout.lapse.kind]} on {_said(lockout.since)} and can queue again on {_said(lockout.until)}."
        f" If that is wrong, appeal on your conduct page (incident {lockout.lapse.id})."
    )
    return Restriction(LOCKOUT, lockout.lapse.id, lockout.until, sentence)


def _of_running(running: RunningMatch) -> Restriction:
    sentence = (
        f"Your match in {running.mode}, begun on {_said(running.since)}, is still running, even if you left it."
        " You can queue again when its result is in."
    )
    return Restriction(RUNNING, running.number, None, sentence)


def _of_matches(mode: Mode, missing: int) -> Restriction:
    name = mode.entry_mode.name if mode.entry_mode is not None else ""
    matches = "one more match" if missing == 1 else f"{missing:,} more matches"
    return Restriction(ENTRY, 0, None, f"Complete {matches} of {name} first, without leaving.")


def _of_age(mode: Mode, until: dt.datetime) -> Restriction:
    days = "a day" if mode.entry_days == 1 else f"{mode.entry_days} days"
    return Restriction(
        ENTRY, 0, until, f"It is for those who have been known here for {days}: you have on {_said(until)}."
    )


def _said(moment: dt.datetime) -> str:
    return f"{moment.astimezone(dt.UTC):%d %b %Y at %H:%M} UTC".removeprefix("0")
