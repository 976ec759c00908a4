"""Team ratio on tables (see system.py), exact to the hundredth.

The arithmetic is in floats, whose last digits may be wrong. If they could decide how a rank is rounded (which the
replay checks) or which of two means is lower, the replay asks the scalar face, whose arithmetic is exact.
"""

from __future__ import annotations

from math import nan
from typing import ClassVar

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.leavers import Leavers
from ranking.systems.batch.states import States
from ranking.systems.shared import presence as formulas
from ranking.systems.shared.maths import ARRAYS
from ranking.systems.team_ratio.system import TeamRatio
from ranking.systems.team_ratio.wagers import LOWEST, WAGER

EXACT = 2.0**52  # floats hold whole numbers up to this, and their sums
EXACT_BELOW = 2.0**40  # ranks whose twentieths are rounded exactly
LESS_THAN_ONE = 1 - 1e-9  # odds that are surely below 1, whatever their last digits


class TeamRatioKernel:
    fields: ClassVar[tuple[str, ...]] = ("display_hundredths",)
    unit: ClassVar[int] = 1
    leavers_apart: ClassVar[bool] = False

    def __init__(self, system: TeamRatio, facts: Facts) -> None:
        self.facts = facts
        self.presence = _presence(facts)
        self.decided = not (facts.outcome == 0).any()
        self.longer = _longer(facts, facts.leavers, system.keeps_leavers) if facts.leavers is not None else np.zeros(0)
        self.totals = np.full((len(facts.plan.matches), 2), nan)

    def fewest(self, teams: int, width: int) -> int:
        return 1

    @staticmethod
    def takes(states: States) -> Bools:
        return states.display_hundredths >= LOWEST

    def rate(self, group: MatchGroup, before: Ints) -> tuple[Floats]:
        ranks = group.table(before.astype(np.float64))
        shares = group.weights(self.facts.share)
        there = ranks if shares is None else ranks * shares
        totals = there.reshape(-1, group.shape[2]).dot(np.ones(group.shape[2])).reshape(-1, 2)
        self.totals[group.matches] = totals
        with np.errstate(all="ignore"):  # the replay treats infinities and NaN as close calls
            # By row: the first team's odds, second mean / first mean · second seconds / first seconds.
            up = totals[:, 1] / totals[:, 0]
            if shares is not None:
                sizes = group.by_team(self.facts.shares)
                up *= sizes[:, 0] / sizes[:, 1]
            up *= self.presence[group.matches]
            down = 1 / up
            wagers = (self._wagers(group, totals, up, down) / WAGER)[:, :, None]
            after = ranks * (1 + (wagers if self.facts.share is None or shares is None else shares * wagers))
            if self.facts.someone_left:
                self._rate_winners_alone(group, ranks, shares, after)
            rated = group.seated(after)
            if group.leavers is not None:
                self._rate_leavers(group.leavers, before, totals.reshape(-1), rated)
            return (np.maximum(rated, LOWEST),)

    def _rate_winners_alone(self, group: MatchGroup, ranks: Floats, shares: Floats | None, after: Floats) -> None:
        """Write the exact ranks after of full players whose opponents all left."""
        alone = self._alone(group)
        if alone.any():
            exact = alone[:, :, None] & (ranks < EXACT_BELOW)
            exact = exact if shares is None else exact & (shares == 1)
            np.copyto(after, _by_a_twentieth(ranks, 1), where=exact)

    def _alone(self, group: MatchGroup) -> Bools:
        """By row and team: True if the other team left whole, and this one didn't."""
        left_whole = self.facts.left_whole[group.teams].reshape(-1, 2)
        alone: Bools = left_whole[:, ::-1] & ~left_whole
        return alone

    def _rate_leavers(self, leavers: Leavers, before: Ints, totals: Floats, after: Floats) -> None:
        """Write the ranks after of leavers, by seat; `totals`: of ranks, by team."""
        ranks = before.take(leavers.seat).astype(np.float64)
        loss = totals.take(leavers.side) / totals.take(leavers.side ^ 1) * self.longer[leavers.number]
        lost = ranks * (1 - np.maximum(loss, 1.0) / WAGER)
        np.copyto(lost, _by_a_twentieth(ranks, -1), where=(loss < LESS_THAN_ONE) & (ranks < EXACT_BELOW))
        after[leavers.seat] = lost

    def _wagers(self, group: MatchGroup, totals: Floats, up: Floats, down: Floats) -> Floats:
        """By row and team: the gain or loss of players who stayed, in twentieths of the rank."""
        outcome = self.facts.outcome[group.matches]
        wagers = np.empty((len(up), 2))
        wagers[:, 0], wagers[:, 1] = np.where(outcome > 0, up, -down), np.where(outcome < 0, down, -up)
        if not self.decided:
            drawn = np.flatnonzero(outcome == 0)
            wagers[drawn] = self._drawn(group, totals, up, down)[drawn]
        if self.facts.someone_left:
            wagers[self._alone(group)] = 1.0
        return wagers

    def _drawn(self, group: MatchGroup, totals: Floats, up: Floats, down: Floats) -> Floats:
        """By row and team, for a draw: the team with the lower mean wins, the other's ranks stay.

        NaN if the totals are too large, or shares leave them too close, for floats to compare exactly.
        """
        sizes = group.by_team(self.facts.shares)
        first, second = totals[:, 0] * sizes[:, 1], totals[:, 1] * sizes[:, 0]
        wagers = np.stack([np.where(first < second, up, 0.0), np.where(second < first, down, 0.0)], axis=1)
        wagers[np.maximum(first, second) > EXACT] = nan
        if self.facts.share is not None:
            wagers[np.abs(first - second) < (1 - LESS_THAN_ONE) * first] = nan
        return wagers

    @staticmethod
    def units(system: TeamRatio, rank: Floats) -> Floats:
        return rank

    def chances(self) -> tuple[Floats, Floats]:
        shares = self.totals / self.totals.sum(axis=1, keepdims=True)
        return shares[:, 0], shares[:, 1]


def _by_a_twentieth(ranks: Floats, sign: int) -> Floats:
    """The ranks plus or minus a twentieth, rounded half up, exactly: every tenth rank lies on a boundary then."""
    return np.floor((ranks * (WAGER + sign) + WAGER // 2) / WAGER)


def _presence(facts: Facts) -> Floats:
    """By match: the second team's seconds / the first's; 1 if either has none or the duration is unknown."""
    if facts.share is None and np.isnan(facts.presences.seconds).all():  # all were there throughout
        first, second = (of(facts.sizes).astype(np.float64) for of in (facts.of_first, facts.of_second))
        return np.where(facts.duration == 0, 1.0, second / first)
    totals = _seconds(facts)
    return _ratio(facts.of_second(totals), facts.of_first(totals))


def _seconds(facts: Facts) -> Floats:
    """By team: its seconds; one for each player if the duration is unknown."""
    seconds = np.where(np.isnan(facts.seconds), 1.0, facts.seconds)
    with np.errstate(over="ignore"):
        totals: Floats = np.add.reduceat(seconds, facts.plan.starts[:-1])
    presence = facts.presence
    if presence is not None:
        totals = formulas.share(totals, np.add.reduceat(presence, facts.plan.starts[:-1]), ARRAYS)
    return totals


def _ratio(above: Floats, below: Floats) -> Floats:
    with np.errstate(all="ignore"):
        return np.where((below > 0) & (above > 0), above / below, 1.0)


def _longer(facts: Facts, leavers: Leavers, keeps_leavers: bool) -> Floats:
    """By leaver: YT/OT · (other size / own size), which makes a loss of the ratio of the teams' totals.

    If `keeps_leavers`, it is at least what it would be if the leaver had stayed and lost, with YT of their full time: a
    loss by the leavers' rule is the larger of both. Who stays wins if everyone on the other team left.
    """
    totals, own, other = _seconds(facts), leavers.side, leavers.side - 2 * leavers.team + 1
    longer = _ratio(totals[own], totals[other])
    if keeps_leavers:
        missed = np.nan_to_num(facts.duration[leavers.row] - facts.seconds[leavers.seat])
        stayed = _ratio(totals[own] + missed, totals[other])
        longer = np.where(facts.left_whole[other], longer, np.maximum(longer, stayed))
    longer *= facts.shares[other] / facts.shares[own]
    return longer
