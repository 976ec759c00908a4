"""Message passing along chains of teams (see chain.py), for many matches with the same number of teams at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.shared.gaussian_arrays import all_above, all_within
from ranking.systems.shared.maths import ARRAYS
from ranking.systems.shared.ties import MANY
from ranking.systems.trueskill._chain import CLOSE_ENOUGH, MOST_SWEEPS
from ranking.systems.trueskill.formulas import draw_margin
from ranking.systems.trueskill.group_chain import lessons_with_groups


def lessons_of(
    means: Floats, variances: Floats, players: Floats, places: Floats, unit_margin: float, *, groups: bool
) -> tuple[Floats, Floats]:
    """What each team learns: pull and sureness. Arguments and results are by match and team.

    `groups`: three or more teams that share a place are one member of the chain. Such matches are rated one by one.
    """
    many = _tie_many(places) if groups else np.zeros(len(places), bool)
    if many.any():
        pull, sureness = np.empty_like(means), np.empty_like(means)
        if not many.all():
            mean, variance, size, place = (column[~many] for column in (means, variances, players, places))
            pull[~many], sureness[~many] = lessons_of(mean, variance, size, place, unit_margin, groups=False)
        for match in many.nonzero()[0].tolist():
            mean, variance, size, place = (column[match].tolist() for column in (means, variances, players, places))
            pull[match], sureness[match] = np.array(lessons_with_groups(mean, variance, size, place, unit_margin)).T
        return pull, sureness
    order = np.argsort(places, axis=1, kind="stable")
    ranked = (np.take_along_axis(column, order, axis=1).T.copy() for column in (means, variances, players, places))
    mean, variance, size, place = ranked
    chains = _Chains(
        precision=1 / variance,
        gap=mean[:-1] - mean[1:],
        margin=draw_margin(unit_margin, size[:-1] + size[1:], ARRAYS),
        tied=place[:-1] == place[1:],
    )
    pull, sureness = chains.settle()
    back = np.argsort(order, axis=1)
    return np.take_along_axis(pull.T, back, axis=1), np.take_along_axis(sureness.T, back, axis=1)


def _tie_many(places: Floats) -> Bools:
    """By match: True if so many teams share a place that they are rated as a group."""
    ordered = np.sort(places, axis=1)
    tied: Bools = (ordered[:, MANY - 1 :] == ordered[:, : 1 - MANY]).any(axis=1)
    return tied


class _Chains:
    """The messages to each team from the link before it and the link after it; arrays by team (or link) and match."""

    def __init__(self, precision: Floats, gap: Floats, margin: Floats, tied: Bools) -> None:
        self.precision, self.gap, self.margin, self.tied = precision, gap, margin, tied
        self.pi_before, self.tau_before, self.pi_after, self.tau_after = (np.zeros_like(precision) for _ in range(4))

    def settle(self) -> tuple[Floats, Floats]:
        """Sweep back and forth until no match moves; the matches that still move are packed together."""
        pull, sureness = np.empty_like(self.precision), np.empty_like(self.precision)
        going = np.arange(self.precision.shape[1])
        links = len(self.gap)
        back = range(links - 2, -1, -1)
        self._sweep([*range(links), *back])
        moments = self._moments()
        for number in range(MOST_SWEEPS - 1):
            self._sweep([*range(1, links), *back])
            before, moments = moments, self._moments()
            settled = np.abs(moments - before).max(axis=0) < CLOSE_ENOUGH
            if number == MOST_SWEEPS - 2:
                settled[:] = True
            if settled.any():
                pull[:, going[settled]], sureness[:, going[settled]] = self._lessons(settled)
                moments, going = moments[:, ~settled], going[~settled]
                if not len(going):
                    break
                self._keep(~settled)
        return pull, sureness

    def _keep(self, matches: Bools) -> None:
        for name, column in vars(self).items():
            setattr(self, name, column[:, matches])

    def _moments(self) -> Floats:
        """The means of all teams by the messages so far, then their deviations."""
        pi = self.precision + self.pi_before + self.pi_after
        return np.concatenate([(self.tau_before + self.tau_after) / pi, 1 / np.sqrt(pi)])

    def _lessons(self, matches: Bools) -> tuple[Floats, Floats]:
        own, pb, pa = self.precision[:, matches], self.pi_before[:, matches], self.pi_after[:, matches]
        share = own / (own + pb + pa)
        return share * (self.tau_before[:, matches] + self.tau_after[:, matches]), share * (pb + pa)

    def _sweep(self, links: Iterable[int]) -> None:
        """Pass each link in turn: its outcome updates both teams' messages, given those of all other links."""
        for i in links:
            j = i + 1
            variance_i = 1 / (self.precision[i] + self.pi_before[i])
            variance_j = 1 / (self.precision[j] + self.pi_after[j])
            mean_i, mean_j = variance_i * self.tau_before[i], variance_j * self.tau_after[j]
            deviation = np.sqrt(variance_i + variance_j)
            gap = self.gap[i] + mean_i - mean_j
            v, w, spare = all_above((gap - self.margin[i]) / deviation)
            if (tied := self.tied[i]).any():
                v[tied], w[tied], spare[tied] = all_within((gap / deviation)[tied], (self.margin[i] / deviation)[tied])
            lift = deviation * v
            weight_i, weight_j = variance_j + spare * variance_i, variance_i + spare * variance_j
            self.pi_after[i], self.tau_after[i] = w / weight_i, (w * mean_i + lift) / weight_i
            self.pi_before[j], self.tau_before[j] = w / weight_j, (w * mean_j - lift) / weight_j
