"""Achievements: earned by reading each player's history forward from where it was last read.

A player's results are rated one after the other, so what lies before an event is complete when the event is there:
reading twice adds nothing, and a later event read first leaves nothing for the earlier one.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F, OuterRef, QuerySet, Subquery

from leaderboards.achievements.showing import feats_of
from leaderboards.models import Achievement, Notice, Progress
from leaderboards.notifications.notices import ACHIEVEMENT, tell
from leaderboards.rules.achievements import (
    BY_KEY,
    DRAW,
    FEATS,
    LEFT,
    LOSS,
    WIN,
    Carry,
    Steps,
    first_rows,
    read_history,
)
from ranking.models import Change, Mode, Participation, Rating
from ranking.operations.outbox import in_batches
from ranking.rules.tiers import COLOURS

CHUNK = 2_000  # players read in one transaction
NEWS = dt.timedelta(days=1)  # what was earned longer ago is no news
_OUTCOMES = {Change.WIN: WIN, Change.DRAW: DRAW, Change.LOSS: LOSS, Change.LEFT: LEFT}
_CARRIED = ("season", "completed", "wins", "losses", "stayed")


@in_batches
def read_events(event_ids: Sequence[int], now: dt.datetime) -> None:
    """A consumer of the outbox: read on the histories of who played."""
    changes = Change.objects.filter(event__in=event_ids, kind=Change.MATCH, mode__ranked=True)
    players: dict[int, list[int]] = {}
    for mode_id, player_id in changes.values_list("mode", "player").distinct().order_by("mode", "player"):
        players.setdefault(mode_id, []).append(player_id)
    for mode in Mode.objects.filter(pk__in=players).order_by("pk"):
        read_players(mode, players[mode.pk], now)


def read_mode(
    mode: Mode, now: dt.datetime, *, anew: bool = False, note: Callable[[int], object] | None = None, chunk: int = CHUNK
) -> int:
    """Read on every player's history in a mode, `chunk` players at a time; `anew`: from the beginning.

    May be stopped and started again. Returns how many achievements it added; `note` is told how many players are done.
    """
    if anew:
        Progress.objects.filter(mode=mode).update(upto=0)
    added, last = 0, 0
    while players := _players_after(mode, last, chunk):
        added += read_players(mode, players, now)
        last = players[-1]
        if note is not None:
            note(len(players))
    return added


def players_of(mode: Mode) -> QuerySet[Rating, int]:
    """Ids of everybody who has a rating in a mode, in order."""
    return Rating.objects.filter(mode=mode).order_by("player").values_list("player", flat=True).distinct()


def _players_after(mode: Mode, player_id: int, chunk: int) -> list[int]:
    return list(players_of(mode).filter(player__gt=player_id)[:chunk])


@transaction.atomic
def read_players(mode: Mode, player_ids: Sequence[int], now: dt.datetime) -> int:
    """Read on these players' histories in a mode; returns how many achievements they have more than before."""
    progress = _lock_progress(mode, player_ids)
    steps, rows = _read_steps(mode, progress)
    anew = [reading.player_id for reading in progress if not reading.upto]
    if not rows:
        return -_withdraw(mode, anew, [])
    moved = [progress[index] for index in dict.fromkeys(row[0] for row in rows)]
    carry = Carry(*(np.array([getattr(reading, name) for reading in moved], np.int64) for name in _CARRIED))
    history, after = read_history(steps, carry, mode.placement_matches)
    earned = [
        Achievement(player_id=row[1], mode=mode, feat=feat.key, match_id=row[3], earned_at=row[4])
        for feat in feats_of(mode)
        if feat.rule is not None
        for row in (rows[index] for index in first_rows(steps, feat.rule(history)).tolist())
    ]
    gone = _withdraw(mode, anew, earned)
    _save_progress(mode, moved, steps, rows, after)
    return award(mode, earned, now) - gone


def award(mode: Mode, achievements: Sequence[Achievement], now: dt.datetime) -> int:
    """Give players what they don't have yet, and tell those with an account; returns how many were new."""
    players = {each.player_id for each in achievements}
    held = set(Achievement.objects.filter(player__in=players, mode=mode).values_list("player", "feat", "occasion"))
    new = [each for each in achievements if (each.player_id, each.feat, each.occasion) not in held]
    if new:
        Achievement.objects.bulk_create(new, ignore_conflicts=True)
        _announce(mode, new, now)
    return len(new)


def _lock_progress(mode: Mode, player_ids: Sequence[int]) -> list[Progress]:
    """How far these players were read, by player; read anew where the mode's history was rated anew."""
    rows = Progress.objects.filter(mode=mode, player__in=player_ids).order_by("player")
    progress = list(rows.select_for_update())
    if missing := sorted(set(player_ids) - {reading.player_id for reading in progress}):
        Progress.objects.bulk_create(
            [Progress(player_id=player_id, mode=mode, generation=mode.generation) for player_id in missing],
            ignore_conflicts=True,
        )
        progress = list(rows.select_for_update())
    if any(reading.generation != mode.generation for reading in progress):
        rows.exclude(generation=mode.generation).update(generation=mode.generation, upto=0)
        progress = list(rows)
    for reading in progress:
        if not reading.upto:
            for name in _CARRIED:
                setattr(reading, name, 0)
    return progress


def _read_steps(mode: Mode, progress: Sequence[Progress]) -> tuple[Steps, list[Any]]:
    """What these players played since they were last read, as arrays and as rows that begin with an index into them."""
    part = Participation.objects.filter(match=OuterRef("match"), player=OuterRef("player"))
    changes = (
        Change.objects.live(mode.generation)
        .filter(mode=mode, kind=Change.MATCH)
        .filter(player__progress__in=progress, event__gt=F("player__progress__upto"))
        .order_by("player", "event")
        .values_list(
            "player", "event", "match", "match__ended_at", "season", "outcome", "win_probability",
            Subquery(part.values("percentile_after")[:1]),
        )
    )  # fmt: skip
    index = {reading.player_id: number for number, reading in enumerate(progress)}
    rows = [(index[row[0]], *row) for row in changes]
    return _steps(mode, rows), rows


def _steps(mode: Mode, rows: Sequence[Any]) -> Steps:
    heights = np.array([0, *(COLOURS.index(tier.colour) for tier in mode.ladder)])
    if not rows:
        nothing = np.empty(0, np.int64)
        return Steps(nothing, nothing, nothing, nothing.astype(float), nothing)
    player, _, _, _, _, season, outcome, chance, percentile = zip(*rows, strict=True)
    return Steps(
        player=np.unique(np.array(player), return_inverse=True)[1],
        season=np.array(season, np.int64),
        outcome=np.array([_OUTCOMES[each] for each in outcome]),
        chance=np.array(chance, float),  # None becomes NaN
        height=heights[np.array([each or 0 for each in percentile])],
    )


def _withdraw(mode: Mode, player_ids: Sequence[int], earned: Sequence[Achievement]) -> int:
    """Of players who were read from the beginning, take back what a rule gave and gives no more."""
    if not player_ids:
        return 0
    by_rule = [feat.key for feat in FEATS if feat.rule is not None]
    right = {(each.player_id, each.feat) for each in earned}
    held = Achievement.objects.filter(player__in=player_ids, mode=mode, feat__in=by_rule)
    wrong = [pk for pk, player, feat in held.values_list("pk", "player", "feat") if (player, feat) not in right]
    return Achievement.objects.filter(pk__in=wrong).delete()[0] if wrong else 0


def _save_progress(mode: Mode, moved: Sequence[Progress], steps: Steps, rows: Sequence[Any], after: Carry) -> None:
    last = np.append(np.flatnonzero(np.diff(steps.player)), len(rows) - 1)
    for number, (reading, row) in enumerate(zip(moved, last.tolist(), strict=True)):
        reading.upto = rows[row][2]
        for name in _CARRIED:
            setattr(reading, name, int(getattr(after, name)[number]))
    Progress.objects.bulk_create(moved, update_conflicts=True, unique_fields=["id"], update_fields=["upto", *_CARRIED])


def _announce(mode: Mode, new: Sequence[Achievement], now: dt.datetime) -> None:
    """Notices of what was earned just now; reaching a tier is told when it is published."""
    fresh = [each for each in new if each.earned_at > now - NEWS and BY_KEY[each.feat].series != "tier"]
    tell(
        [
            Notice(
                player_id=each.player_id, kind=ACHIEVEMENT, mode=mode, created_at=now,
                occasion=":".join(filter(None, (str(mode.pk), each.feat, each.occasion))), data={"feat": each.feat},
            )
            for each in fresh
        ]
    )  # fmt: skip
