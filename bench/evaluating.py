"""Measures an evaluation of every rating system on 100,000 matches, by processor time.

Wants no database: `python -m bench.evaluating` prints these rows alone. `--matches` makes it smaller.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from time import process_time

import numpy as np

from bench.measuring import Row, table
from ranking.systems.base import Entrant, Result, Team
from ranking.systems.registry import SYSTEMS, get_system
from ranking.trials.core.timeline import PastMatch, Timeline
from ranking.trials.core.trials import Trial, chunk_size, take_all

MATCHES, PLAYERS = 100_000, 10_000
MOST_SECONDS = 60.0
LUCK = 0.9


def history(matches: int, size: int) -> list[PastMatch]:
    """Matches of two teams of constant skill, a minute apart, with scores."""
    rng = np.random.default_rng(3)
    skill = rng.normal(size=PLAYERS)
    pasts = []
    for number in range(matches):
        rosters = rng.choice(PLAYERS, (2, size), replace=False, shuffle=False)
        performance = skill[rosters].sum(axis=1) / np.sqrt(size) + rng.normal(0, LUCK, 2)
        scores = np.maximum(0, np.round(10 + 4 * performance)).tolist()
        teams = tuple(
            Team(tuple(Entrant(str(player), None) for player in roster), score=score)
            for roster, score in zip(rosters.tolist(), scores, strict=True)
        )
        pasts.append(PastMatch(f"match {number}", "bench", 60.0 * number, Result(teams)))
    return pasts


def rows(matches: int, size: int, progress: Callable[[str], None]) -> Iterator[Row]:
    progress(f"making {matches:,} matches {size}v{size}")
    pasts = history(matches, size)
    keys = [key for key, system in SYSTEMS.items() if system.max_team_size is None or system.max_team_size >= size]
    timeline, begun = Timeline(), process_time()
    trials = [Trial(get_system(key), timeline, matches, clock=process_time) for key in keys]
    each = chunk_size(matches)
    for _ in take_all(trials, timeline, (pasts[start : start + each] for start in range(0, matches, each))):
        pass
    taken = {"reading": process_time() - begun - sum(trial.seconds for trial in trials)}
    for trial in trials:
        before = process_time()
        trial.evaluation(trial.seconds)
        taken[trial.name] = trial.seconds + process_time() - before
    total = process_time() - begun
    parts = ", ".join(f"{name} {seconds:.1f}" for name, seconds in taken.items())
    yield Row(
        f"evaluation of {matches:,} matches {size}v{size} by {len(keys)} systems ({parts})", f"{total:.1f} s",
        f"{MOST_SECONDS:.0f} s", f"{total / MOST_SECONDS:.2f} ×", "≤ 1.0 ×", total <= MOST_SECONDS,
    )  # fmt: skip


def run(progress: Callable[[str], None], matches: int = MATCHES) -> Iterator[Row]:
    yield from rows(matches, 1, progress)
    yield from rows(matches, 5, progress)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=MATCHES)
    options = parser.parse_args()
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True), options.matches))))


if __name__ == "__main__":
    main()
