"""The replay: what is predicted, from which skills, and what is left when it ends."""

import pytest

from ranking.evaluation.core.replay import replay
from ranking.evaluation.core.trials import Trial, chunk_size
from ranking.systems.base import Entrant, Refused, Result, Team
from ranking.systems.registry import SYSTEMS, get_system
from tests.support.past_matches import DAY, past

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
    assert list(replay(ELO, pasts, {}).won) == won


def test_a_match_is_predicted_from_the_skills_before_it():
    states = {}
    first, second = replay(ELO, [past("a", "b"), past("b", "a")], states).chances
    assert first == 0.5
    assert second < 0.5
    before = ELO.newcomer()
    rated = ELO.rate(Result((Team((Entrant("a", before),), 1), Team((Entrant("b", before),), 2))))
    told = [Entrant("b", rated[1][0])], [Entrant("a", rated[0][0])]
    assert second == ELO.win_probability(told)[0]


def test_the_same_name_in_two_pools_is_two_players():
    chances = replay(ELO, [past("a", "b"), past("a", "b", pool="squad")], {}).chances
    assert list(chances) == [0.5, 0.5]


@pytest.mark.parametrize("order", [[0, 10], [10, 0]])
def test_idle_days_count_from_the_last_match_that_ended(order):
    """Glicko-2 is surer of who played at once than of who rested; a late match makes nobody rest."""
    system, states = get_system("glicko-2"), {}
    replay(system, [past("a", "b", day=day) for day in order], states)
    rested = replay(system, [past("a", "b", day=order[1])], dict(states)), states["duel", "a"].skill.deviation
    again = {}
    replay(system, [past("a", "b"), past("a", "b")], again)
    assert (rested[1] > again["duel", "a"].skill.deviation) == (order == [0, 10])
    assert states["duel", "a"].last_ended_at == 10 * DAY


def test_a_refusal_names_the_match():
    with pytest.raises(Refused, match=r"^duels, line 3: glicko-2 rates teams of at most 1, and team 1 has 2\.$"):
        replay(get_system("glicko-2"), [past("ab", "cd", where="duels, line 3")], {})


@pytest.mark.parametrize("key", SYSTEMS)
def test_chunks_make_no_difference(key):
    system = get_system(key)
    pasts = [past(*pair, day=day) for day, pair in enumerate(["ab", "bc", "ca", "ab", "ca", "bc", "ab"])]
    whole, cut = {}, {}
    at_once = replay(system, pasts, whole)
    in_two = replay(system, pasts[:3], cut)
    in_two.extend(replay(system, pasts[3:], cut))
    assert (at_once, whole) == (in_two, cut)


def trial(pasts, total=None, **options):
    trial = Trial(ELO, total or len(pasts), **options)
    size = chunk_size(len(pasts))
    for start in range(0, len(pasts), size):
        trial.take(pasts[start : start + size])
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
