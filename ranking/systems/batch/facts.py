"""What rules.py makes of results before any formula, for all matches of a plan at once."""

from __future__ import annotations

from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from ranking.systems.base import System
from ranking.systems.batch.columns import Bools, Column, Floats, Ints, any_of
from ranking.systems.batch.history import History
from ranking.systems.batch.plan import Plan


class Facts:
    """In the plan's order. Places are only to be compared: a score stands for a place as its negative."""

    def __init__(self, history: History, plan: Plan) -> None:
        self.history = history
        self.plan = plan
        self.someone_left = bool(history.left_early.any())

    @cached_property
    def left(self) -> Bools:
        return self.history.left_early.take(self.plan.seats)

    @cached_property
    def sizes(self) -> Ints:
        """By team."""
        return np.diff(self.plan.starts)

    @cached_property
    def team_counts(self) -> Ints:
        """By match."""
        return np.diff(self.plan.team_starts)

    @cached_property
    def left_whole(self) -> Bools:
        """By team: did everyone leave early?"""
        return np.logical_and.reduceat(self.left, self.plan.starts[:-1])

    @cached_property
    def someone_of_team_left(self) -> Bools:
        """By team."""
        return np.logical_or.reduceat(self.left, self.plan.starts[:-1])

    @cached_property
    def place(self) -> Floats:
        """By team, as reported."""
        said = self.history.place
        place: Floats = np.where(said > 0, said, -self.history.score)
        return place.take(self.plan.teams)

    @cached_property
    def effective_place(self) -> Floats:
        """A team of which everyone left comes last."""
        place: Floats = np.where(self.left_whole, inf, self.place) if self.someone_left else self.place
        return place

    @cached_property
    def outcome(self) -> Floats:
        """By match of two teams: 1 the first won, 0 drawn, −1 the second; for those who stayed."""
        first, second = self.of_first(self.effective_place), self.of_second(self.effective_place)
        outcome: Floats = np.asarray(first < second, np.float64) - (first > second)
        return outcome

    def of_first(self, by_team: Column) -> Column:
        """By match: the first team's."""
        return by_team.take(self.plan.team_starts[:-1])

    def of_second(self, by_team: Column) -> Column:
        return by_team.take(self.plan.team_starts[:-1] + 1, mode="clip")

    @cached_property
    def duration(self) -> Floats:
        """By match, in seconds; NaN where it isn't known."""
        said = self.history.duration.take(self.plan.matches)
        longest = np.fmax.reduceat(self.history.seconds, self.history.match_starts[:-1]).take(self.plan.matches)
        return np.where(np.isnan(said), longest, said)

    def by_seat(self, by_match: Floats) -> Floats:
        return np.repeat(by_match, np.diff(self.plan.match_starts))

    @cached_property
    def seconds(self) -> Floats:
        """By seat: time in game, at most the duration; NaN where that isn't known."""
        duration = self.by_seat(self.duration)
        said = self.history.seconds.take(self.plan.seats)
        return np.where(said < duration, said, duration)

    @cached_property
    def played(self) -> Floats:
        """By seat: the share of the match that the player was there for."""
        duration = self.by_seat(self.duration)
        return np.divide(self.seconds, duration, out=np.ones(len(duration)), where=duration > 0)


def unusual(system: System[Any], history: History) -> Bools:
    """By match: is it one that `check_result` may refuse? The system tells, when it is rated by hand."""
    fewest, most = system.team_counts
    counts, sizes = np.diff(history.team_starts), np.diff(history.starts)
    bad = (counts < fewest) | (counts > (inf if most is None else most))
    place, score = history.place, history.score
    placed, unplaced = place > 0, (place == 0) & np.isfinite(score)
    if not placed.all() and len(bad):
        teams = history.team_starts[:-1]
        bad |= ~(np.logical_and.reduceat(placed, teams) | np.logical_and.reduceat(unplaced, teams))
    if system.max_team_size is not None:
        bad |= any_of(sizes > system.max_team_size, history.team_starts)
    bad |= any_of((history.seconds < 0) | np.isinf(history.seconds), history.match_starts)
    return bad | (history.duration < 0) | np.isinf(history.duration)
