"""Predicts a history by a package of the package index; runs in a temporary environment, without Rungs.

`python evidence_packages.py RATER < matches.jsonl`. A line of the input is a match: {"teams": [[player, …], …],
"places": […], "day": …}, in the order of time. The output is one object: "chances", by match the chance of the first
team of each decided pair, in the order of the pairs; "name", with what was chosen in hindsight; and "seconds" of
processor time.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from time import process_time
from typing import Any

Match = dict[str, Any]
REFITTED = 300  # matches between two fits of a system that fits the whole history
CLIP = 1e-6
STEPS = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384)  # K of Elo
DRAWN = 0.5


def pairs_of(match: Match) -> Iterator[tuple[int, int]]:
    """The decided pairs of teams."""
    places = match["places"]
    return ((i, j) for i, j in combinations(range(len(places)), 2) if places[i] != places[j])


def normal(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


class Rater:
    """Predicts a match, then learns from it. `chance`: that the first of two teams is placed before the second."""

    def chance(self, one: Sequence[str], other: Sequence[str]) -> float:
        raise NotImplementedError

    def learn(self, match: Match) -> None:
        raise NotImplementedError


class OpenSkill(Rater):
    def __init__(self) -> None:
        from openskill.models import PlackettLuce

        self.model = PlackettLuce()
        self.skills: dict[str, Any] = defaultdict(self.model.rating)

    def chance(self, one: Sequence[str], other: Sequence[str]) -> float:
        first: float = self.model.predict_win([[self.skills[p] for p in team] for team in (one, other)])[0]
        return first

    def learn(self, match: Match) -> None:
        teams = match["teams"]
        rated = self.model.rate([[self.skills[p] for p in team] for team in teams], ranks=match["places"])
        for team, skills in zip(teams, rated, strict=True):
            self.skills.update(zip(team, skills, strict=True))


class TrueSkill(Rater):
    """The package gives no chances: they are those of its documentation, by means and variances."""

    def __init__(self) -> None:
        import trueskill

        self.env = trueskill.TrueSkill()
        self.skills: dict[str, Any] = defaultdict(self.env.create_rating)

    def chance(self, one: Sequence[str], other: Sequence[str]) -> float:
        sides = [[self.skills[p] for p in team] for team in (one, other)]
        ahead = sum(s.mu for s in sides[0]) - sum(s.mu for s in sides[1])
        return normal(ahead / math.sqrt(sum(s.sigma**2 + self.env.beta**2 for side in sides for s in side)))

    def learn(self, match: Match) -> None:
        teams = match["teams"]
        rated = self.env.rate([tuple(self.skills[p] for p in team) for team in teams], ranks=match["places"])
        for team, skills in zip(teams, rated, strict=True):
            self.skills.update(zip(team, skills, strict=True))


class Duels(Rater):
    """Rates duels alone. `score`: 1, 0.5 or 0 of the first player."""

    def duel(self, one: str, other: str, score: float, day: float) -> None:
        raise NotImplementedError

    def learn(self, match: Match) -> None:
        ((one,), (other,)), (mine, yours) = match["teams"], match["places"]
        self.duel(one, other, DRAWN if mine == yours else float(mine < yours), match["day"])


class Glicko2(Duels):
    """Each match is a rating period. The package gives no chances: they are the source's, by both deviations."""

    def __init__(self) -> None:
        import glicko2  # type: ignore[import-not-found]  # in the temporary environment

        self.skills: dict[str, Any] = defaultdict(glicko2.Player)

    def chance(self, one: Sequence[str], other: Sequence[str]) -> float:
        (a,), (b,) = ([self.skills[p] for p in team] for team in (one, other))
        phi = math.hypot(a.rd, b.rd) / 173.7178
        g = 1 / math.sqrt(1 + 3 * phi * phi / math.pi**2)
        return 1 / (1 + math.exp(-g * (a.rating - b.rating) / 173.7178))

    def duel(self, one: str, other: str, score: float, day: float) -> None:
        a, b = self.skills[one], self.skills[other]
        before = (a.rating, a.rd), (b.rating, b.rd)
        a.update_player([before[1][0]], [before[1][1]], [score])
        b.update_player([before[0][0]], [before[0][1]], [1 - score])


class Elote(Duels):
    def __init__(self) -> None:
        import elote  # type: ignore[import-not-found]  # in the temporary environment

        self.skills: dict[str, Any] = defaultdict(elote.EloCompetitor)

    def chance(self, one: Sequence[str], other: Sequence[str]) -> float:
        chance: float = self.skills[one[0]].expected_score(self.skills[other[0]])
        return chance

    def duel(self, one: str, other: str, score: float, day: float) -> None:
        a, b = self.skills[one], self.skills[other]
        if score == DRAWN:
            a.tied(b)
        else:
            (a if score else b).beat(b if score else a)


class Elo(Rater):
    """A logistic Elo as it is usually written: the mean of a team, and in larger matches the mean of all pairs."""

    def __init__(self, k: float) -> None:
        self.k = k
        self.ratings: dict[str, float] = defaultdict(lambda: 1500.0)

    def chance(self, one: Sequence[str], other: Sequence[str]) -> float:
        a, b = (sum(self.ratings[p] for p in team) / len(team) for team in (one, other))
        return float(1 / (1 + 10 ** ((b - a) / 400)))

    def learn(self, match: Match) -> None:
        teams, places = match["teams"], match["places"]
        moves = [0.0] * len(teams)
        for i, j in combinations(range(len(teams)), 2):
            score = DRAWN if places[i] == places[j] else float(places[i] < places[j])
            move = self.k * (score - self.chance(teams[i], teams[j])) / (len(teams) - 1)
            moves[i] += move
            moves[j] -= move
        for team, move in zip(teams, moves, strict=True):
            for player in team:
                self.ratings[player] += move


class WholeHistory(Duels):
    """Fits the whole history anew every REFITTED matches; players whom the fit doesn't know have an even chance."""

    def __init__(self) -> None:
        self.games: list[tuple[str, str, float, int]] = []
        self.base: Any = None
        self.known: set[str] = set()

    def chance(self, one: Sequence[str], other: Sequence[str]) -> float:
        if self.base is None or not {one[0], other[0]} <= self.known:
            return 0.5
        chance: float = self.base.probability_future_match(one[0], other[0])[0]
        return chance

    def duel(self, one: str, other: str, score: float, day: float) -> None:
        from whr.whole_history_rating import Base  # type: ignore[import-not-found]  # likewise

        self.games.append((one, other, score, int(day)))
        if len(self.games) % REFITTED:
            return
        self.base = Base({"w2": 14})
        for first, second, won, step in self.games:
            winners = ("B", "W") if won == DRAWN else (("B",) if won else ("W",))
            for winner in winners:  # a draw is a win of each
                self.base.create_game(first, second, winner, step, 0)
        self.base.iterate(50)
        self.known = {player for game in self.games for player in game[:2]}


class ThroughTime(Rater):
    """Fits the whole history anew every REFITTED matches, by the package's own priors."""

    def __init__(self) -> None:
        self.matches: list[Match] = []
        self.skills: dict[str, tuple[float, float]] = {}
        self.pairs = self.decided = 0

    def chance(self, one: Sequence[str], other: Sequence[str]) -> float:
        sides = [[self.skills.get(p, (0.0, 1.6)) for p in team] for team in (one, other)]
        ahead = sum(mu for mu, _ in sides[0]) - sum(mu for mu, _ in sides[1])
        return normal(ahead / math.sqrt(sum(sigma**2 + 1 for side in sides for _, sigma in side)))

    def learn(self, match: Match) -> None:
        import trueskillthroughtime as ttt  # type: ignore[import-not-found]  # likewise

        self.matches.append(match)
        self.decided += len(list(pairs_of(match)))
        self.pairs += math.comb(len(match["places"]), 2)
        if len(self.matches) % REFITTED:
            return
        history = ttt.History(
            [each["teams"] for each in self.matches],
            [[-place for place in each["places"]] for each in self.matches],
            [int(each["day"]) for each in self.matches],
            sigma=1.6,
            gamma=0.03,
            p_draw=1 - self.decided / self.pairs,
        )
        history.convergence(epsilon=0.01, iterations=10, verbose=False)
        curves = history.learning_curves()
        self.skills = {player: (curve[-1][1].mu, curve[-1][1].sigma) for player, curve in curves.items()}


RATERS = {
    "openskill": OpenSkill,
    "trueskill": TrueSkill,
    "glicko2": Glicko2,
    "elote": Elote,
    "whole-history-rating": WholeHistory,
    "trueskillthroughtime": ThroughTime,
}


def predict(rater: Rater, matches: Sequence[Match]) -> list[list[float]]:
    chances = []
    for match in matches:
        teams = match["teams"]
        chances.append([rater.chance(teams[i], teams[j]) for i, j in pairs_of(match)])
        rater.learn(match)
    return chances


def loss_of(chances: Sequence[Sequence[float]], matches: Sequence[Match]) -> float:
    """The sum of the log-losses."""
    return -sum(
        math.log(min(1 - CLIP, max(CLIP, p if match["places"][i] < match["places"][j] else 1 - p)))
        for of_match, match in zip(chances, matches, strict=True)
        for p, (i, j) in zip(of_match, pairs_of(match), strict=True)
    )


def main() -> None:
    name = sys.argv[1]
    matches = [json.loads(line) for line in sys.stdin]
    begun = process_time()
    if name == "elo":
        tried = [(predict(Elo(k), matches), k) for k in STEPS]
        chances, k = min(tried, key=lambda each: loss_of(each[0], matches))
        name = f"elo, best K {k}"
    else:
        chances = predict(RATERS[name](), matches)
    print(json.dumps({"chances": chances, "name": name, "seconds": process_time() - begun}))


if __name__ == "__main__":
    main()
