"""Measures rating many matches at once against loops over the packages `trueskill` and `openskill`.

Wants no database: `python -m bench.rating` prints these rows alone. A loop's cost a match is measured on the first of
the matches, ours on all of them.
"""

import os
import platform
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
import trueskill
from openskill.models import PlackettLuce

from bench.measuring import Row, at_least, at_most, median, side_by_side, table
from ranking.systems.base import Entrant, Result, Team
from ranking.systems.batch.history import History, history_from
from ranking.systems.batch.states import States, newcomers
from ranking.systems.registry import get_system
from ranking.systems.replay.replaying import replay

ROUNDS = 7
SAMPLE = 300  # matches of a loop
MATCHES, PLAYERS = 100_000, 10_000
LEAVING, LENGTH = 0.05, 600.0  # the share of players who leave early, and the seconds of a match

Rosters = np.ndarray[tuple[int, int, int], np.dtype[np.int64]]  # by match, team and seat; the first team has won


def _history(rosters: Rosters, **columns: Any) -> History:
    matches, teams, size = rosters.shape
    return history_from(
        match=np.repeat(np.arange(matches), teams * size),
        team=np.tile(np.repeat(np.arange(teams), size), matches),
        player=rosters.reshape(-1),
        place=np.tile(np.arange(1, teams + 1), matches),
        **columns,
    )


def _scores(rosters: Rosters) -> dict[str, Any]:
    """The scores of the matches: the first team has more."""
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 12, (len(rosters), rosters.shape[1])).astype(float)
    scores[:, 0] += 12
    return {"score": scores.reshape(-1)}


def _with_leavers(rosters: Rosters) -> History:
    """The matches, of ten minutes each; one player in twenty leaves at some moment."""
    rng = np.random.default_rng(1)
    left = rng.random(rosters.size) < LEAVING
    seconds = np.where(left, LENGTH * rng.random(rosters.size), np.nan)
    return _history(rosters, duration=np.full(len(rosters), LENGTH), left_early=left, seconds=seconds)


def _apart(matches: int, teams: int, size: int) -> Rosters:
    """Matches that share no player."""
    return np.arange(matches * teams * size).reshape(matches, teams, size)


def _season() -> Rosters:
    """Random 5v5 matches."""
    rng = random.Random(1)
    return np.array([rng.sample(range(PLAYERS), 10) for _ in range(MATCHES)]).reshape(MATCHES, 2, 5)


def _by_trueskill(rosters: Rosters) -> None:
    ratings: dict[int, trueskill.Rating] = {}
    env = trueskill.TrueSkill()
    for match in rosters[:SAMPLE].tolist():
        teams = [[ratings.get(player) or env.create_rating() for player in team] for team in match]
        for team, rated in zip(match, env.rate(teams), strict=True):
            ratings.update(zip(team, rated, strict=True))


def _by_openskill(rosters: Rosters) -> None:
    model = PlackettLuce()
    for match in rosters[:SAMPLE].tolist():
        model.rate([[model.rating() for _ in team] for team in match])


def _replay(key: str, history: History, start: States, **params: object) -> States:
    return replay([(0, get_system(key, params))], history, start).final


def _compare(
    what: str, key: str, rosters: Rosters, floors: Mapping[str, tuple[Callable[[Rosters], None], float]]
) -> Iterator[Row]:
    scores = _scores(rosters) if get_system(key).learns else {}
    history, start = _history(rosters, **scores), newcomers(int(rosters.max()) + 1)
    works: dict[str, Callable[[], object]] = {name: partial(loop, rosters) for name, (loop, _) in floors.items()}
    taken = side_by_side({"ours": partial(_replay, key, history, start), **works}, ROUNDS, warm=1)
    ours = median(taken["ours"]) / len(rosters)
    for name, (_, wanted) in floors.items():
        yield at_least(f"{what}, against {name}", ours, median(taken[name]) / SAMPLE, wanted, "µs", 1e6)


def _staying(key: str, history: History) -> Row:
    """What it costs to rate leavers as if they had stayed, too, because staying is always better."""
    start = newcomers(PLAYERS)
    works = {
        "both": partial(_replay, key, history, start),
        "own": partial(_replay, key, history, start, staying_is_better=False),
    }
    taken = {name: median(seconds) / history.matches for name, seconds in side_by_side(works, ROUNDS, warm=1).items()}
    what = (
        f"replay of {history.matches:,} 5v5 with {LEAVING:.0%} leavers by {key}, a match, against its own rule for them"
    )
    return at_most(what, taken["both"], taken["own"], 1.3, "µs", 1e6)


def _exact(rosters: Rosters) -> Row:
    """Check team ratio's final ranks, to the hundredth, against the scalar face."""
    system = get_system("team-ratio")
    skills = [system.newcomer()] * PLAYERS
    for match in rosters.tolist():
        teams = [
            Team(tuple(Entrant(str(player), skills[player]) for player in team), place=place)
            for place, team in enumerate(match, 1)
        ]
        for team, rated in zip(match, system.rate(Result(tuple(teams))), strict=True):
            for player, skill in zip(team, rated, strict=True):
                skills[player] = skill
    final = _replay("team-ratio", _history(rosters), newcomers(PLAYERS)).display_hundredths.tolist()
    right = sum(rank == system.to_state(skill).display_hundredths for rank, skill in zip(final, skills, strict=True))
    return Row(
        "the same, ranks as match by match", f"{right:,}", f"{PLAYERS:,}", f"{right / PLAYERS:.2f} ×", "= 1 ×",
        right == PLAYERS,
    )  # fmt: skip


def run(progress: Callable[[str], None]) -> Iterator[Row]:
    progress("rating matches that share no player")
    loops = {"trueskill": (_by_trueskill, 30.0), "openskill": (_by_openskill, 5.0)}
    yield from _compare("5v5 by TrueSkill, a match", "trueskill", _apart(10_000, 2, 5), loops)
    progress("rating matches with scores that share no player by margin")
    yield from _compare("5v5 by margin, a match", "margin", _apart(10_000, 2, 5), {"trueskill": (_by_trueskill, 50.0)})
    eight = _apart(5_000, 8, 1)
    yield from _compare(
        "8 players, free for all, by TrueSkill, a match", "trueskill", eight, {"trueskill": (_by_trueskill, 8.0)}
    )
    season = _season()
    for key in ("trueskill", "elo", "team-ratio"):
        progress(f"replaying {MATCHES:,} matches by {key}")
        what = f"replay of {MATCHES:,} 5v5 over {PLAYERS:,} players by {key}, a match"
        yield from _compare(what, key, season, {"trueskill": (_by_trueskill, 100.0)})
    yield _exact(season)
    leaving = _with_leavers(season)
    for key in ("trueskill", "team-ratio", "two-layer"):
        progress(f"replaying them with leavers by {key}")
        yield _staying(key, leaving)


def main() -> None:
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "trueskill", "openskill"))
    print(f"Python {platform.python_version()}, {packages}, {os.cpu_count()} cores\n")
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True)))))


if __name__ == "__main__":
    main()
