"""Grants achievements by reading each player's history in a mode forward, from the event that was read last.

A player's results are rated one after the other, so a player's history before an event is complete once the event is
there. Therefore reading twice adds nothing, and reading up to a later event includes the earlier ones.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from numpy.typing import NDArray

from leaderboards.achievements.seasons import read_ends
from leaderboards.achievements.showing import achievable_in
from leaderboards.models import Achievement, Notice, Progress
from leaderboards.notifications.notices import tell
from leaderboards.notifications.wording import ACHIEVEMENT
from leaderboards.rules.achievements import (
    ACHIEVEMENT_KINDS,
    BY_KEY,
    DRAW,
    LEFT,
    LOSS,
    WIN,
    Carry,
    PlayedMatches,
    Steps,
    first_rows,
    read_history,
)
from ranking.models import Change, Mode, Participation, Rating
from ranking.rules.places import is_top_half
from ranking.rules.tiers import COLOURS

CHUNK = 2_000  # players whose histories are read in one transaction
NEWS = dt.timedelta(days=1)  # achievements earned longer ago aren't announced
_OUTCOMES = {Change.WIN: WIN, Change.DRAW: DRAW, Change.LOSS: LOSS, Change.LEFT: LEFT}
_CARRIED = ("season", "completed", "wins", "losses", "stayed")


def read_events(event_ids: Sequence[int], now: dt.datetime) -> None:
    """Read on the histories of the players of these events; grant what seasons that they ended grant.

    A consumer of the outbox.
    """
    read_ends(event_ids)
    changes = Change.objects.filter(event__in=event_ids, kind=Change.MATCH, mode__ranked=True)
    players: dict[int, list[int]] = {}
    for mode_id, player_id in changes.values_list("mode", "player").distinct().order_by("mode", "player"):
        players.setdefault(mode_id, []).append(player_id)
    for mode in Mode.objects.filter(pk__in=players).order_by("pk"):
        read_players(mode, players[mode.pk], now, until=max(event_ids))


def read_mode(
    mode: Mode, now: dt.datetime, *, anew: bool = False, note: Callable[[int], object] | None = None, chunk: int = CHUNK
) -> int:
    """Read on every player's history in a mode, `chunk` players at a time. Returns how many achievements it added.

    It may be stopped and started again. `anew`: read from the beginning. `note` is called after each chunk with the
    number of players in it.
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
    """Ids of the players who have a rating in a mode, in order."""
    return Rating.objects.filter(mode=mode).order_by("player").values_list("player", flat=True).distinct()


def _players_after(mode: Mode, player_id: int, chunk: int) -> list[int]:
    return list(players_of(mode).filter(player__gt=player_id)[:chunk])


@transaction.atomic
def read_players(mode: Mode, player_ids: Sequence[int], now: dt.datetime, *, until: int | None = None) -> int:
    """Read on these players' histories in a mode. Returns how many more achievements they have than before.

    `until`: the last event to read, so that after an import each batch of events reads its own part of all histories.
    Who holds achievements and is read from the beginning is read to the end, as they may keep only what is found.
    """
    progress = _lock_progress(mode, player_ids)
    steps, changes = _read_steps(mode, progress, until)
    anew = [row.player_id for row in progress if not row.upto]
    if not changes:
        return -_withdraw(mode, anew, [])
    advanced = [progress[index] for index in dict.fromkeys(change[0] for change in changes)]
    carry = Carry(*(np.array([getattr(row, name) for row in advanced], np.int64) for name in _CARRIED))
    history, after = read_history(steps, carry)
    earned = _earned(mode, steps, changes, history)
    # Tiers granted on a board that was too small for them stay.
    kept = _earned(mode, steps, changes, replace(history, height=_heights(mode, changes, least=0))) if anew else []
    withdrawn = _withdraw(mode, anew, [*earned, *kept])
    _save_progress(advanced, steps, changes, after)
    return award(mode, earned, now) - withdrawn


def _earned(mode: Mode, steps: Steps, changes: Sequence[object], history: PlayedMatches) -> list[Achievement]:
    """What the rules grant for these matches, the first match of each player and kind."""
    return [
        Achievement(player_id=change[1], mode=mode, feat=kind.key, match_id=change[3], earned_at=change[4])
        for kind in achievable_in(mode)
        if kind.rule is not None
        for change in (changes[index] for index in first_rows(steps, kind.rule(history)).tolist())
    ]


def award(mode: Mode, achievements: Sequence[Achievement], now: dt.datetime) -> int:
    """Save those achievements that players don't have yet, and announce them. Returns how many were new."""
    players = {each.player_id for each in achievements}
    held = set(Achievement.objects.filter(player__in=players, mode=mode).values_list("player", "feat", "occasion"))
    new = [each for each in achievements if (each.player_id, each.feat, each.occasion) not in held]
    if new:
        Achievement.objects.bulk_create(new, ignore_conflicts=True)
        _announce(mode, new, now)
    return len(new)


def _lock_progress(mode: Mode, player_ids: Sequence[int]) -> list[Progress]:
    """Lock and return these players' progress, in the order of their ids. Missing rows are made.

    If the mode was re-rated since (a new generation), the player's history is read from the beginning.
    """
    rows = Progress.objects.filter(mode=mode, player__in=player_ids).order_by("player")
    progress = list(rows.select_for_update())
    if missing := sorted(set(player_ids) - {row.player_id for row in progress}):
        Progress.objects.bulk_create(
            [Progress(player_id=player_id, mode=mode, generation=mode.generation) for player_id in missing],
            ignore_conflicts=True,
        )
        progress = list(rows.select_for_update())
    if any(row.generation != mode.generation for row in progress):
        rows.exclude(generation=mode.generation).update(generation=mode.generation, upto=0)
        progress = list(rows)
    for row in progress:
        if not row.upto:
            for name in _CARRIED:
                setattr(row, name, 0)
    return progress


def _read_steps(mode: Mode, progress: Sequence[Progress], until: int | None) -> tuple[Steps, list[Any]]:
    """Load what these players played since their histories were last read: as arrays, and as one tuple a match.

    A tuple begins with the player's index in `progress`. `until`: see read_players.
    """
    anew = [row.player_id for row in progress if not row.upto] if until is not None else []
    whole = _held_by_rule(mode, anew).values_list("player", flat=True) if anew else []
    some = Q() if until is None else Q(event__lte=until) | Q(player__in=set(whole))
    rating = Rating.objects.filter(player=OuterRef("player"), mode=mode, season=OuterRef("season"))
    part = Participation.objects.filter(match=OuterRef("match"), player=OuterRef("player"))
    changes = (
        Change.objects.live(mode.generation)
        .filter(mode=mode, kind=Change.MATCH)
        .filter(some, player__progress__in=progress, event__gt=F("player__progress__upto"))
        .order_by("player", "event")
        .values_list(
            "player", "event", "match", "match__ended_at", "season", "outcome", "win_probability",
            Subquery(part.values("percentile_after")[:1]), Subquery(part.values("listed_after")[:1]),
            Subquery(part.values("place")[:1]), Subquery(part.values("places")[:1]), Subquery(part.values("brief")[:1]),
            Subquery(rating.values("carried")[:1]),
        )
    )  # fmt: skip
    index = {row.player_id: number for number, row in enumerate(progress)}
    rows = [(index[row[0]], *row) for row in changes]
    return _steps(mode, rows), rows


def _steps(mode: Mode, changes: Sequence[Any]) -> Steps:
    if not changes:
        empty = np.empty(0, np.int64)
        return Steps(empty, empty, empty, empty, empty.astype(bool), empty.astype(float), empty)
    player, _, _, _, _, season, outcome, chance, _, _, place, places, brief, carried = zip(*changes, strict=True)
    return Steps(
        player=np.unique(np.array(player), return_inverse=True)[1],
        season=np.array(season, np.int64),
        placement=np.array([mode.placement_of(bool(each)) for each in carried], np.int64),
        outcome=np.array([_code(mode, *each) for each in zip(outcome, place, places, strict=True)]),
        brief=np.array(brief, bool),
        chance=np.array(chance, float),  # None becomes NaN
        height=_heights(mode, changes, least=mode.tier_least_listed),
    )


def _code(mode: Mode, outcome: str, place: int | None, places: int | None) -> int:
    """The outcome for the rules. With more than two teams, first places, also shared ones, are wins, places below the
    top half are losses, and those between are neither.
    """
    if mode.team_count == 2 or outcome == Change.LEFT:
        return _OUTCOMES[outcome]
    if outcome in (Change.WIN, Change.DRAW):
        return WIN
    return DRAW if place is not None and places is not None and is_top_half(place, places) else LOSS


def _heights(mode: Mode, changes: Sequence[Any], *, least: int) -> NDArray[np.int64]:
    """By match: the index in COLOURS of the tier reached; 0 if unknown, or if fewer than `least` were listed then."""
    heights: NDArray[np.int64] = np.array([0, *(COLOURS.index(tier.colour) for tier in mode.ladder)], np.int64)
    reached = [percentile if percentile and listed >= least else 0 for *_, percentile, listed, _, _, _, _ in changes]
    return heights.take(reached)


def _withdraw(mode: Mode, player_ids: Sequence[int], earned: Sequence[Achievement]) -> int:
    """Delete achievements that the rules don't grant any more, of players whose history was read from the beginning.

    `earned`: what the rules grant these players now. Returns how many were deleted.
    """
    if not player_ids:
        return 0
    right = {(each.player_id, each.feat) for each in earned}
    held = _held_by_rule(mode, player_ids).values_list("pk", "player", "feat")
    wrong = [pk for pk, player, key in held if (player, key) not in right]
    return Achievement.objects.filter(pk__in=wrong).delete()[0] if wrong else 0


def _held_by_rule(mode: Mode, player_ids: Sequence[int]) -> QuerySet[Achievement]:
    by_rule = [kind.key for kind in ACHIEVEMENT_KINDS if kind.rule is not None]
    return Achievement.objects.filter(player__in=player_ids, mode=mode, feat__in=by_rule)


def _save_progress(advanced: Sequence[Progress], steps: Steps, changes: Sequence[object], after: Carry) -> None:
    """Save the last event of each player, and the counts `after` it."""
    last = np.append(np.flatnonzero(np.diff(steps.player)), len(changes) - 1)
    for number, (progress, index) in enumerate(zip(advanced, last.tolist(), strict=True)):
        progress.upto = changes[index][2]
        for name in _CARRIED:
            setattr(progress, name, int(getattr(after, name)[number]))
    Progress.objects.bulk_create(
        advanced, update_conflicts=True, unique_fields=["id"], update_fields=["upto", *_CARRIED]
    )


def _announce(mode: Mode, new: Sequence[Achievement], now: dt.datetime) -> None:
    """Write notices of achievements earned within the last day. Tiers have their own notice, at the publication."""
    by_place = {"by_place": True} if mode.team_count > 2 else {}
    fresh = [each for each in new if each.earned_at > now - NEWS and BY_KEY[each.feat].series != "tier"]
    tell(
        [
            Notice(
                player_id=each.player_id, kind=ACHIEVEMENT, mode=mode, created_at=now,
                occasion=":".join(filter(None, (str(mode.pk), each.feat, each.occasion))),
                data={"feat": each.feat, **by_place},
            )
            for each in fresh
        ]
    )  # fmt: skip
