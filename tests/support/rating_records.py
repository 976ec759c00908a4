"""Records what every rating system computes, and compares two records: before a formula's code changes, and after.

    .venv/bin/python -m tests.support.rating_records record before.json
    .venv/bin/python -m tests.support.rating_records compare before.json after.json

Each history is random, but always the same. It is rated match by match and at once, and explained; so are the worked
cases and the real histories of the shared files. Displays must be equal, and hidden numbers within 1e-11 of themselves.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ranking.systems.base import Entrant, Refused, Result, State, System, Team
from ranking.systems.batch.history import history_of
from ranking.systems.batch.states import DISPLAY, newcomers, states_of
from ranking.systems.calculation import rate_line, read_line
from ranking.systems.registry import KERNELS, SYSTEMS, get_system
from ranking.systems.replay.learning import replay_and_learn
from ranking.systems.replay.replaying import Replayed, replay
from ranking.systems.shared.rules import check_result
from tests.support.batch_histories import history, live
from tests.support.paths import SHARED
from tests.support.strategies import MATCHES_OF

HISTORIES, EXPLAINED, LONG = 200, 50, 20_000
NEAR = 1e-9  # distance to a rounding boundary, in hundredths, at which the last digits of a float decide
CLOSE = 1e-11  # of a hidden number
ABSOLUTE = 1e-13  # for hidden numbers about 0
WRITTEN = 1e-9  # for the numbers of explanations, some of which are differences

# Parameters beside the defaults, each for some of the histories.
PARAMS: dict[str, list[dict[str, Any]]] = {
    "elo": [
        {"scale_by_time": True, "alpha": 0.3, "beta": 40.0, "start": 1500.0},
        {"alpha_matches": 30, "alpha_first": 0.3},
    ],
    "battle-points": [
        {"floor": 990, "brackets": [[1000, 50, 3], [None, 10, 1]]},
        {"provisional_matches": 20, "provisional_k": 90.0},
    ],
    "glicko-2": [{"tau": 1.2, "period_days": 3.5}],
    "trueskill": [
        {"draw_probability": 0.0},
        {"tau": 2.0, "beta": 0.5, "temperature": 3.0, "draw_probability": 0.6},
        {"ties": "chain"},
    ],
    "weng-lin": [{"beta": 2.0, "tau": 0.5, "temperature": 3.0}, {"ties": "chain", "win_never_costs": True}],
    "two-layer": [
        {"amplify_losses": True, "party_bonus": 1.5, "tau": 1.0},
        {"cap_win": 30.0, "cap_loss": 20.0, "performance": 1.0, "mmr": 4600},
        {"favourite_relief": 0.8, "amplify_losses": True},
    ],
    "margin": [
        {"win_never_costs": False, "party": 0.2},
        {"impact_stat": "kills", "win_never_costs": False, "tau_day": 0.1, "caution": 1.0},
        {"impact_stat": "deaths", "sigma": 0.8, "slope": 3.0, "practice_in_defeat": True},
    ],
    "team-ratio": [],
}

Record = dict[str, Any]


def record(key: str, histories: int, matches: int) -> Iterator[tuple[str, Record]]:
    """Yield the cases of a system by name: displays, hidden numbers, and those of explanations with their words."""
    yield from _of_vectors(key)
    _, teams, (_, size) = MATCHES_OF[key]
    params = [{}, *PARAMS[key], {"staying_is_better": False}]
    for number in range(histories):
        system = get_system(key, params[number % len(params)])
        sizes = (2, teams if number % 3 else 2), (1, min(1 + number % 5, size))
        results = history(
            f"record {number}",
            teams=sizes[0],
            sizes=sizes[1],
            leaving=(0, 0.1, 0.4)[number % 3],
            even=number % 4 == 0,
            by_score=number % 7 == 0,
            weighted=number % 5 == 0,
            scored=(0, 0.5, 1)[number % 3],
        )
        yield from _of_history(system, f"history {number}", results, explained=number < EXPLAINED)
    results = history("record long", matches=matches, players=2_000, teams=(2, min(3, teams)), sizes=(1, min(3, size)))
    yield from _of_history(get_system(key), "long history", results, ends=True)
    for file in sorted((SHARED / "data").glob("*.jsonl")):
        system, lines = get_system(key), map(json.loads, file.read_text().splitlines())
        played = [result for result in map(_played, lines) if not _refused(system, result)]
        if played:
            yield from _of_history(system, file.stem, played)


def _played(line: dict[str, Any]) -> Result[Any]:
    """A match of a real history, of players without skills."""
    teams = tuple(
        Team(
            tuple(Entrant(player["id"], None, stats=player["stats"]) for player in team["players"]), score=team["score"]
        )
        for team in line["teams"]
    )
    return Result(teams, variant=line["variant"])


def _refused(system: System[Any], result: Result[Any]) -> bool:
    try:
        check_result(system, result)
    except Refused:
        return True
    return False


def _of_vectors(key: str) -> Iterator[tuple[str, Record]]:
    for file in sorted((SHARED / "vectors").glob("*.jsonl")):
        for line in map(json.loads, file.read_text().splitlines()):
            if line["system"] != key:
                continue
            answer = rate_line(line)
            numbers = [repr(number) for number in _numbers(answer)]
            shown = [player["display"] for team in answer.get("teams", ()) for player in team["players"]]
            name = f"{file.stem} {line['id']}"
            yield name, {"shown": shown, "hidden": numbers, "written": []}
            if "error" in answer:
                continue
            system, result = read_line(line)
            yield f"{name}, explained", {"shown": [], "hidden": [], "written": list(_written(system, result))}
            people = [player for team in result.teams for player in team.players]
            numbered = {player.id: number for number, player in enumerate(people)}
            states = states_of([system.to_state(player.skill) for player in people])
            at_once = replay([(0, system)], history_of([result], numbered), states, scalar_below=0)
            yield f"{name}, at once", _of_replay(system, at_once)


def _of_history(
    system: System[Any], name: str, results: list[Result[Any]], *, explained: bool = False, ends: bool = False
) -> Iterator[tuple[str, Record]]:
    """A history from newcomers on; `ends`: only the players' states after it."""
    ids = sorted({player.id for result in results for team in result.teams for player in team.players})
    numbered = {player: number for number, player in enumerate(ids)}
    past = history_of(results, numbered)
    lived = live([(0, system)], results, {})
    states = [lived.final[player] for player in ids] if ends else lived.after
    yield f"{name}, lived", _of_states(system, states, [] if ends else lived.chances)
    at_once = replay([(0, system)], past, newcomers(len(ids)), scalar_below=0)
    yield f"{name}, at once", _of_replay(system, at_once, ends=ends)
    if system.learns:
        learning = replay_and_learn(system, past, newcomers(len(ids)), scalar_below=0)
        taught = [repr(number) for number in _numbers(learning.system.mode_state())]
        yield f"{name}, learning", _of_replay(system, learning.replayed, ends=ends)
        yield f"{name}, learnt", {"shown": [], "hidden": taught, "written": []}
    if explained:
        yield f"{name}, explained", {"shown": [], "hidden": [], "written": list(_of_lives(system, results))}


def _of_lives(system: System[Any], results: Iterable[Result[Any]]) -> Iterator[list[str]]:
    """The explanations of a history's matches."""
    skills: dict[str, Any] = {}
    for result in results:
        teams = tuple(
            replace(
                team,
                players=tuple(
                    replace(player, skill=skills.get(player.id, system.newcomer())) for player in team.players
                ),
            )
            for team in result.teams
        )
        known = replace(result, teams=teams)
        yield from _written(system, known)
        for team, after in zip(teams, system.rate(known), strict=True):
            skills.update(zip((player.id for player in team.players), after, strict=True))


def _written(system: System[Any], result: Result[Any]) -> Iterator[list[str]]:
    try:
        explained = system.explain(result)
    except Refused as refused:
        yield [str(refused), "0.0"]
        return
    for factors in (factors for team in explained for factors in team):
        yield from ([f"{factor.name} ({factor.kind}): {factor.note}", repr(float(factor.value))] for factor in factors)


def _of_replay(system: System[Any], replayed: Replayed, *, ends: bool = False) -> Record:
    states = replayed.final if ends else replayed.after
    chances = [] if ends else [None if math.isnan(chance) else chance for chance in replayed.chance.tolist()]
    return _of_states(system, (states[index] for index in range(len(states))), chances)


def _of_states(system: System[Any], states: Iterable[State], chances: Iterable[float | None]) -> Record:
    shown, hidden, exact, kernel = [], [], [], KERNELS[type(system)]
    for state in states:
        shown.append(state.display_hundredths)
        hidden += [repr(state.mu), repr(state.sigma), repr(state.volatility), repr(state.skill_matches)]
        if DISPLAY not in kernel.fields:
            units = kernel.units(system, *(getattr(state, name) for name in kernel.fields))
            exact.append(repr(float(kernel.unit * units)))
    return {"shown": shown, "exact": exact, "hidden": [*hidden, *map(repr, chances)], "written": []}


def _numbers(value: Any) -> Iterator[float | None]:
    """The numbers in JSON, in order."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _numbers(part)
    elif not isinstance(value, str):
        yield value


class Comparison:
    """What differs between two records."""

    def __init__(self) -> None:
        self.compared, self.near, self.faults = 0, list[str](), list[str]()
        self.furthest, self.place = 0.0, "nowhere"

    def compare(self, name: str, old: Record, new: Record) -> None:
        if {part: len(values) for part, values in old.items()} != {part: len(values) for part, values in new.items()}:
            self.faults.append(f"{name}: another shape")
            return
        for index, (before, after) in enumerate(zip(old["shown"], new["shown"], strict=True)):
            if before != after:
                exact = float(old["exact"][index]) if old.get("exact") else math.inf
                near = math.isfinite(exact) and abs(exact - math.floor(exact) - 0.5) < NEAR
                (self.near if near else self.faults).append(f"{name}: display {index}: {before}, now {after}")
        for index, (before, after) in enumerate(zip(old["hidden"], new["hidden"], strict=True)):
            self._check(f"{name}: number {index}", before, after, ABSOLUTE)
        for (words, before), (new_words, after) in zip(old["written"], new["written"], strict=True):
            if words != new_words:
                self.faults.append(f"{name}: {words!r}, now {new_words!r}")
            self._check(f"{name}: {words}", before, after, WRITTEN)
        self.compared += len(old["shown"]) + len(old["hidden"]) + len(old["written"])

    def _check(self, place: str, before: str, after: str, absolute: float) -> None:
        if before == after:
            return
        try:
            one, other = float(before), float(after)
        except ValueError:
            self.faults.append(f"{place}: {before}, now {after}")
            return
        if not math.isclose(one, other, rel_tol=CLOSE, abs_tol=absolute):
            self.faults.append(f"{place}: {before}, now {after}")
        elif abs(one - other) > absolute and abs(one - other) / abs(one) > self.furthest:
            self.furthest, self.place = abs(one - other) / abs(one), place


def compare(old: dict[str, Any], new: dict[str, Any]) -> int:
    """Print what differs, by system; return the number of faults."""
    faults = 0
    for key in old.keys() | new.keys():
        cases, other = old.get(key, {}), new.get(key, {})
        comparison = Comparison()
        if missing := cases.keys() ^ other.keys():
            comparison.faults.append(f"{len(missing)} cases are in one record only, such as {min(missing)}")
        for name in cases.keys() & other.keys():
            comparison.compare(name, cases[name], other[name])
        apart = f"hidden numbers differ by at most {comparison.furthest:.1e} ({comparison.place})"
        counts = f"{len(comparison.faults)} faults, {len(comparison.near)} at a rounding boundary"
        sys.stdout.write(f"{key}: {comparison.compared:,} values, {counts}, {apart}\n")
        for line in (*comparison.faults[:10], *comparison.near):
            sys.stdout.write(f"    {line}\n")
        faults += len(comparison.faults)
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.support.rating_records", description=__doc__, allow_abbrev=False
    )
    parser.add_argument("act", choices=["record", "compare"])
    parser.add_argument("files", type=Path, nargs="+", help="the one to write, or the two to compare")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--histories", type=int, default=HISTORIES, help="a system")
    parser.add_argument("--matches", type=int, default=LONG, help="of one long history a system")
    words = parser.parse_args()
    if len(words.files) != (1 if words.act == "record" else 2):
        parser.error("record takes one file, compare two.")
    if words.act == "compare":
        old, new = (json.loads(file.read_text()) for file in words.files)
        chosen = [{key: cases for key, cases in one.items() if key in words.systems} for one in (old, new)]
        sys.exit(min(1, compare(*chosen)))
    cases = {key: dict(record(key, words.histories, words.matches)) for key in tqdm(words.systems)}
    words.files[0].write_text(json.dumps(cases))


if __name__ == "__main__":
    main()
