"""Measures a fit: replays of a long history by versions of one system, planned once.

Wants no database: `python -m bench.fitting` prints these rows alone. The search runs on the first two thirds of the
matches. Processor time of SAMPLE replays after a first one is scaled up to REPLAYS; planning is counted once.
"""

import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from bench.measuring import Row, table
from ranking.systems.batch.history import history_from
from ranking.systems.registry import get_system
from ranking.trials.core.fit_history import FitHistory
from ranking.trials.core.repeated_replay import Replays

MATCHES, PLAYERS, SIZE = 100_000, 10_000, 5
REPLAYS, SAMPLE = 100, 3
MOST_SECONDS = 600.0


def make_history() -> FitHistory:
    """Random 5v5 matches with scores, a second apart."""
    rng = np.random.default_rng(1)
    rosters = np.array([rng.choice(PLAYERS, 2 * SIZE, replace=False) for _ in range(MATCHES)])
    scores = rng.integers(0, 12, (MATCHES, 2)).astype(float)
    scores[:, 0] += 12
    history = history_from(
        match=np.repeat(np.arange(MATCHES), 2 * SIZE),
        team=np.tile(np.repeat([0, 1], SIZE), MATCHES),
        player=rosters.reshape(-1),
        place=np.tile([1, 2], MATCHES),
        score=scores.reshape(-1),
    )
    return FitHistory(history, PLAYERS, np.arange(float(MATCHES)))


def seconds_of(key: str, history: FitHistory) -> float:
    """Processor seconds of a fit with REPLAYS replays."""
    system, begun = get_system(key), time.process_time()
    replays = Replays(system, history, history.fit_matches)
    for _ in replays.chances(system):
        pass
    first, begun = time.process_time() - begun, time.process_time()
    for _ in range(SAMPLE):
        for _ in replays.chances(system):
            pass
    return first + (REPLAYS - 1) * (time.process_time() - begun) / SAMPLE


def run(progress: Callable[[str], None]) -> Iterator[Row]:
    progress(f"making {MATCHES:,} matches to fit to")
    history = make_history()
    for key in ("elo", "trueskill", "two-layer", "margin"):
        progress(f"fitting {key} to them")
        seconds = seconds_of(key, history)
        what = f"fit of {key} to {MATCHES:,} 5v5 over {PLAYERS:,} players, {REPLAYS} replays, s (from {SAMPLE} replays)"
        met = seconds <= MOST_SECONDS
        yield Row(what, f"{seconds:,.0f}", "–", "–", f"≤ {MOST_SECONDS:,.0f} s", met)


def main() -> None:
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True)))))


if __name__ == "__main__":
    main()
