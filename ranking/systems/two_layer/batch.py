"""Two-layer MMR on tables (see system.py): the hidden layer is here, the visible one in batch_visible.py."""

from __future__ import annotations

from math import inf, nan
from typing import ClassVar

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.states import States
from ranking.systems.shared.gaussian_arrays import all_above, both_chances
from ranking.systems.two_layer.batch_performance import tilts_of, worst_of
from ranking.systems.two_layer.batch_visible import TeamTables, whole_points
from ranking.systems.two_layer.hidden import DOUBT, LEAST_WEIGHT
from ranking.systems.two_layer.system import TwoLayer


class TwoLayerKernel:
    fields: ClassVar[tuple[str, ...]] = ("mu", "sigma", "display_hundredths")
    unit: ClassVar[int] = 100
    leavers_apart: ClassVar[bool] = False
    lowers_leavers: ClassVar[bool] = True

    def __init__(self, system: TwoLayer, facts: Facts) -> None:
        self.system, self.facts = system, facts
        self.ahead = np.full(len(facts.plan.matches), nan)  # z as if nobody had left
        self.shares = _shares(facts) if facts.someone_left else None
        self.bonus = system.party_bonus * _in_party(facts) if system.party_bonus else None
        self.tilts = tilts_of(system, facts)
        self.worst = worst_of(facts)

    def fewest(self, teams: int, width: int) -> int:
        return 2

    @staticmethod
    def takes(states: States) -> Bools:
        well = np.isfinite(states.mu) & (states.sigma > 0) & (states.sigma < inf)
        return well & np.equal(states.display_hundredths % 100, 0)

    def rate(
        self, group: MatchGroup, mu_before: Floats, sigma_before: Floats, display: Ints
    ) -> tuple[Floats, Floats, Floats]:
        mu, sigma, mmr = (group.table(column) for column in (mu_before, sigma_before, display / 100))
        strength = mu if self.bonus is None else mu + group.table(self.bonus[group.seats])
        s2 = sigma * sigma + self.system.tau**2
        there = np.ones(group.shape) if group.present is None else group.present
        outcome = group.outcomes(self.facts)
        whole = self._distance(strength, s2, there)
        self.ahead[group.matches] = whole[0]
        tilt = None if self.tilts is None else group.table(self.tilts[group.seats])
        worst = None if self.worst is None else group.table(self.worst[group.seats])
        if self.shares is None:
            hidden = self._hidden(mu, s2, there, whole, outcome)
            sides = TeamTables(there, outcome, whole[0], whole[0], tilt, None, worst)
        else:
            share = group.table(self.shares[group.seats])
            left = group.table(self.facts.left[group.seats])
            weights = there * np.where(left, np.maximum(LEAST_WEIGHT, share), 1.0)
            scaled = weights * (there.sum(axis=2) / weights.sum(axis=2))[:, :, None]
            ahead = self._distance(strength, s2, scaled)
            hidden = self._hidden(mu, s2, weights, ahead, outcome, left, share)
            sides = TeamTables(there, outcome, self._distance(strength, s2, weights)[0], whole[0], tilt, left, worst)
        new_mmr = np.maximum(0.0, mmr + whole_points(self.system, sides, sigma, mmr))
        return group.seated(hidden[0]), group.seated(hidden[1]), group.seated(new_mmr)

    def _distance(self, strength: Floats, s2: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """By row, z and c."""
        totals = (weights * strength).sum(axis=2)
        c = np.sqrt((weights * weights * (s2 + self.system.beta**2)).sum(axis=(1, 2)))
        return (totals[:, 0] - totals[:, 1]) / c, c

    def _hidden(
        self,
        mu: Floats,
        s2: Floats,
        weights: Floats,
        distance: tuple[Floats, Floats],
        outcome: Floats,
        left: Bools | None = None,
        share: Floats | None = None,
    ) -> tuple[Floats, Floats]:
        z, c = distance
        moved, shrink = _moments(outcome * z)
        drawn = outcome == 0
        # By row and team, for players who stayed: the direction and size of mu's move, and W.
        pull = np.multiply.outer(np.where(drawn, -z, outcome * moved), [1.0, -1.0])[:, :, None]
        shrink = np.where(drawn, 1.0, shrink)[:, None, None]
        if left is not None:
            (lost, shrunk), (other_lost, other_shrunk) = _moments(-z), _moments(z)
            pull = np.where(left, -np.stack([lost, other_lost], axis=1)[:, :, None], pull)
            shrink = np.where(left, np.stack([shrunk, other_shrunk], axis=1)[:, :, None], shrink)
        c = c[:, None, None]
        sigma = np.sqrt(s2 * np.maximum(0.0, 1 - weights * weights * s2 / (c * c) * shrink))
        if left is not None and share is not None:
            sigma = np.where(left, sigma * (1 + DOUBT * (1 - share)), sigma)
        return mu + weights * s2 / c * pull, np.clip(sigma, self.system.sigma_min, self.system.sigma)

    def units(self, mu: Floats, sigma: Floats, mmr: Floats) -> Floats:
        return mmr

    def chances(self) -> tuple[Floats, Floats]:
        return both_chances(self.ahead)


def _moments(t: Floats) -> tuple[Floats, Floats]:
    v, spare = all_above(t)
    return v, 1 - spare


def _shares(facts: Facts) -> Floats:
    """By seat: p, the share that a leaver was present for, by rounds if they are known, else by time; else 1."""
    rounds = facts.by_seat(facts.history.rounds.take(facts.plan.matches).astype(np.float64))
    own = facts.history.rounds_played.take(facts.plan.seats)
    by_rounds = (rounds > 0) & (own >= 0)
    shares = np.where(facts.left, facts.played, 1.0)
    return np.where(by_rounds & facts.left, np.minimum(1.0, own / np.where(by_rounds, rounds, 1.0)), shares)


def _in_party(facts: Facts) -> Floats:
    """By seat: 1 for a player in a party with a team-mate, else 0."""
    party = facts.history.party.take(facts.plan.seats)
    team = np.repeat(np.arange(len(facts.sizes)), facts.sizes)
    order = np.lexsort((party, team))
    same = (party[order][1:] == party[order][:-1]) & (team[order][1:] == team[order][:-1]) & (party[order][1:] >= 0)
    in_party = np.zeros(len(party))
    in_party[order[1:][same]] = in_party[order[:-1][same]] = 1.0
    return in_party
