"""Facts about all matches of a plan that formulas need: places, time in game, leavers (as shared/rules.py has them)."""

from __future__ import annotations

from functools import cached_property
from math import inf

import numpy as np

from ranking.systems.base import S, System
from ranking.systems.batch.columns import Bools, Column, Floats, Ints, any_of
from ranking.systems.batch.history import History, durations_of
from ranking.systems.batch.leavers import Leavers, leavers_of
from ranking.systems.batch.plan import RatingPlan
from ranking.systems.batch.presence import Presences, attended, reported
from ranking.systems.shared.formulas import outcome_of
from ranking.systems.shared.rules import QUARTER

LAST_BUT_ONE = np.finfo(np.float64).max


class Facts:
    """Arrays in the plan's order. Places serve for comparison only: a score stands for a place as its negative.

    `counts_shares`: part-time players count by their share of the match.
    """

    def __init__(self, history: History, plan: RatingPlan, *, counts_shares: bool = False) -> None:
        self.history = history
        self.plan = plan
        self.counts_shares = counts_shares
        self.someone_left = bool(history.left_early.any())

    @cached_property
    def presences(self) -> Presences:
        find = attended if self.counts_shares else reported
        return find(self.history, self.plan, self.duration)

    @cached_property
    def left(self) -> Bools:
        """By seat: True if the player left early."""
        return self.presences.left if self.counts_shares else self.history.left_early.take(self.plan.seats)

    @property
    def presence(self) -> Floats | None:
        """By seat: the part of the match that a player who stayed was there for; None if all were there throughout."""
        return self.presences.presence if self.counts_shares else None

    @property
    def share(self) -> Floats | None:
        """By seat: w, the player's share; None if all shares are 1."""
        return self.presences.share if self.counts_shares else None

    @cached_property
    def judged(self) -> Bools:
        """By seat: True if the player stayed, and was there for at least a quarter of the match."""
        presence = self.presence
        judged: Bools = ~self.left if presence is None else ~self.left & (presence >= QUARTER)
        return judged

    @cached_property
    def leavers(self) -> Leavers | None:
        """Who left; None if nobody did."""
        return leavers_of(self.plan, self.left) if self.someone_left else None

    @cached_property
    def sizes(self) -> Ints:
        """By team."""
        return np.diff(self.plan.starts)

    @cached_property
    def shares(self) -> Floats:
        """By team: the sum of its players' shares."""
        if self.share is None:
            return self.sizes.astype(np.float64)
        return np.add.reduceat(self.share, self.plan.starts[:-1])

    @cached_property
    def team_counts(self) -> Ints:
        """By match."""
        return np.diff(self.plan.team_starts)

    @cached_property
    def left_whole(self) -> Bools:
        """By team: True if somebody left early, and nobody else was there for a quarter of the match."""
        return ~np.logical_or.reduceat(self.judged, self.plan.starts[:-1]) & self.someone_of_team_left

    @cached_property
    def someone_of_team_left(self) -> Bools:
        """By team: True if anyone left early."""
        return np.logical_or.reduceat(self.left, self.plan.starts[:-1])

    @cached_property
    def place(self) -> Floats:
        """By team, as reported."""
        reported = self.history.place
        place: Floats = np.where(reported > 0, reported, -self.history.score)
        return place.take(self.plan.teams)

    @cached_property
    def effective_place(self) -> Floats:
        """By team: its place, but last if it left whole; as reported if all did, but for somebody."""
        if not self.someone_left:
            return self.place
        last = self.left_whole
        if self.share is not None:
            matches = self.plan.team_starts[:-1]
            everybody = np.logical_and.reduceat(self.left, self.plan.match_starts[:-1])
            last = last & np.repeat(everybody | ~np.logical_and.reduceat(last, matches), self.team_counts)
        return np.where(last, inf, self.place)

    @cached_property
    def place_beside_last(self) -> Floats:
        """By team: its place in a match in which a leaver's team alone is supposed to have come last."""
        if not self.counts_shares:
            return self.place
        return np.minimum(self.effective_place, LAST_BUT_ONE)

    @cached_property
    def first_alone(self) -> Bools:
        """By team: True if it alone has the best effective place."""
        starts, first = self.plan.team_starts[:-1], self.effective_place
        first = first == np.repeat(np.minimum.reduceat(first, starts), self.team_counts)
        alone: Bools = first & np.repeat(np.add.reduceat(first, starts) == 1, self.team_counts)
        return alone

    @cached_property
    def outcome(self) -> Floats:
        """By match of two teams, for players who stayed: 1 the first team won, 0 a draw, −1 the second team won."""
        outcome: Floats = outcome_of(self.of_first(self.effective_place), self.of_second(self.effective_place))
        return outcome

    def of_first(self, by_team: Column) -> Column:
        """By match: the first team's value."""
        return by_team.take(self.plan.team_starts[:-1])

    def of_second(self, by_team: Column) -> Column:
        """By match: the second team's value."""
        return by_team.take(self.plan.team_starts[:-1] + 1, mode="clip")

    @cached_property
    def duration(self) -> Floats:
        """By match, in seconds; NaN if unknown."""
        return durations_of(self.history).take(self.plan.matches)

    @cached_property
    def seconds(self) -> Floats:
        """By seat: time in game, at most the duration; NaN if the duration is unknown."""
        duration = self.plan.by_seat(self.duration)
        there = self.presences.seconds
        return np.where(there < duration, there, duration)

    @cached_property
    def played(self) -> Floats:
        """By seat: the share of the match that the player was present for."""
        duration = self.plan.by_seat(self.duration)
        return np.divide(self.seconds, duration, out=np.ones(len(duration)), where=duration > 0)


def unusual(system: System[S], history: History) -> Bools:
    """By match: True if `check_result` may refuse it. The scalar face rates such matches, and it decides."""
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
    for times in (history.seconds, history.joined_at):
        bad |= any_of((times < 0) | np.isinf(times), history.match_starts)
    return bad | (history.duration < 0) | np.isinf(history.duration)
