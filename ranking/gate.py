"""The gate to every queue: who may not pass, what for, until when."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ranking.conduct import DROPOUT, LEAVE, MISSED, Lapse, Lockout, find_lockout, points
from ranking.incidents import find_lapses
from ranking.models import Ban, Mode, Player

LOCKOUT, BAN = "lockout", "ban"

_DID = {LEAVE: "left a match", DROPOUT: "dropped out of a lobby", MISSED: "missed an accept"}
_FOR_GOOD = dt.datetime.max.replace(tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class Bar:
    """Why a player may not queue: a lockout (`number` is its incident's) or a ban, `until` None for good.

    `sentence` is for the player: what for, until when, how to appeal.
    """

    reason: str
    number: int
    until: dt.datetime | None
    sentence: str


class MayNotQueue(Exception):
    """The player is barred; the message is for them."""

    def __init__(self, bar: Bar, mode: Mode) -> None:
        super().__init__(f"You can’t queue for {mode.name} now. {bar.sentence}")
        self.bar = bar


def check_may_queue(player: Player, mode: Mode, now: dt.datetime) -> None:
    """Let a player queue, accept and join, or raise MayNotQueue. Lockouts and bans hold in every mode."""
    bar = find_bars([player.pk], now).get(player.pk)
    if bar is not None:
        raise MayNotQueue(bar, mode)


def may_queue(player: Player, mode: Mode, now: dt.datetime) -> bool:
    try:
        check_may_queue(player, mode, now)
    except MayNotQueue:
        return False
    return True


def find_bars(players: Collection[int], now: dt.datetime) -> dict[int, Bar]:
    """What bars each of these players, the one that ends last; none of those who may queue. Two queries."""
    bars = {player: _locked_out(lapses, now) for player, lapses in find_lapses(players, now).items()}
    for ban in Ban.objects.running(now).from_queues().filter(player__in=players).order_by("id"):
        bars[ban.player_id].append(_of_ban(ban))
    return {player: bar for player, found in bars.items() if (bar := _last(found)) is not None}


@dataclass(frozen=True, slots=True)
class Conduct:
    """What counts against a player, newest first, what it weighs, and what bars them (None: they may queue)."""

    lapses: Sequence[Lapse]
    points: float
    bar: Bar | None


def load_conduct(player: int, now: dt.datetime) -> Conduct:
    """A player's conduct at this moment: two queries."""
    lapses = find_lapses([player], now)[player]
    bans = Ban.objects.running(now).from_queues().filter(player=player).order_by("id")
    return Conduct(lapses, points(lapses, now), _last([*map(_of_ban, bans), *_locked_out(lapses, now)]))


def _locked_out(lapses: Sequence[Lapse], now: dt.datetime) -> list[Bar]:
    lockout = find_lockout(lapses, now)
    return [] if lockout is None else [_of_lockout(lockout)]


def _last(bars: Sequence[Bar]) -> Bar | None:
    """The one that ends last."""
    return max(bars, key=lambda bar: bar.until or _FOR_GOOD, default=None)


def _of_ban(ban: Ban) -> Bar:
    until = f"until {_said(ban.ends_at)}" if ban.ends_at else "for good"
    sentence = f"You are banned from queues {until}: {ban.reason.rstrip('.')}. To appeal, tell the moderators"
    return Bar(BAN, ban.pk, ban.ends_at, f"{sentence} and name ban {ban.pk}.")


def _of_lockout(lockout: Lockout) -> Bar:
    sentence = (
        f"You {_DID[lockout.lapse.kind]} on {_said(lockout.since)} and can queue again on {_said(lockout.until)}."
        f" If that is wrong, tell the moderators and name incident {lockout.lapse.id}."
    )
    return Bar(LOCKOUT, lockout.lapse.id, lockout.until, sentence)


def _said(moment: dt.datetime) -> str:
    return f"{moment.astimezone(dt.UTC):%d %b %Y at %H:%M} UTC".removeprefix("0")
