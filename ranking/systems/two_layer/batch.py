"""Two-layer MMR on tables (see system.py): the hidden layer is here, the visible one in batch_visible.py."""

from __future__ import annotations

from math import inf, nan
from typing import ClassVar, NamedTuple

import numpy as np

from ranking.systems.batch.cases import Cases
from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.states import States
from ranking.systems.shared.gaussian_arrays import all_above, both_chances
from ranking.systems.two_layer.batch_performance import tilts_of, worst_of
from ranking.systems.two_layer.batch_sums import Distance, sums_of
from ranking.systems.two_layer.batch_visible import team_tables, whole_points, with_cases, worst_points
from ranking.systems.two_layer.hidden import DOUBT, LEAST_WEIGHT
from ranking.systems.two_layer.system import TwoLayer


class PlayerTables(NamedTuple):
    """The players of a group by match, team and seat."""

    mu: Floats
    sigma: Floats
    mmr: Floats
    s2: Floats
    strength: Floats
    there: Floats  # 1 for a player, 0 for padding
    weights: Floats
    left: Bools | None = None  # None if nobody left
    share: Floats | None = None  # that a leaver was present for


class TwoLayerKernel:
    fields: ClassVar[tuple[str, ...]] = ("mu", "sigma", "display_hundredths")
    unit: ClassVar[int] = 100
    leavers_apart: ClassVar[bool] = False

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
    def cases(facts: Facts) -> Ints:
        return np.flatnonzero(facts.left)

    @staticmethod
    def takes(states: States) -> Bools:
        well = np.isfinite(states.mu) & (states.sigma > 0) & (states.sigma < inf)
        return well & np.equal(states.display_hundredths % 100, 0)

    def rate(
        self, group: MatchGroup, mu_before: Floats, sigma_before: Floats, display: Ints
    ) -> tuple[Floats, Floats, Floats]:
        players = self._players(group, mu_before, sigma_before, display)
        outcome, cases, count = group.outcomes(self.facts), group.cases, group.count
        whole, seen, scaled = self._distances(group, players)
        self.ahead[group.matches] = whole[0]
        mu, sigma = self._hidden(players, (scaled[0][:count], scaled[1][:count]), outcome)
        tilt = None if self.tilts is None else group.table(self.tilts[group.seats])
        tables = (players.there, players.sigma, players.mmr, tilt, players.left)
        teams = team_tables(tables, outcome, seen[0][:count], whole[0])
        if cases:
            teams = with_cases(teams, cases, seen[0][count:])
        points, stakes = whole_points(self.system, teams)
        mmr = np.maximum(0.0, players.mmr + points[: 2 * count].reshape(group.shape))
        rated = group.seated(mu), group.seated(sigma), group.seated(mmr)
        if cases is None:
            return rated
        number = np.arange(2 * count, len(points)), cases.offset
        last_points = np.where(self.worst[cases.number], worst_points(self.system, stakes[number]), points[number])
        last_mmr = np.maximum(0.0, teams.mmr[number] + last_points)
        last_mu, last_sigma = self._last(players, cases, (scaled[0][count:], scaled[1][count:]))
        return (
            np.concatenate([rated[0], last_mu]),
            np.concatenate([rated[1], last_sigma]),
            np.concatenate([rated[2], last_mmr]),
        )

    def _players(self, group: MatchGroup, mu_before: Floats, sigma_before: Floats, display: Ints) -> PlayerTables:
        mu, sigma, mmr = (group.table(column) for column in (mu_before, sigma_before, display / 100))
        there = np.ones(group.shape) if group.present is None else group.present
        strength = mu if self.bonus is None else mu + group.table(self.bonus[group.seats])
        s2 = sigma * sigma + self.system.tau**2
        if self.shares is None:
            return PlayerTables(mu, sigma, mmr, s2, strength, there, there)
        share, left = group.table(self.shares[group.seats]), group.table(self.facts.left[group.seats])
        weights = there * np.where(left, np.maximum(LEAST_WEIGHT, share), 1.0)
        return PlayerTables(mu, sigma, mmr, s2, strength, there, weights, left, share)

    def _distances(self, group: MatchGroup, players: PlayerTables) -> tuple[Distance, Distance, Distance]:
        """As if nobody had left; by presence; by weights that add up to the teams' sizes. The last two also by case."""
        strength, variance, there = players.strength, players.s2 + self.system.beta**2, players.there
        whole = sums_of(strength, variance, there, there).distance()
        if players.left is None:
            return whole, whole, whole
        sums = sums_of(strength, variance, players.weights, there)
        if group.cases:
            sums = sums.with_cases(group.cases, strength, variance, players.weights)
        return whole, sums.distance(), sums.renormalised().distance()

    def _hidden(self, players: PlayerTables, distance: Distance, outcome: Floats) -> tuple[Floats, Floats]:
        (z, c), s2, weights, left = distance, players.s2, players.weights, players.left
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
        if left is not None and players.share is not None:
            sigma = np.where(left, sigma * (1 + DOUBT * (1 - players.share)), sigma)
        return players.mu + weights * s2 / c * pull, np.clip(sigma, self.system.sigma_min, self.system.sigma)

    def _last(self, players: PlayerTables, cases: Cases, distance: Distance) -> tuple[Floats, Floats]:
        """By case: mu and sigma of the player, who lost."""
        (z, c), cells = distance, (cases.row, cases.team, cases.offset)
        mu, s2 = players.mu[cells], players.s2[cells]
        moved, shrink = _moments(np.where(cases.team == 0, -z, z))
        sigma = np.sqrt(s2 * np.maximum(0.0, 1 - s2 / (c * c) * shrink))
        return mu - s2 / c * moved, np.clip(sigma, self.system.sigma_min, self.system.sigma)

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
