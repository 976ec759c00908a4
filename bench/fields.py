"""Made-up fields of many with bad luck: how well `margin` foresees them, and how soon it knows who is good.

`python -m bench.fields [SEEDS]`: some minutes a seed. 240 players of known skill N(0, 1) play in fields of 8, 20 and
60; each performance has noise 1. With a chance λ a player has bad luck, whatever their skill: all who had it share the
last place.

Log-loss and slope are those of the first 40 matches of each player, one weight a match; elo has the best of seven
`alpha` in hindsight. "Until 5": the matches after which ratings are off by five percentiles in the mean. The posterior
knows the distribution of skills, the noise, λ and who tied by luck, and is sampled anew from all matches so far.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ranking.systems.base import Entrant, Result, System, Team
from ranking.systems.batch.columns import Floats, Ints
from ranking.systems.batch.history import history_of
from ranking.systems.batch.pairs import decided_pairs
from ranking.systems.batch.states import newcomers
from ranking.systems.registry import get_system
from ranking.systems.replay.learning import replay_and_learn
from ranking.systems.replay.pairs import pair_chances
from ranking.systems.replay.replaying import replay
from ranking.systems.shared.maths import ARRAYS
from ranking.trials.core.accuracy import figures_of

PLAYERS, ROUNDS, FORESEEN, SEEDS = 240, 100, 40, 4
ALPHAS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.8)
CHECKS = (4, 6, 8, 10, 12, 15, 18, 22, 26, 30, 35, 40, 50, 60, 80, 100)  # matches after which the posterior is sampled
SWEEPS, BURNED = 250, 80  # of the sampler
GRID = np.linspace(-8, 8, 4001)
OFF = 5.0  # percentiles


class Fields(NamedTuple):
    """Matches in order: by match, the players from the first place to the last, and how many had bad luck."""

    skill: Floats
    players: Ints
    unlucky: Ints


def make_fields(sides: int, luck: float, seed: int) -> Fields:
    rng = np.random.default_rng(seed)
    skill = rng.normal(size=PLAYERS)
    players = np.concatenate([rng.permutation(PLAYERS).reshape(-1, sides) for _ in range(ROUNDS)])
    unlucky = rng.random(players.shape) < luck
    performance = np.where(unlucky, -np.inf, skill[players] + rng.normal(size=players.shape))
    order = np.argsort(-performance, axis=1, kind="stable")
    return Fields(skill, np.take_along_axis(players, order, axis=1), unlucky.sum(axis=1))


def results_of(fields: Fields) -> list[Result[Any]]:
    sides = fields.players.shape[1]
    return [
        Result(
            tuple(
                Team((Entrant(str(player), None),), min(place, sides - unlucky + 1))
                for place, player in enumerate(players, 1)
            )
        )
        for players, unlucky in zip(fields.players.tolist(), fields.unlucky.tolist(), strict=True)
    ]


def percentiles_off(ratings: Floats, skill: Floats) -> float:
    """By how many percentiles ratings are off in the mean."""
    return float(100 * np.abs(ratings.argsort().argsort() - skill.argsort().argsort()).mean() / len(skill))


class Run(NamedTuple):
    """What a system made of a history: log-loss and slope, and how far its ratings were off after each round."""

    log_loss: float
    slope: float
    off: list[float]


def run(system: System[Any], fields: Fields, results: Sequence[Result[Any]]) -> Run:
    past = history_of(results, {str(number): number for number in range(PLAYERS)})
    start = newcomers(PLAYERS)
    if system.learns:
        learning = replay_and_learn(system, past, start)
        replayed, learnt = learning.replayed, learning.learnt
    else:
        replayed, learnt = replay([(0, system)], past, start), []
    foreseen = len(results) * FORESEEN // ROUNDS
    pairs = decided_pairs(past)
    pairs = pairs.take(pairs.match < foreseen)
    chances = pair_chances(system, past, pairs, replayed, learnt)
    figures = figures_of(chances, pairs.won, 1 / np.bincount(pairs.match)[pairs.match])
    shown, off = np.zeros(PLAYERS), []
    by_round = past.player.reshape(ROUNDS, PLAYERS)
    for players, ratings in zip(by_round, replayed.after.display_hundredths.reshape(ROUNDS, PLAYERS), strict=True):
        shown[players] = ratings
        off.append(percentiles_off(shown, fields.skill))
    return Run(figures.log_loss or 0.0, figures.slope or 0.0, off)


def posterior_off(fields: Fields, luck: float, rounds: int, seed: int) -> float:
    """How far the posterior mean of these rounds is off: Gibbs sampling of performances and skills."""
    rng = np.random.default_rng(seed)
    sides = fields.players.shape[1]
    matches = rounds * PLAYERS // sides
    players, unlucky = fields.players[:matches], fields.unlucky[:matches]
    counted = np.arange(sides) < (sides - np.where(unlucky > 1, unlucky, 0))[:, None]
    alone = (unlucky < 2) & (luck > 0)  # whoever came last alone may have had bad luck, or not
    performance = -np.sort(-rng.normal(size=players.shape), axis=1)
    skill, total = np.zeros(PLAYERS), np.zeros(PLAYERS)
    for sweep in range(SWEEPS):
        mean = skill[players]
        truly = (1 - luck) * ARRAYS.Phi(performance[:, -2] - mean[:, -1])
        counted[alone, -1] = (rng.random(matches) >= luck / (luck + truly))[alone]
        for first in (0, 1):  # the even places, then the odd ones: each lies between its neighbours
            own = np.arange(first, sides, 2)
            above = np.where(own > 0, performance[:, own - 1], np.inf)
            below = np.minimum(own + 1, sides - 1)
            least = np.where((own < sides - 1) & counted[:, below], performance[:, below], -np.inf)
            low, high = ARRAYS.Phi(least - mean[:, own]), ARRAYS.Phi(above - mean[:, own])
            drawn = mean[:, own] + np.interp(low + (high - low) * rng.random(low.shape), ARRAYS.Phi(GRID), GRID)
            drawn = np.clip(drawn, least, above)
            performance[:, own] = np.where(counted[:, own], drawn, performance[:, own])
        known = np.bincount(players[counted], minlength=PLAYERS)
        expected = np.bincount(players[counted], performance[counted], PLAYERS) / (1 + known)
        skill = expected + rng.normal(size=PLAYERS) / np.sqrt(1 + known)
        total += expected if sweep >= BURNED else 0.0
    return percentiles_off(total, fields.skill)


def until(off: Floats, rounds: Sequence[int]) -> float | None:
    """After how many matches ratings are off by less than five percentiles; None: later."""
    below = np.flatnonzero(off <= OFF)
    if not len(below):
        return None
    first = int(below[0])
    return float(np.interp(-OFF, -off[first - 1 : first + 1], rounds[first - 1 : first + 1])) if first else rounds[0]


def row(sides: int, luck: float, seeds: int) -> str:
    runs: dict[str, list[Run]] = {"margin": [], "luck": []}
    elo, posterior = [], []
    for seed in range(seeds):
        fields = make_fields(sides, luck, seed)
        results = results_of(fields)
        for name, params in (("margin", {}), ("luck", {"luck": True})):
            runs[name].append(run(get_system("margin", params), fields, results))
        elo.append(min(run(get_system("elo", {"alpha": alpha}), fields, results).log_loss for alpha in ALPHAS))
        posterior.append([posterior_off(fields, luck, rounds, seed) for rounds in CHECKS])
    cells = [f"{sides:5}  {luck:4.0%}  {np.mean(elo):8.4f}"]
    cells += [
        f"{np.mean([each.log_loss for each in own]):8.4f}  {np.mean([each.slope for each in own]):5.2f}"
        for own in runs.values()
    ]
    rounds = range(1, ROUNDS + 1)
    ends = [until(np.mean([each.off for each in own], axis=0), rounds) for own in runs.values()]
    ends.append(until(np.mean(posterior, axis=0), CHECKS))
    cells += ["   later" if end is None else f"{end:8.1f}" for end in ends]
    return "  ".join(cells)


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    print("                        margin           margin:luck=true  until 5:")
    print("sides  luck  best elo  log-loss  slope  log-loss  slope    margin      luck  posterior")
    for sides in (8, 20, 60):
        for luck in (0.0, 0.2, 0.4):
            print(row(sides, luck, seeds), flush=True)


if __name__ == "__main__":
    main()
