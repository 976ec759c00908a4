"""A fit's replay equals the evaluation's, match by match: resets, forfeits, leavers, idle time, several teams."""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from ranking.systems.base import HARD, KEEP, SOFT, Entrant, ResetRule, Result, Team
from ranking.systems.registry import get_system
from ranking.trials.core import fit_history
from ranking.trials.core.building import HistoryBuilder
from ranking.trials.core.fit_history import MOST_PAIRS, UNCOUNTED
from ranking.trials.core.fitting import predict_all
from ranking.trials.core.repeated_replay import Replays
from ranking.trials.core.timeline import PastMatch, PastSeed
from tests.support.fit_histories import free_for_alls, run
from tests.support.past_matches import replayed

DAY = 86_400.0
ELO = get_system("elo")
RULES = (ResetRule(SOFT, 0.4), ResetRule(KEEP), ResetRule(HARD), ResetRule(SOFT, 0.7))
MIXED = ["two-layer", "elo", "trueskill", "margin", "team-ratio"]


def history_from_steps(steps):
    builder = HistoryBuilder()
    builder.add(steps)
    return builder.finish()


def random_past(seed, matches=260, size=2, teams=2, forfeits=True):
    """Matches over five seasons of players who come and go; some are left, some dropped, some ratings brought along."""
    chance = random.Random(seed)
    past, seen, at = [], set(), 0.0
    for number in range(matches):
        at += chance.expovariate(1 / DAY)
        resets = RULES[: number * 5 // matches]
        ids = chance.sample("abcdefghijklmnop", size * teams)
        if chance.random() < 0.5 and not {(len(resets), ids[0])} & seen:
            state = ELO.to_state(ELO.seed(Decimal(chance.randint(15, 35))))
            past.append(PastSeed("arena", at - 2, ids[0], state, ELO, chance.randint(0, 30), resets))
        seen |= {(len(resets), name) for name in ids}
        rosters = [ids[size * team : size * team + size] for team in range(teams)]
        scores = [float(chance.randint(0, 9)) for _ in rosters]
        left = chance.random() < 0.1 and ids[0]
        sides = tuple(
            Team(
                tuple(
                    Entrant(
                        name, None, left_early=name == left, seconds=200.0 if name == left else None,
                        stats={"kills": float(chance.randint(0, 9))} if chance.random() < 0.8 else {},
                        party="p" if index == 0 else None,
                    )
                    for name in roster
                ),
                score=score,
            )
            for index, (roster, score) in enumerate(zip(rosters, scores, strict=True))
        )  # fmt: skip
        result = Result(sides, 600.0, variant="xy"[number % 2])
        past.append(PastMatch(f"match {number}", "arena", at, result, resets=resets))
        if forfeits and chance.random() < 0.1:
            gone = Entrant(ids[0], None, seconds=0.0, left_early=True)
            others = tuple(Entrant(name, None, seconds=60.0) for name in ids[size:])
            result = Result((Team((gone,), 2), Team(others, 1)), 60.0)
            if size == 1:
                past.append(PastMatch(f"forfeit {number}", "arena", at + 1, result, dropper=ids[0], resets=resets))
    return past


def chances_of(system, history, **params):
    prediction = run(predict_all(system.key, params, history))
    return prediction.chances[prediction.counted]


@pytest.mark.parametrize("key", [*MIXED, "battle-points", "glicko-2"])
@pytest.mark.parametrize("seed", range(2))
def test_duels_with_forfeits_and_seasons(key, seed):
    past = random_past(seed, size=1)
    assert sum(isinstance(step, PastMatch) and bool(step.dropper) for step in past) > 10
    assert sum(isinstance(step, PastSeed) for step in past) > 3
    expected = replayed(get_system(key), past)
    np.testing.assert_allclose(chances_of(get_system(key), history_from_steps(past)), expected.chances, atol=1e-9)


@pytest.mark.parametrize("key", [*MIXED, "weng-lin"])
def test_teams_with_leavers_parties_and_statistics(key):
    past = random_past(3, size=3)
    params = {"margin": {"impact_stat": "kills", "party": 0.3}, "two-layer": {"party_bonus": 1.0}}.get(key, {})
    system, expected = get_system(key, params), replayed(get_system(key, params), past)
    np.testing.assert_allclose(chances_of(system, history_from_steps(past), **params), expected.chances, atol=1e-9)


@pytest.mark.parametrize("key", ["elo", "trueskill", "weng-lin", "margin"])
def test_each_pair_of_a_larger_match_has_the_chance_of_an_evaluation(key):
    duels, trios = random_past(4, size=2, forfeits=False), random_past(5, size=2, teams=3, forfeits=False)
    mixed = sorted([*duels[:100], *trios[:40]], key=lambda step: (len(step.resets), step.ended_at))
    mixed = [step for step in mixed if isinstance(step, PastMatch)]
    history, expected = history_from_steps(mixed), replayed(get_system(key), mixed)
    np.testing.assert_allclose(chances_of(get_system(key), history), expected.chances, atol=1e-9)
    teams = np.diff(history.history.team_starts)
    assert set(teams.tolist()) == {2, 3}
    assert ((history.outcome == UNCOUNTED) == (teams == 3)).all()
    assert history.weights.sum() == pytest.approx(history.decided.sum())


def test_of_a_match_of_many_some_pairs_are_drawn_and_weigh_as_much_as_one_match(monkeypatch):
    history = free_for_alls(20, np.random.default_rng(1), 6, 40)
    assert np.bincount(history.pairs.match).tolist() == [MOST_PAIRS] * 6
    assert np.bincount(history.pairs.match, history.weights) == pytest.approx(1.0)
    assert len({*zip(history.pairs.first.tolist(), history.pairs.second.tolist(), strict=True)}) == 6 * MOST_PAIRS
    monkeypatch.setattr(fit_history, "MOST_DUELS", 60)
    assert np.bincount(replace(history).pairs.match).tolist() == [10] * 6


def test_late_results_take_their_place_by_the_time_of_their_end():
    past = [step for step in random_past(6, forfeits=False) if isinstance(step, PastMatch)]
    late = [*past[5:10], *past[:5], *past[10:]]
    one, other = history_from_steps(late), history_from_steps(past)
    np.testing.assert_array_equal(chances_of(ELO, one), chances_of(ELO, other))
    np.testing.assert_array_equal(one.ended_at, other.ended_at)


def test_chunks_make_the_same_history():
    past = random_past(7, size=2)
    builder = HistoryBuilder()
    for first in range(0, len(past), 7):
        builder.add(past[first : first + 7])
    one, other = builder.finish(), history_from_steps(past)
    for key in ("margin", "two-layer"):
        np.testing.assert_array_equal(chances_of(get_system(key), one), chances_of(get_system(key), other))


def test_a_rating_brought_along_counts_for_matches_that_were_rated_after_it():
    past = [step for step in random_past(8, size=1, forfeits=False) if isinstance(step, PastMatch) and not step.resets]
    player = past[0].result.teams[0].players[0].id
    late = PastSeed("arena", past[9].ended_at, player, ELO.to_state(ELO.seed(Decimal(40))), ELO, 10)
    first = run(Replays(ELO, history_from_steps([late, *past])).chances(ELO))[0]
    assert max(first, 1 - first) > 0.9
    assert history_from_steps([late, *past]).history.matches_before[0] == 10


def test_the_last_matches_alone_begin_with_newcomers():
    past = random_past(9, size=2)
    history = history_from_steps(past)
    last = history.last(100)
    assert (last.matches, last.history.idle_days[0]) == (100, 0.0)
    assert run(Replays(ELO, last).chances(ELO))[0] == 0.5


def test_another_thread_may_close_a_replay_that_was_left():
    before = np.geterr()
    replay = Replays(ELO, history_from_steps(random_past(1))).chances(ELO)
    next(replay)
    assert np.geterr() == before
    with ThreadPoolExecutor(1) as threads:
        threads.submit(replay.close).result()
