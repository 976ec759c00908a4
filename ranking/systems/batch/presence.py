"""Who was there for how much of the matches of a plan (see shared/presence.py): leavers, times, shares; by seat."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.batch.history import History
from ranking.systems.batch.plan import RatingPlan
from ranking.systems.shared import presence as formulas
from ranking.systems.shared.maths import ARRAYS


class Presences(NamedTuple):
    """`presence` and `share`: None if all are 1. `seconds`: NaN if missing."""

    left: Bools
    seconds: Floats
    presence: Floats | None = None
    share: Floats | None = None


def reported(history: History, plan: RatingPlan, duration: Floats) -> Presences:
    """As reported, if shares don't count; `duration` by match."""
    left, seconds = history.left_early.take(plan.seats), history.seconds.take(plan.seats)
    if np.isnan(history.joined_at).all():
        return Presences(left, seconds)
    return Presences(left, _since_joining(seconds, history.joined_at.take(plan.seats), plan.by_seat(duration)))


def attended(history: History, plan: RatingPlan, duration: Floats) -> Presences:
    """If shares count: who left without abandoning anything has stayed. `duration` by match; NaN if it is unknown."""
    left, seconds = history.left_early.take(plan.seats), history.seconds.take(plan.seats)
    joined, rounds_played = history.joined_at.take(plan.seats), history.rounds_played.take(plan.seats)
    length = plan.by_seat(duration)
    if left.any():
        stayed = left & _stayed(history, plan, (left, seconds, joined), length)
        left, seconds, joined = left & ~stayed, np.where(stayed, length, seconds), np.where(stayed, np.nan, joined)
    seconds = _since_joining(seconds, joined, length)
    rounds = plan.by_seat(history.rounds.take(plan.matches))
    by_time, by_rounds = (length > 0) & ~np.isnan(seconds), (rounds > 0) & (rounds_played >= 0)
    time = np.where(by_time, seconds, np.where(by_rounds, rounds_played, 1))
    whole = np.where(by_time, length, np.where(by_rounds, rounds, 1))
    presence = np.where(left, 1.0, formulas.presence(time, whole, ARRAYS))
    if (presence == 1).all():
        return Presences(left, seconds)
    of_team = np.repeat(np.add.reduceat(presence, plan.starts[:-1]), np.diff(plan.starts))
    return Presences(left, seconds, presence, formulas.share(presence, of_team, ARRAYS))


def _stayed(history: History, plan: RatingPlan, given: tuple[Bools, Floats, Floats], length: Floats) -> Bools:
    """Where a leaver left at the end, or strictly after everybody of every other team had gone."""
    left, seconds, joined = given
    end = np.where(np.isnan(length), inf, length)
    known = ~np.isnan(seconds) & (left | ~np.isnan(joined))
    gone = np.where(known, np.minimum(end, np.nan_to_num(joined) + seconds), end)
    by_team, teams = np.maximum.reduceat(gone, plan.starts[:-1]), plan.team_starts[:-1]
    counts = np.diff(plan.team_starts)
    longest = np.repeat(np.maximum.reduceat(by_team, teams), counts)
    is_longest = by_team == longest
    next_longest = np.repeat(np.maximum.reduceat(np.where(is_longest, -inf, by_team), teams), counts)
    alone = is_longest & np.repeat(np.add.reduceat(is_longest, teams, dtype=np.int64) == 1, counts)
    others_gone = np.repeat(np.where(alone, next_longest, longest), np.diff(plan.starts))
    whole = plan.by_seat(history.duration.take(plan.matches))
    stayed: Bools = (gone > others_gone) | ((seconds >= whole) & (whole > 0))
    return stayed


def _since_joining(seconds: Floats, joined: Floats, length: Floats) -> Floats:
    """Missing seconds are the time since a player joined, if that is known."""
    return np.where(np.isnan(seconds), np.maximum(length - joined, 0.0), seconds)
