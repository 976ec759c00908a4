"""Two-layer MMR on tables (see system.py): the hidden layer is here, the visible one in batch_visible.py."""

from __future__ import annotations

from math import inf, nan
from typing import ClassVar, NamedTuple

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.leavers import Leavers
from ranking.systems.batch.states import States
from ranking.systems.shared.formulas import team_variance
from ranking.systems.shared.gaussian_arrays import both_chances
from ranking.systems.shared.maths import ARRAYS
from ranking.systems.two_layer import formulas
from ranking.systems.two_layer._batch_performance import tilts_of, worst_of
from ranking.systems.two_layer._batch_visible import team_tables, whole_points, with_leavers, worst_points
from ranking.systems.two_layer.batch_sums import Distance, sums_of
from ranking.systems.two_layer.system import TwoLayer


class PlayerTables(NamedTuple):
    """The players of a group by match, team and seat."""

    mu: Floats
    sigma: Floats
    mmr: Floats
    s2: Floats
    strength: Floats
    there: Floats  # 1 for a player, 0 for padding
    whole: Floats  # the weights as if nobody had left
    weights: Floats
    left: Bools | None = None  # None if nobody left


class TwoLayerKernel:
    fields: ClassVar[tuple[str, ...]] = ("mu", "sigma", "display_hundredths")
    unit: ClassVar[int] = 100
    leavers_apart: ClassVar[bool] = False

    def __init__(self, system: TwoLayer, facts: Facts) -> None:
        self.system, self.facts = system, facts
        self.ahead = np.full(len(facts.plan.matches), nan)  # z as if nobody had left
        self.shares = _shares(facts, facts.leavers) if facts.leavers is not None else np.zeros(0)
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
        players = self._players(group, mu_before, sigma_before, display)
        outcome, count = group.outcomes(self.facts), group.count
        leavers = group.leavers if self.system.keeps_leavers else None
        whole, seen, scaled = self._distances(leavers, players)
        self.ahead[group.matches] = whole[0]
        mu, sigma = self._hidden(players, (scaled[0][:count], scaled[1][:count]), outcome)
        tilt = None if self.tilts is None else group.table(self.tilts[group.seats])
        share = None if self.facts.share is None else players.whole
        tables = (players.there, players.sigma, players.mmr, tilt, players.left, share)
        teams = team_tables(tables, outcome, seen[0][:count], whole[0])
        if leavers is not None:
            teams = with_leavers(teams, leavers, seen[0][count:])
        points, stakes = whole_points(self.system, teams)
        mmr = np.maximum(0.0, players.mmr + points[: 2 * count].reshape(group.shape))
        rated = group.seated(mu), group.seated(sigma), group.seated(mmr)
        if group.leavers is None:
            return rated
        lost = self._hidden_of_leavers(group.leavers, players, *scaled)
        for column, values in zip(rated, lost, strict=False):
            column[group.leavers.seat] = values[0]
        if leavers is None:
            return rated
        number = np.arange(2 * count, len(points)), leavers.offset
        last_points, worst = points[number], self.worst[leavers.number]
        if worst.any():
            last_points = np.where(worst, worst_points(self.system, stakes[number]), last_points)
        last_mmr = np.maximum(0.0, display.take(leavers.seat) / 100 + last_points)
        return (
            np.concatenate([rated[0], lost[0][1]]),
            np.concatenate([rated[1], lost[1][1]]),
            np.concatenate([rated[2], last_mmr]),
        )

    def _players(self, group: MatchGroup, mu_before: Floats, sigma_before: Floats, display: Ints) -> PlayerTables:
        mu, sigma, mmr = (group.table(column) for column in (mu_before, sigma_before, display / 100))
        there = np.ones(group.shape) if group.present is None else group.present
        strength = mu if self.bonus is None else mu + group.table(self.bonus[group.seats])
        s2: Floats = formulas.variance(self.system, sigma)
        leavers, shares = group.leavers, group.weights(self.facts.share)
        whole = there if shares is None else shares
        if leavers is None:
            return PlayerTables(mu, sigma, mmr, s2, strength, there, whole, whole)
        cells, left, weights = (leavers.row, leavers.team, leavers.offset), np.zeros(group.shape, bool), whole.copy()
        left[cells], weights[cells] = True, formulas.weight(self.shares[leavers.number], ARRAYS)
        return PlayerTables(mu, sigma, mmr, s2, strength, there, whole, weights, left)

    def _distances(self, leavers: Leavers | None, players: PlayerTables) -> tuple[Distance, Distance, Distance]:
        """As if nobody had left; by presence; by weights that add up to as much. These two by leaver, too."""
        strength, full = players.strength, players.whole
        variance = team_variance(players.s2, 1.0, self.system.beta)
        whole = sums_of(strength, variance, full, full).distance()
        if players.left is None:
            return whole, whole, whole
        sums = sums_of(strength, variance, players.weights, full)
        if leavers is not None:
            sums = sums.with_leavers(leavers, strength, variance, players.weights)
        return whole, sums.distance(), sums.renormalised().distance()

    def _hidden(self, players: PlayerTables, distance: Distance, outcome: Floats) -> tuple[Floats, Floats]:
        """Mu and sigma of players who stayed."""
        (z, c), s2, weights = distance, players.s2, players.weights
        v, shrink = formulas.lesson(z, outcome, ARRAYS)
        drawn = outcome == 0
        # By row and team: the direction and size of mu's move, and W.
        v = np.multiply.outer(np.where(drawn, -z, v), [1.0, -1.0])[:, :, None]
        shrink = np.where(drawn, 1.0, shrink)[:, None, None]
        c = c[:, None, None]
        sigma = formulas.deviation_after(self.system, s2, weights, c, shrink, 1.0, ARRAYS)
        return formulas.mean_after(players.mu, s2, weights, c, v), sigma

    def _hidden_of_leavers(
        self, leavers: Leavers, players: PlayerTables, z: Floats, c: Floats
    ) -> tuple[Floats, Floats]:
        """Mu and sigma of leavers, who lost; below, if z and c go on by leaver, had they stayed and lost."""
        cells, share, rows = (leavers.row, leavers.team, leavers.offset), self.shares[leavers.number], len(players.mu)
        mu, s2, w = players.mu[cells], players.s2[cells], players.weights[cells]
        doubt, supposed = formulas.doubt(share), len(z) > rows
        z = np.stack([z.take(leavers.row), *[z[rows:]] * supposed])
        c = np.stack([c.take(leavers.row), *[c[rows:]] * supposed])
        w, doubt = (np.stack([own, *[np.ones(len(own))] * supposed]) for own in (w, doubt))
        own = np.where(leavers.team == 0, z, -z).reshape(-1)
        v, shrink = (column.reshape(z.shape) for column in formulas.lesson(own, -1.0, ARRAYS))
        sigma = formulas.deviation_after(self.system, s2, w, c, shrink, doubt, ARRAYS)
        return formulas.mean_after(mu, s2, w, c, v), sigma

    @staticmethod
    def units(system: TwoLayer, mu: Floats, sigma: Floats, mmr: Floats) -> Floats:
        return mmr

    def chances(self) -> tuple[Floats, Floats]:
        return both_chances(self.ahead)


def _shares(facts: Facts, leavers: Leavers) -> Floats:
    """By leaver: p, the share that they were present for, by rounds if they are known, else by time."""
    rounds = facts.history.rounds[facts.plan.matches[leavers.row]].astype(np.float64)
    own = facts.history.rounds_played[facts.plan.seats[leavers.seat]]
    by_rounds = (rounds > 0) & (own >= 0)
    shares = np.minimum(1.0, own / np.where(by_rounds, rounds, 1.0))
    return np.where(by_rounds, shares, facts.played[leavers.seat])


def _in_party(facts: Facts) -> Floats:
    """By seat: 1 for a player in a party with a team-mate, else 0."""
    party = facts.history.party.take(facts.plan.seats)
    team = np.repeat(np.arange(len(facts.sizes)), facts.sizes)
    order = np.lexsort((party, team))
    same = (party[order][1:] == party[order][:-1]) & (team[order][1:] == team[order][:-1]) & (party[order][1:] >= 0)
    in_party = np.zeros(len(party))
    in_party[order[1:][same]] = in_party[order[:-1][same]] = 1.0
    return in_party
