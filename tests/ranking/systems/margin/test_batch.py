"""A mode that learns, replayed at once = lived match by match; and each match by what its mode had learnt."""

import random
from dataclasses import astuple, replace
from math import inf

import numpy as np
import pytest

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.batch.history import history_of
from ranking.systems.batch.states import newcomers
from ranking.systems.margin.learnt import Learnt, block_starts
from ranking.systems.margin.system import Margin
from ranking.systems.replay.learning import replay_and_learn
from ranking.systems.replay.replaying import replay
from ranking.systems.shared.rules import effective_places
from tests.support.batch_histories import history, same


def lived(results, system_at, after):
    """States after each match, by participation; `system_at` and `after` by the number of the match."""
    skills, states = {}, []
    for number, result in enumerate(results):
        system = system_at(number)
        teams = tuple(
            replace(
                team,
                players=tuple(replace(p, skill=skills.get(p.id, system.newcomer())) for p in team.players),
            )
            for team in result.teams
        )
        rated = system.rate(replace(result, teams=teams))
        for team, own in zip(teams, rated, strict=True):
            for player, skill in zip(team.players, own, strict=True):
                skills[player.id] = skill
                states.append(system.to_state(skill))
        after(replace(result, teams=teams))
    return states


def numbered(results):
    ids = sorted({player.id for result in results for team in result.teams for player in team.players})
    return history_of(results, {name: number for number, name in enumerate(ids)}), newcomers(len(ids))


@pytest.mark.parametrize("scalar_below", [0, 2, 1_000])
@pytest.mark.parametrize(("teams", "leaving"), [((2, 2), 0.1), ((2, 2), 0), ((2, 4), 0.2)])
def test_a_mode_learns_in_strict_fifties(teams, leaving, scalar_below):
    results = history("learning", matches=130, players=40, teams=teams, leaving=leaving, scored=0.8)
    systems = [Margin(impact_stat="kills")]
    states = lived(results, lambda _: systems[-1], lambda result: systems.append(systems[-1].after(result)))
    past, start = numbered(results)
    got = replay_and_learn(systems[0], past, start, scalar_below=scalar_below)
    assert all(same(got.replayed.after[index], state) for index, state in enumerate(states))
    assert [number for number, _ in got.learnt] == [50, 100]
    assert got.system.learning.block.n == 30
    learnt = [*(system for _, system in got.learnt), got.system]
    for mine, scalar in zip(learnt, [systems[50], systems[100], systems[-1]], strict=True):
        check_alike(mine.learning, scalar.learning)


@pytest.mark.parametrize("scalar_below", [0, 1_000])
@pytest.mark.parametrize("leaving", [0, 0.1])
def test_a_mode_learns_about_luck_in_blocks_that_grow(leaving, scalar_below):
    chance = random.Random(f"luck {leaving}")
    results = [field_of(chance, number, leaving) for number in range(170)]
    systems = [Margin(luck=True)]
    states = lived(results, lambda _: systems[-1], lambda result: systems.append(systems[-1].after(result)))
    past, start = numbered(results)
    got = replay_and_learn(systems[0], past, start, scalar_below=scalar_below)
    assert all(same(got.replayed.after[index], state) for index, state in enumerate(states))
    numbers = [number for number, _ in got.learnt]
    assert numbers == [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 66, 72, 79, 86, 94, 103, 113, 124, 136, 149, 163]
    assert list(block_starts(True, 170)) == [0, *numbers]
    for number, mine in got.learnt:
        check_alike(mine.learning, systems[number].learning)
    assert 0.5 < got.system.learning.luck.share < 1


def field_of(chance, number, leaving):
    """Eight of twenty, the better the earlier in the alphabet; a third has bad luck and shares the last place."""
    names = chance.sample("abcdefghijklmnopqrst", 8)
    unlucky = {name for name in names if chance.random() < 0.3}
    order = sorted(names, key=lambda name: (name in unlucky, ord(name) + chance.gauss(0, 6)))
    teams = [
        Team((Entrant(name, None, left_early=chance.random() < leaving, seconds=chance.randint(1, 599)),), place)
        for place, name in enumerate(order, 1)
    ]
    last = len(names) - len(unlucky) + 1
    teams = [replace(team, place=min(team.place, last)) for team in teams]
    if number % 4 == 3:
        teams = [replace(team, place=None, score=-float(team.place)) for team in teams[:2]]
    return Result(tuple(teams), duration=600)


def check_alike(a, b):
    assert (a.slope, a.noise, a.noise_n, a.slope_n) == pytest.approx((b.slope, b.noise, b.noise_n, b.slope_n))
    luck = [[] if learnt.luck is None else astuple(learnt.luck) for learnt in (a, b)]
    assert luck[0] == pytest.approx(luck[1])
    assert a.block.luck == pytest.approx(b.block.luck)
    for mine, scalar in ((a.margins, b.margins), (a.block.margins, b.block.margins)):
        assert {name: pytest.approx(sums) for name, sums in mine.items()} == scalar
    sums = [(block.n, block.ed, block.dd, block.g, block.i) for block in (a.block, b.block)]
    assert sums[0] == pytest.approx(sums[1])


@pytest.mark.parametrize("scored", [0, 1.0])
def test_a_defeat_never_raises_a_rating(scored):
    """The states show hundredths of display points."""
    for seed in range(20):
        results = history(f"defeats {seed}", matches=60, teams=(2, 4), scored=scored)
        past, start = numbered(results)
        got, places = replay([(0, Margin())], past, start, scalar_below=0), []
        for result in map(Margin().attended, results):
            own = effective_places(result, [team.place for team in result.teams])
            last = max(own) if min(own) < max(own) else inf
            places += [
                player.left_early or place == last
                for team, place in zip(result.teams, own, strict=True)
                for player in team.players
            ]
        defeated = np.array(places)
        assert 0 < defeated.sum() < len(defeated)
        assert (got.after.display_hundredths <= got.before.display_hundredths)[defeated].all()


def test_an_open_block_is_filled_first():
    results = history("open", matches=70, players=30, scored=1.0)
    past, start = numbered(results)
    first = replay_and_learn(Margin(), past.part(0, 30), start)
    assert (first.learnt, first.system.learning.block.n) == ([], 30)
    second = replay_and_learn(first.system, past.part(30, 70), first.replayed.final)
    whole = replay_and_learn(Margin(), past, start)
    assert [number for number, _ in second.learnt] == [20]
    assert second.system == whole.system
    assert (second.replayed.final.mu == whole.replayed.final.mu).all()


@pytest.mark.parametrize("scalar_below", [0, 1_000])
def test_each_match_is_rated_by_the_state_that_it_names(scalar_below):
    results = history("named", matches=60, players=30, leaving=0.2, scored=0.7)
    learnt = [Learnt(1.2, -0.8, margins={"ruins": (900.0, 80.0)}), Learnt(3.0, 0.5, margins={"": (5.0, 40.0)})]
    names = [(-1, 0, 1)[number % 3] for number in range(len(results))]
    base = Margin()
    states = lived(results, lambda at: base if names[at] < 0 else base.with_learning(learnt[names[at]]), lambda _: None)
    past, start = numbered(results)
    past = replace(past, mode_state=np.array(names), mode_states=learnt)
    got = replay([(0, base)], past, start, scalar_below=scalar_below)
    assert all(same(got.after[index], state) for index, state in enumerate(states))
