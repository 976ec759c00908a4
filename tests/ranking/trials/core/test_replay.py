"""The replay: what is predicted, from which skills, and what is left when it ends."""

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from ranking.systems.base import Entrant, Refused, Result, Team
from ranking.systems.registry import SYSTEMS, get_system
from ranking.systems.shared.rules import check_result, effective_places
from ranking.trials.core.timeline import PastMatch, Timeline
from ranking.trials.core.trials import Trial, chunk_size
from tests.support.past_matches import DAY, past, replayed
from tests.support.replay import alike

ELO = get_system("elo")
CASES = [
    ("two teams", [past("a", "b")], [1]),
    ("the second won", [past("a", "b", places=(2, 1))], [0]),
    ("a draw is not decided", [past("a", "b", places=(1, 1))], []),
    ("a team that left whole lost", [past("a", "b", left="a")], [0]),
    ("both left: nobody won", [past("a", "b", left="ab")], []),
    ("one of two left, the team won", [past("ab", "cd", left="a")], [1]),
    ("of three teams, every pair", [past("a", "b", "c", places=(2, 1, 3))], [0, 1, 1]),
    ("of three teams, two tied", [past("a", "b", "c", places=(1, 2, 2))], [1, 1]),
]


@pytest.mark.parametrize(("pasts", "won"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_who_won(pasts, won):
    assert replayed(ELO, pasts).won == won


def test_a_match_is_predicted_from_the_skills_before_it():
    first, second = replayed(ELO, [past("a", "b"), past("b", "a")]).chances
    assert first == 0.5
    assert second < 0.5
    before = ELO.newcomer()
    rated = ELO.rate(Result((Team((Entrant("a", before),), 1), Team((Entrant("b", before),), 2))))
    told = [Entrant("b", rated[1][0])], [Entrant("a", rated[0][0])]
    assert second == pytest.approx(ELO.win_probability(told)[0], abs=1e-12)


def test_the_same_name_in_two_pools_is_two_players():
    assert replayed(ELO, [past("a", "b"), past("a", "b", pool="squad")]).chances == [0.5, 0.5]


@pytest.mark.parametrize("order", [[0, 10], [10, 0]])
def test_idle_days_count_from_the_last_match_that_ended(order):
    """Glicko-2 is surer of who played at once than of who rested; a late match makes nobody rest."""
    system = get_system("glicko-2")
    rested = replayed(system, [past("a", "b", day=day) for day in order])
    at_once = replayed(system, [past("a", "b"), past("a", "b")])
    surer = [one.states["duel", "a"].sigma for one in (rested, at_once)]
    assert (surer[0] > surer[1]) == (order == [0, 10])
    timeline = Timeline()
    timeline.read([past("a", "b", day=day) for day in order])
    assert timeline.pools["duel"].last == [10 * DAY, 10 * DAY]


def test_a_refusal_names_the_match():
    with pytest.raises(Refused, match=r"^duels, line 3: glicko-2 is only for one against one\.$"):
        replayed(get_system("glicko-2"), [past("a", "b"), past("ab", "cd", where="duels, line 3"), past("a", "b")])


@pytest.mark.parametrize("key", SYSTEMS)
def test_chunks_make_no_difference(key):
    system = get_system(key)
    pasts = [past(*pair, day=day) for day, pair in enumerate(["ab", "bc", "ca", "ab", "ca", "bc", "ab"])]
    at_once, in_two = replayed(system, pasts), replayed(system, pasts[:3], pasts[3:])
    assert alike((at_once.chances, at_once.states), (in_two.chances, in_two.states))


def trial(pasts, total=None, system=ELO, **options):
    timeline = Timeline()
    trial = Trial(system, timeline, total or len(pasts), **options)
    size = chunk_size(len(pasts))
    for start in range(0, len(pasts), size):
        trial.take(timeline.read(pasts[start : start + size]))
    return trial.evaluation(seconds=1.0)


def test_a_trial_sums_up():
    found = trial([past("a", "b"), past("a", "b", places=(1, 1)), past("a", "c")])
    assert (found.system, found.matches, found.figures.decided, found.seconds) == ("elo", 3, 2, 1.0)
    assert found.start == 25
    assert found.inflation == pytest.approx(0, abs=0.01)
    assert sum(bar.count for bar in found.distribution) == 3
    assert [moment.players for moment in found.moments] == [2, 2, 3]


def test_only_the_active_count_for_inflation():
    """a wins and rests; at the end b and c are active, who hold what a took from b."""
    pasts = [past("a", "b"), past("b", "c", places=(1, 1), day=40)]
    assert trial(pasts).inflation == pytest.approx(-ELO.k(0) / 4, abs=0.01)
    assert trial(pasts, window=None).inflation == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(("total", "size"), [(1, 1), (50, 1), (51, 2), (4_028, 81), (1_000_000, 1_000)])
def test_chunks_are_bounded_and_show_fifty_moments(total, size):
    assert chunk_size(total) == size


@pytest.mark.parametrize("total", [1, 49, 50, 51, 120, 1_234])
def test_the_last_moment_is_the_end(total):
    found = trial([past("a", "b", day=day / 100) for day in range(total)])
    assert len(found.moments) <= 51
    assert (found.moments[-1].at, found.moments[-1].players) == ((total - 1) / 100 * DAY, 2)
    assert found.inflation == pytest.approx(found.moments[-1].mean - found.start)


def random_history(seed, count, teams, size):
    """Matches of a few people, with scores, parties, draws and leavers, of uneven teams."""
    rng = random.Random(seed)
    for number in range(count):
        names = iter(rng.sample("abcdefghijklmnopqrst", teams * size))
        rosters = [
            tuple(
                Entrant(next(names), None, left_early=rng.random() < 0.1, seconds=300.0, party=rng.choice([None, "x"]))
                for _ in range(rng.randint(1, size))
            )
            for _ in range(teams)
        ]
        sides = tuple(Team(roster, score=float(rng.randint(0, 9))) for roster in rosters)
        yield PastMatch(
            f"match {number}", "duel", number * DAY / 5, Result(sides, 600.0, variant=rng.choice(["", "x"]))
        )


def one_by_one(system, pasts):
    """The chances of decided pairs, and the states, by the scalar face alone."""
    chances, skills, last, counts = [], {}, {}, Counter()
    for match in pasts:
        teams = tuple(
            Team(
                tuple(
                    replace(
                        player, skill=skills.get(player.id, system.newcomer()), matches=counts[player.id],
                        idle_days=max(0.0, match.ended_at - last.get(player.id, match.ended_at)) / DAY,
                    )
                    for player in team.players
                ),
                team.place, team.score,
            )
            for team in match.result.teams
        )  # fmt: skip
        result = system.attended(replace(match.result, teams=teams))
        teams = result.teams
        places = effective_places(result, check_result(system, result))
        for one, other in combinations(range(len(teams)), 2):
            if places[one] != places[other]:
                chances.append(system.win_probability([teams[one].players, teams[other].players])[0])
        rated, system = system.rate(result), system.after(result)
        for team, own in zip(teams, rated, strict=True):
            for player, skill in zip(team.players, own, strict=True):
                skills[player.id], last[player.id] = skill, match.ended_at
                counts[player.id] += 1
    return chances, {("duel", player): system.to_state(skill) for player, skill in skills.items()}


@pytest.mark.parametrize(("key", "teams", "size"), [
    *[(key, 2, 1) for key in SYSTEMS], *[(key, 2, 3) for key in SYSTEMS if key not in ("glicko-2", "battle-points")],
    ("elo", 4, 2), ("trueskill", 3, 1), ("weng-lin", 3, 1), ("margin", 3, 2),
    ("margin:party", 2, 3), ("elo:alpha_matches", 2, 2), ("trueskill:temperature", 3, 2),
])  # fmt: skip
def test_a_replay_by_columns_predicts_what_the_scalar_face_does(key, teams, size):
    changed = {"margin:party": {"party": 0.1}, "elo:alpha_matches": {"alpha_matches": 9},
               "trueskill:temperature": {"temperature": 1.5}}  # fmt: skip
    system = get_system(key.partition(":")[0], changed.get(key))
    pasts = list(random_history(3, 130, teams, size))
    expected = one_by_one(system, pasts)
    found = replayed(system, pasts[:60], pasts[60:61], pasts[61:])
    assert alike((found.chances, found.states), expected)
