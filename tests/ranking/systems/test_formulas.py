"""A formula stands once: each of its constants and operators, changed, moves a match and a history alike."""

import ast
import itertools
import random
import re
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.batch.history import history_of
from ranking.systems.batch.states import states_of
from ranking.systems.battle_points import formulas as battle_points
from ranking.systems.battle_points.system import BattlePointsSkill
from ranking.systems.elo import formulas as elo
from ranking.systems.elo.system import EloSkill
from ranking.systems.glicko2 import formulas as glicko2
from ranking.systems.glicko2.system import Glicko2Skill
from ranking.systems.margin import formulas as margin
from ranking.systems.margin.learnt import Learnt, Luck
from ranking.systems.margin.skill import MarginSkill
from ranking.systems.registry import KERNELS, get_system
from ranking.systems.replay._system_run import plan_part
from ranking.systems.shared import formulas as shared
from ranking.systems.shared import presence
from ranking.systems.shared.learning import Lesson
from ranking.systems.shared.mean_and_deviation import GaussianSkill
from ranking.systems.trueskill import formulas as trueskill
from ranking.systems.trueskill import group_chain, tied_group
from ranking.systems.two_layer import formulas as two_layer
from ranking.systems.two_layer.system import TwoLayerSkill
from ranking.systems.weng_lin import formulas as weng_lin
from ranking.systems.weng_lin import ties as weng_lin_ties
from tools.mutations import find_mutations

MATCHES = 120
MOVED = 1e-7  # of itself; below are the last bits, by which a match and a history differ

# By system: its modules of formulas, and parameters by which all of them count.
FORMULAS = {
    "battle-points": (
        (battle_points, shared),
        [{}, {"floor": 1200, "provisional_matches": 20}, {"brackets": [[1100, 50, 3], [None, 10, 1]]}],
    ),
    "glicko-2": ((glicko2, shared), [{}, {"tau": 1.2, "period_days": 0.7}]),
    "weng-lin": (
        (weng_lin, shared, presence),
        [{}, {"tau": 2.0, "beta": 1.0, "temperature": 3.0}, {"tau": 2.0, "win_never_costs": True}],
    ),
    "trueskill": (
        (trueskill, shared, presence),
        [
            {},
            {"tau": 2.0, "beta": 1.0, "temperature": 3.0, "draw_probability": 0.6},
            {"tau": 2.0, "win_never_costs": True, "ties": "chain"},
        ],
    ),
    "two-layer": (
        (two_layer, shared, presence),
        [
            {},
            {"amplify_losses": True, "favourite_relief": 0.8, "tau": 2.0},
            {"tau": 5.0, "tau_by_sigma": True},
            {"performance": 1.0, "cap_win": 30.0, "cap_upset": 60.0, "cap_loss": 25.0},
        ],
    ),
    "margin": (
        (margin, shared, presence),
        [
            {"party": 0.2},
            {"win_never_costs": False, "impact_stat": "kills", "tau": 0.3},
            {"impact_stat": "kills", "tau_day": 0.05, "practice_in_defeat": True},
            {"luck": True},
            {"luck": True, "slope": 6.0},
        ],
    ),
    "elo": ((elo, shared, presence), [{}, {"alpha_matches": 30}, {"scale_by_time": True}]),
}

# Formulas for ties of many, which a match and a history compute by the same functions; the search for a grid is none.
OF_TIES = {
    "trueskill": {
        tied_group: ("turned", "log_density", "lessons", "_ends", "_teams", "_grid", "_moments"),
        group_chain: ("_lower", "_upper", "_known", "_but_for"),
    },
    "weng-lin": {weng_lin_ties: ("omegas_and_deltas",)},
}

# The part of `winners_deviation` that only rounding needs.
OF_ROUNDING = {
    ("most = sigma", before): "rounding moves no number that is shown"
    for before in (
        "sigma + (new_mu - mu) / DEVIATIONS - ROUNDING * (abs(mu) + sigma)",
        "ROUNDING * (abs(mu) + sigma)",
        "abs(mu) + sigma",
    )
} | {("m.maximum(most", "2"): "only the last digits of a huge mean could bring it below"}

# Faults that change no number: a part of their statement and the code that they replace, with the reason.
SAME = {
    "glicko-2": {
        ("m.where(x > 0", "x > 0"): "at 0, both are ½",
        ("START, WIDEST =", "1500.0"): "only a newcomer starts there; the scale has no origin",
        ("crossed =", "f_middle * f_high"): "its sign counts",
        ("crossed =", "f_middle * f_high <= 0"): "at 0 exactly, the iteration is at its end",
    },
    "two-layer": {
        ("most = m.where(change > 0", "change > 0"): "a change of 0 has no elite band",
        ("most = m.where(change > 0", "0"): "a gain of less than a point is hardly ever seen in whole points",
        ("least, most =", "0.0"): "no change moves by more than itself",
        ("m.where(expected < 0.5", "expected < 0.5"): "tables leave ½ to a match",
    },
    "weng-lin": {
        ("m.where(ahead > 0", "ahead > 0"): "at 0, both are ½",
        ("return list(zip(omegas", "True"): "both are as long",
        ("odds = {", "sums[index] - most"): "all odds by the same factor are the same odds",
        **OF_ROUNDING,
    },
    "trueskill": {
        ("highest = np.minimum", "1.0"): "no chance is above 1 but by rounding",
        ("lowest = np.minimum", "1.0"): "no chance is above 1 but by rounding",
        **{
            ("spread = np.clip", before): "no variance is above it but by rounding"
            for before in ("(b - a) ** 2", "(b - a) ** 2 / 4", "4")
        },
        (
            "pull = (mean",
            "(mean - self.mean) / self.variance * (-1 if self.turned else 1)",
        ): "±1 divides as well",
        ("return list(zip(pull", "True"): "both are as long",
        ("pi = max(", "LEAST_SHARE * precision"): "what is left is more, but by rounding",
        ("depths, weights = np.array", "1"): "zeros, however many",
        ("depths, weights = shallow", "self.margin - shallow"): "it is above 0 for very many teams only",
        **OF_ROUNDING,
    },
}


def skill_of(key, chance):
    match key:
        case "battle-points":
            return BattlePointsSkill(chance.choice([chance.randint(700, 2600), 1200, 1500, 2000, 500, 10**6]))
        case "glicko-2":
            deviation = chance.choice([chance.uniform(20, 350), 349.9, 400.0])
            return Glicko2Skill(chance.gauss(1500, 500), deviation, chance.uniform(0.03, 0.3))
        case "elo":
            return EloSkill(chance.gauss(25, 6))
        case "margin":
            return MarginSkill(
                chance.choice([chance.gauss(0, 0.5), -4.0, 4.0]), chance.uniform(0.05, 0.5), chance.choice([0, 1, 30])
            )
        case "two-layer":
            return TwoLayerSkill(chance.gauss(25, 6), chance.uniform(2, 25 / 3), chance.randint(0, 5500))
        case "weng-lin" | "trueskill":
            return GaussianSkill(chance.gauss(25, 6), chance.uniform(0.5, 9))


def match_of(key, chance, number):
    """Two teams, of a match that shares no player with others: some won, some drawn, some left."""
    system = get_system(key)
    size = 1 if system.max_team_size == 1 else 1 + number // 3 % 3
    most = 2 if system.team_counts[1] == 2 or number % 4 else 3

    def entrant(name):
        left = chance.random() < 0.15
        own = random.Random(name)
        there, party = own.choice([None, None, 90, 300, 700]), own.choice(["x", None]) if key == "margin" else None
        return Entrant(
            name,
            skill_of(key, chance),
            seconds=chance.randint(0, 599) if left else there,
            left_early=left,
            party=party,
            stats={"kills": chance.choice([0, 9, 10, 11, 20])} if system.counts_stats and chance.random() < 0.8 else {},
            idle_days=chance.choice([0.0, 1.5, 40.0]),
            matches=chance.choice([0, 7, 20, 45]),
        )

    places = [(1, 2), (2, 1), (1, 1)][number % 3] + (1,)
    if key == "margin" and number % 6 == 5:  # a field, whose last places may be bad luck
        places = chance.choice([(1, 2, 3, 4, 5, 5), (6, 2, 3, 4, 5, 1), (2, 3, 3, 3, 1)])
        return Result(tuple(Team((entrant(f"{number} {team}"),), place) for team, place in enumerate(places)), 600)
    teams = [
        Team(tuple(entrant(f"{number} {team} {slot}") for slot in range(size)), place, chance.choice([-1, 0, 0.5, 3]))
        for team, place in zip(range(most), places, strict=False)
    ]
    return Result(tuple(teams), duration=600)


def system_of(key, params):
    """The system, by its newest rules; one that learns about its mode has learnt already."""
    system = get_system(key, params)
    if not system.learns:
        return system
    known = Luck(share=0.6 if system.slope < 6 else 0.0, shared=12, fields=30)
    luck = known if params.get("luck") else None
    return system.with_learning(Learnt(system.slope, noise=0.3, luck=luck))


def by_match(system, results):
    """Yield the numbers of each match: the skills after it, why, and the chances before it."""
    for result in results:
        states = [system.to_state(skill) for team in system.rate(result) for skill in team]
        numbers = [number for state in states for number in (state.mu, state.sigma, state.volatility)]
        numbers += [state.display_hundredths for state in states if state.mu is None]
        numbers += [factor.value for team in system.explain(result) for factors in team for factor in factors]
        if len(result.teams) == 2:
            numbers += system.win_probability([team.players for team in system.attended(result).teams])
        if system.learns:
            numbers += system.lesson(result)[1:]
        yield np.array([np.nan if number is None else number for number in numbers], float)


def by_kernel(system, results):
    """Yield the numbers by the system's kernel alone, without the rounding of replays and without the scalar face."""
    entrants = [player for result in results for team in result.teams for player in team.players]
    past = history_of(results, {player.id: number for number, player in enumerate(entrants)})
    states = states_of([system.to_state(player.skill) for player in entrants])
    part = plan_part(system, past, states)
    assert not part.plan.scalar.any()
    kernel = KERNELS[type(system)](system, part.facts)
    if system.learns:
        kernel.lessons = np.full((len(results), len(Lesson._fields) - 1), np.nan)
    supposed = []  # what staying would have given to leavers
    after, units = {name: np.full(len(entrants), np.nan) for name in kernel.fields}, np.full(len(entrants), np.nan)
    for group in part.groups:
        players = past.player[part.plan.seats[group.seats]]
        columns = kernel.rate(group, *[getattr(states, name)[players] for name in kernel.fields])
        for name, column in zip(kernel.fields, columns, strict=True):
            after[name][players] = column[: len(players)]
        supposed += [column[len(players) :] for column in columns]
        units[players] = kernel.units(system, *[column[: len(players)] for column in columns])
    yield np.concatenate([*after.values(), units, *supposed, *kernel.chances()])
    if system.learns:
        yield kernel.lessons


@contextmanager
def changed(module, source):
    """The module's functions and constants as this source has them."""
    code, kept = {"__name__": module.__name__}, dict(vars(module))
    exec(compile(source, module.__file__, "exec"), code)
    functions = dict(functions_of(kept, module.__name__))
    codes = {path: function.__code__ for path, function in functions.items()}
    try:
        for path, function in functions_of(code, module.__name__):
            functions[path].__code__ = function.__code__
        for name, value in kept.items():
            if isinstance(value, int | float | np.ndarray):
                setattr(module, name, code[name])
        yield
    finally:
        for path, function in functions.items():
            function.__code__ = codes[path]
        for name, value in kept.items():
            if isinstance(value, int | float | np.ndarray):
                setattr(module, name, value)


def functions_of(names, module):
    """The functions that a module defines, also within its classes, by their paths."""
    for value in names.values():
        if isinstance(value, FunctionType) and value.__module__ == module:
            yield value.__qualname__, value
        elif isinstance(value, type) and value.__module__ == module:
            yield from functions_of(vars(value), module)


def stays(face, before):
    """Does a face give the same numbers as before? A fault that no number can be computed with moves it."""
    try:
        return all(
            one.shape == other.shape and np.allclose(one, other, rtol=MOVED, atol=0, equal_nan=True)
            for one, other in zip(before, face(), strict=True)
        )
    except Exception:  # whatever a fault brings about
        return False


def functions_used(module, key):
    """The lines of the shared functions that the system's folder names; None of its own module, all of which counts."""
    if module is presence:
        return lines_of(Path(module.__file__).read_text(), ("presence", "share"))
    if module is not shared:
        return None
    folder = Path(shared.__file__).parents[1] / key.replace("-", "_").replace("glicko_2", "glicko2")
    words = set(re.findall(r"\w+", "".join(file.read_text() for file in folder.glob("*.py"))))
    return lines_of(Path(module.__file__).read_text(), words)


def lines_of(source, names):
    """The lines of the functions and methods of these names."""
    functions = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.FunctionDef)]
    return {line for each in functions if each.name in names for line in range(each.lineno, each.end_lineno + 1)}


def changes_nothing(key, fault):
    return any(part in fault.statement and before == fault.before for part, before in SAME.get(key, ()))


@pytest.mark.parametrize("key", FORMULAS)
def test_a_change_moves_a_match_and_a_history(key):
    modules, params = FORMULAS[key]
    chance = random.Random(f"formulas {key}")
    results = [match_of(key, chance, number) for number in range(MATCHES)]

    def match():
        return itertools.chain.from_iterable(by_match(system_of(key, own), results) for own in params)

    def history():
        return itertools.chain.from_iterable(by_kernel(system_of(key, own), results) for own in params)

    before, unmoved = {face: list(face()) for face in (match, history)}, []
    for module in modules:
        source = Path(module.__file__).read_text()
        used = functions_used(module, key)
        for fault in find_mutations(module.__name__, source):
            if used is not None and fault.line not in used:
                continue
            if fault.kind == "nothing returned" or changes_nothing(key, fault):
                continue
            with changed(module, fault.apply(source)):
                still = {face.__name__ for face, numbers in before.items() if stays(face, numbers)}
            if still:
                unmoved.append((fault.path, fault.line, fault.before, fault.after, still))
    assert not unmoved, "\n".join(map(str, unmoved))


def tied_match(key, chance, number):
    """Three or more of up to six teams share a place: the first, the last, all, or one within."""
    size = 1 + number % 3
    places = [(1, 1, 1), (1, 2, 2, 2), (1, 1, 1, 4), (1, 2, 2, 2, 5), (1, 1, 3, 3, 3, 6)][number % 5]
    teams = [
        Team(tuple(Entrant(f"{number} {team} {slot}", skill_of(key, chance)) for slot in range(size)), place)
        for team, place in enumerate(places)
    ]
    return Result(tuple(teams))


@pytest.mark.parametrize("key", OF_TIES)
def test_a_change_moves_matches_with_ties(key):
    chance, unmoved = random.Random(f"ties {key}"), []
    results = [tied_match(key, chance, number) for number in range(5)]

    def face():
        return by_match(get_system(key), results)

    before = list(face())
    for module, names in OF_TIES[key].items():
        source = Path(module.__file__).read_text()
        lines = lines_of(source, names)
        for fault in find_mutations(module.__name__, source):
            if fault.line not in lines or fault.kind == "nothing returned" or changes_nothing(key, fault):
                continue
            try:
                with changed(module, fault.apply(source)):
                    still = stays(face, before)
            except ValueError:  # a method without its `super()` can't take the place of one with it
                continue
            if still:
                unmoved.append((fault.path, fault.line, fault.before, fault.after))
    assert not unmoved, "\n".join(map(str, unmoved))
