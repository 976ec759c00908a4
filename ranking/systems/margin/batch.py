"""Margin on tables (see system.py): every match by what its mode had learnt when it was played.

A leaver is rated by a match that is supposed: nobody left it, and the leaver's team came last alone, without scores. If
staying is always better, also by a second one: only the leaver didn't leave it, had the worst statistic, and their team
came last alone.
"""

from __future__ import annotations

from math import inf, nan
from typing import ClassVar

import numpy as np

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.batch.facts import LAST_BUT_ONE, Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.leavers import Leavers
from ranking.systems.batch.states import States
from ranking.systems.margin import formulas
from ranking.systems.margin.batch_impact import Cells, judge
from ranking.systems.margin.batch_learning import lessons_of, modes_of
from ranking.systems.margin.batch_observation import Outcomes, Pulls, Sides, pulls_of
from ranking.systems.margin.skill import START
from ranking.systems.margin.system import Margin
from ranking.systems.shared.formulas import FIELD
from ranking.systems.shared.gaussian_arrays import both_chances
from ranking.systems.shared.maths import ARRAYS

MOST_TEAMS = 24  # of a match in a table: the pairs grow with the square
MOST_MATCHES = 2.0**40  # that a skill rests on, for the kernel


class MarginKernel:
    fields: ClassVar[tuple[str, ...]] = ("mu", "sigma", "skill_matches")
    unit: ClassVar[int] = 100
    leavers_apart: ClassVar[bool] = False

    def __init__(self, system: Margin, facts: Facts) -> None:
        self.system, self.facts = system, facts
        self.modes = modes_of(system, facts)
        idle = facts.history.idle_days.take(facts.plan.seats)
        self.aged = formulas.aged(idle, system.tau_day, ARRAYS)  # by seat
        share = 1.0 if facts.share is None else facts.share
        self.weight = np.where(facts.left, formulas.weight(facts.played, ARRAYS), share) if facts.someone_left else None
        self.stat = facts.history.stats.get(system.impact_stat) if system.impact_stat else None
        if self.stat is not None:
            self.stat = np.where(facts.history.has_stats, self.stat, nan).take(facts.plan.seats)
        self.score = facts.history.score.take(facts.plan.teams)  # by team
        self.party = _party_worth(facts) * system.party if system.party else None  # by team
        # By match of two teams: the first team's lead, in standard deviations.
        self.lead = np.full(len(facts.plan.matches), nan)
        self.lessons: Floats | None = None  # by match, the numbers of a Lesson; None if they aren't wanted

    def fewest(self, teams: int, width: int) -> int:
        return 2 if teams <= MOST_TEAMS else self.facts.history.matches + 1

    @staticmethod
    def takes(states: States) -> Bools:
        counted = (states.skill_matches >= 0) & (states.skill_matches < MOST_MATCHES)
        return np.isfinite(states.mu) & (states.sigma > 0) & (states.sigma < inf) & counted

    def rate(self, group: MatchGroup, mu: Floats, sigma: Floats, n: Floats) -> tuple[Floats, Floats, Floats]:
        facts, system = self.facts, self.system
        modes = self.modes.of(group.matches)
        s2 = formulas.aged_variance(sigma * sigma, n, self.aged[group.seats], system.tau, system.sigma, ARRAYS)
        left = facts.left[group.seats] if group.leavers is not None else None
        share = None if facts.share is None else facts.share[group.seats]
        weight = self.weight[group.seats] if self.weight is not None and left is not None else share
        party = None if self.party is None else group.by_team(self.party)
        cells = Cells(group, mu, s2, weight)
        whole = cells.sides(system, party, modes.calm, share)
        sides = whole if weight is share else cells.sides(system, party, modes.calm, weight)
        luck = system.luck and group.shape[1] >= FIELD
        outcomes = Outcomes(self._places(group), group.by_team(self.score), modes, luck)
        if group.shape[1] == 2:
            total = (whole.variance + whole.noise).sum(axis=1)
            lead = formulas.lead(whole.mean[:, 0] - whole.mean[:, 1], total, ARRAYS)
            self.lead[group.matches] = modes.slope * lead
        pulls, seen = pulls_of(system, sides, outcomes)
        if self.lessons is not None:
            self.lessons[group.matches] = lessons_of(whole, outcomes, seen)
        form_mu, variance = self._pulled(group, pulls, mu, s2, weight)
        if self.stat is not None:
            judge(system, cells, self.stat[group.seats], facts.judged[group.seats], modes.calm, form_mu, variance)
        won, lost = self._ends(group, outcomes.places, left)
        form_mu, variance = self._bounded(won, lost, mu, sigma, form_mu, variance)
        stays: Floats | float = 1.0 if share is None else share
        if left is not None:
            stays = np.where(left, 0.0, stays)
        form_mu = form_mu + stays * system.practised(n, lost, ARRAYS)
        after = [form_mu, variance, n + 1]
        if group.leavers is not None:
            supposed = self._supposed(group, group.leavers, cells, sides, whole, outcomes, sigma, n)
            seat = group.leavers.seat
            after[0][seat], after[1][seat] = supposed[0][0], supposed[1][0]
            if system.keeps_leavers:
                after = [
                    np.concatenate([column, last])
                    for column, last in zip(after, (supposed[0][1], supposed[1][1], n.take(seat) + 1), strict=True)
                ]
        after[1] = formulas.deviation(after[1], ARRAYS)
        return after[0], after[1], after[2]

    def _places(self, group: MatchGroup) -> Floats:
        """The effective places; the reported ones if everybody left."""
        places = group.by_team(self.facts.effective_place)
        if group.leavers is None:
            return places
        all_left: Bools = np.logical_and.reduce(np.isinf(places), axis=1)
        return np.where(all_left[:, None], group.by_team(self.facts.place), places) if all_left.any() else places

    def _pulled(
        self, group: MatchGroup, pulls: Pulls, mu: Floats, s2: Floats, weight: Floats | None
    ) -> tuple[Floats, Floats]:
        """The Kalman step, by seat."""
        sizes = self.facts.sizes[group.teams]
        gain = s2 if weight is None else weight * s2
        own = Pulls(*(np.repeat(column.reshape(-1), sizes) for column in pulls))
        return formulas.pulled(mu, s2, gain, own, ARRAYS)

    def _ends(self, group: MatchGroup, places: Floats, left: Bools | None) -> tuple[Bools, Bools]:
        """By seat: did a player stay and come first? Stay and come last? Nobody did if all tied."""
        ends = places, places.min(axis=1)[:, None], places.max(axis=1)[:, None]
        sizes = self.facts.sizes[group.teams]
        won = np.repeat(formulas.comes_first(*ends).reshape(-1), sizes)
        lost = np.repeat(formulas.comes_last(*ends).reshape(-1), sizes)
        return (won, lost) if left is None else (won & ~left, lost & ~left)

    def _bounded(
        self, won: Bools, lost: Bools, mu: Floats, sigma: Floats, form_mu: Floats, variance: Floats
    ) -> tuple[Floats, Floats]:
        """A win never costs, and coming last never pays."""
        if not self.system.win_never_costs:
            return form_mu, variance
        kept = formulas.kept(mu, sigma, form_mu, variance, ARRAYS)
        bounded = formulas.bounded(mu, sigma, form_mu, variance, self.system.caution, ARRAYS)
        new_mu, new_variance = (
            np.where(won, first, np.where(lost, last, own))
            for first, last, own in zip(kept, bounded, (form_mu, variance), strict=True)
        )
        return new_mu, new_variance

    def _supposed(
        self, group: MatchGroup, leavers: Leavers, cells: Cells, sides: Sides, whole: Sides, outcomes: Outcomes,
        sigma: Floats, n: Floats,
    ) -> tuple[list[Floats], list[Floats]]:  # fmt: skip
        """Means and variances of leavers by their own rule, and if they had stayed and come last."""
        system, rows, team = self.system, np.arange(len(leavers.row)), leavers.team
        mu, s2 = cells.mu.take(leavers.seat), cells.s2.take(leavers.seat)
        own_sigma = sigma.take(leavers.seat)
        modes = outcomes.modes.take(leavers.row)
        no_scores = np.full((len(rows), group.shape[1]), nan)
        last = leavers.rows(np.minimum(outcomes.places, LAST_BUT_ONE), inf)
        pulls, _ = pulls_of(system, Sides(*(table.take(leavers.row, axis=0) for table in whole)),
                            Outcomes(last, no_scores, modes))  # fmt: skip
        form = formulas.pulled(mu, s2, s2, Pulls(*(table[rows, team] for table in pulls)), ARRAYS)
        as_last, variance = formulas.left_as_last(mu, own_sigma, *form, ARRAYS)
        if not system.keeps_leavers:
            return [as_last], [variance]
        more = 1 - cells.weight_at(leavers.seat), 1 - cells.weight_at(leavers.seat) ** 2
        noise = formulas.noise(more[0], system.beta, modes.calm)
        tables = (leavers.rows(table, by) for table, by in zip(
            sides, (more[0] * (mu + system.worth), more[1] * s2, more[0], noise), strict=True))  # fmt: skip
        places = group.by_team(self.facts.effective_place)
        last = leavers.rows(np.minimum(places, LAST_BUT_ONE), inf)
        scores = outcomes.scores.take(leavers.row, axis=0)
        pulls, _ = pulls_of(system, Sides(*tables), Outcomes(last, scores, modes, outcomes.luck))
        own = Pulls(*(table[rows, team] for table in pulls))
        stayed, stayed_variance = self._stayed(group, leavers, cells, own, modes.calm)
        if system.win_never_costs:
            stayed, stayed_variance = formulas.bounded(mu, own_sigma, stayed, stayed_variance, system.caution, ARRAYS)
        stayed = stayed + system.practised(n.take(leavers.seat), True, ARRAYS)
        return [as_last, stayed], [variance, stayed_variance]

    def _stayed(
        self, group: MatchGroup, leavers: Leavers, cells: Cells, pulls: Pulls, calm: Floats
    ) -> tuple[Floats, Floats]:
        """A leaver's form, had they stayed: by the margin, and by the worst statistic in the team."""
        mu, s2 = cells.mu.take(leavers.seat), cells.s2.take(leavers.seat)
        form = formulas.pulled(mu, s2, s2, pulls, ARRAYS)
        if self.stat is None:
            return form
        return cells.judged_worst(
            self.system, leavers, self.stat[group.seats], self.facts.judged[group.seats], pulls, calm, form
        )

    @staticmethod
    def units(system: Margin, mu: Floats, sigma: Floats, _: Floats) -> Floats:
        return START + system.points * (mu - system.caution * sigma)

    def chances(self) -> tuple[Floats, Floats]:
        return both_chances(self.lead)


def _party_worth(facts: Facts) -> Floats:
    """By team: the members of its parties beyond the first, by their shares."""
    team = np.repeat(np.arange(len(facts.sizes)), facts.sizes)
    party = facts.history.party.take(facts.plan.seats).astype(np.int64)
    together = party >= 0
    share = None if facts.share is None else facts.share[together]
    team, party = team[together], party[together]
    keys, number = np.unique(team * (party.max(initial=0) + 1) + party, return_inverse=True)
    mates = formulas.mates(np.bincount(number.reshape(-1), weights=share, minlength=len(keys)), ARRAYS)
    team = keys // (party.max(initial=0) + 1)
    return np.bincount(team, weights=mates, minlength=len(facts.sizes)).astype(np.float64)
