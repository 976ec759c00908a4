"""A simulated history as JSON lines, for `manage.py evaluate`: `python -m bench.ladder --games 250 > ladder.jsonl`.

Players of known, constant skill N(25, (25/3)²) meet in random teams; a team's performance is the sum of its
players' skills, each with noise of 25/6. So whatever a rating system shows over time is the system's own doing.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
from collections.abc import Iterator
from typing import Any

BEGIN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
MEAN, SPREAD, NOISE = 25.0, 25 / 3, 25 / 6
SCORE = 20  # of a team that plays as well as the other


def ladder(
    players: int, games: int, team_size: int, seed: int, scores: bool = False, sides: int = 2
) -> Iterator[dict[str, Any]]:
    """Results a minute apart: everybody plays `games` matches, one in each round. `scores`: instead of places."""
    rng = random.Random(seed)
    skills = {f"p{number}": rng.gauss(MEAN, SPREAD) for number in range(players)}
    matches, roster = 0, list(skills)
    for _ in range(games):
        rng.shuffle(roster)
        for first in range(0, players, sides * team_size):
            teams = [roster[first + side * team_size : first + (side + 1) * team_size] for side in range(sides)]
            strength = [sum(rng.gauss(skills[player], NOISE) for player in team) for team in teams]
            matches += 1
            mean, usual = sum(strength) / sides, (2 * team_size) ** 0.5 * NOISE
            yield {
                "id": f"m{matches}",
                "mode": "ladder",
                "ended_at": (BEGIN + dt.timedelta(minutes=matches)).isoformat(),
                "teams": [
                    {
                        **(
                            {"score": max(0, round(SCORE * (1 + (own - mean) / usual / 2)))}
                            if scores
                            else {"place": 1 + sum(own < other for other in strength)}
                        ),
                        "players": [{"id": player} for player in team],
                    }
                    for own, team in zip(strength, teams, strict=True)
                ],
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--games", type=int, default=250, help="of each player")
    parser.add_argument("--team-size", type=int, default=5)
    parser.add_argument("--sides", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--scores", action="store_true", help="scores instead of places")
    told = parser.parse_args()
    if told.players % (told.sides * told.team_size):
        parser.error("players must fill whole matches")
    for result in ladder(told.players, told.games, told.team_size, told.seed, told.scores, told.sides):
        print(json.dumps(result))


if __name__ == "__main__":
    main()
