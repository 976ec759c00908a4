"""Replayed at once = lived match by match, for every system."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Entrant, Refused, Result, State, Team
from ranking.systems.batch.history import history_of
from ranking.systems.batch.states import newcomers, states_of
from ranking.systems.registry import KERNELS, SYSTEMS, get_system
from ranking.systems.replay._system_run import SystemRun
from ranking.systems.replay.replaying import replay
from tests.support.batch_histories import by_shares, check_replay, histories, history
from tests.support.examples import examples
from tests.support.strategies import MATCHES_OF

EVERY = pytest.mark.parametrize("key", SYSTEMS)


def knobs_of(key):
    """The most that a system takes."""
    _, most_teams, (_, most_players) = MATCHES_OF[key]
    return {"teams": (2, most_teams), "sizes": (1, min(4, most_players))}


def ids_of(results):
    return sorted({player.id for result in results for team in result.teams for player in team.players})


@EVERY
@examples(40, deadline=None)
@given(st.data())
def test_random_histories(key, data):
    check_replay([(0, get_system(key))], data.draw(histories(**knobs_of(key))))


@EVERY
@examples(40, deadline=None)
@given(st.data())
def test_part_time_players(key, data):
    check_replay([(0, by_shares(key))], data.draw(histories(**knobs_of(key))))


@EVERY
@examples(25, deadline=None)
@given(st.data())
def test_extreme_skills_at_the_start(key, data):
    system, (skills, _, _) = get_system(key), MATCHES_OF[key]
    results = data.draw(histories(matches=4, **knobs_of(key)))
    check_replay([(0, system)], results, {name: system.to_state(data.draw(skills)) for name in ids_of(results)})


@EVERY
@pytest.mark.parametrize("scalar_below", [0, None])
def test_a_long_history(key, scalar_below):
    results = history(key, matches=300, players=60, leaving=0.05, **knobs_of(key))
    check_replay([(0, get_system(key))], results, scalar_below=scalar_below)


@pytest.mark.parametrize(
    ("key", "params"),
    [
        ("trueskill", {"draw_probability": 0.0}),
        ("trueskill", {"tau": 2.0, "beta": 0.5, "temperature": 3.0, "draw_probability": 0.6}),
        ("elo", {"scale_by_time": True, "alpha": 0.3, "beta": 40.0, "start": 1500.0}),
        ("two-layer", {"amplify_losses": True, "party_bonus": 1.5, "tau": 1.0}),
        ("two-layer", {"tau": 5.0, "tau_by_sigma": True}),
        ("two-layer", {"cap_win": 30.0, "cap_loss": 20.0, "performance": 1.0, "mmr": 4600}),
        ("battle-points", {"floor": 990, "brackets": [[1000, 50, 3], [None, 10, 1]]}),
        ("glicko-2", {"tau": 1.2, "period_days": 3.5}),
        ("glicko-2", {"period_days": None}),
        ("elo", {"alpha_matches": 30, "alpha_first": 0.3}),
        ("battle-points", {"provisional_matches": 20, "provisional_k": 90.0}),
        ("two-layer", {"favourite_relief": 0.8, "amplify_losses": True}),
        ("two-layer", {"favourite_relief": 1.0}),
        ("margin", {"win_never_costs": False, "party": 0.2}),
        ("margin", {"practice_in_defeat": True, "impact_stat": "kills"}),
        ("margin", {"impact_stat": "kills", "sigma": 0.8, "slope": 3.0}),
        ("margin", {"impact_stat": "kills", "win_never_costs": False, "tau_day": 0.1, "caution": 1.0}),
        ("margin", {"staying_is_better": False, "worth": 0.0, "impact_stat": "deaths"}),
        ("team-ratio", {"staying_is_better": False}),
        ("trueskill", {"staying_is_better": False}),
        ("trueskill", {"ties": "chain"}),
        ("trueskill", {"win_never_costs": True, "tau": 2.0}),
        ("weng-lin", {"ties": "chain"}),
        ("weng-lin", {"win_never_costs": True, "tau": 2.0}),
        ("two-layer", {"staying_is_better": False}),
    ],
)
def test_parameters(key, params):
    knobs = {**knobs_of(key), "even": True}
    results = history("parameters", matches=80, players=20, draws=0.2, leaving=0.2, **knobs)
    check_replay([(0, get_system(key, params))], results)


@EVERY
def test_parameters_that_change_on_the_way(key):
    """Newcomers enter by those in force when they first play; a segment's end is no one's but the parameters'."""
    later = {"elo": {"start": 40.0}, "trueskill": {"mu": 30.0, "tau": 0.5}, "battle-points": {"start": 1300}}
    system, changed = get_system(key, {"staying_is_better": False}), get_system(key, later.get(key))
    results = history("segments", matches=40, players=30, **knobs_of(key))
    check_replay([(0, system), (1, system), (7, changed), (7, system), (25, changed)], results)


def sides(*sizes, place=lambda number: number + 1, first=0):
    """A result of teams of these sizes, in order of their places, of players from the number `first` on."""
    names = iter(range(first, first + sum(sizes)))
    return Result(
        tuple(
            Team(tuple(Entrant(f"{next(names):04}", None) for _ in range(size)), place=place(number))
            for number, size in enumerate(sizes)
        )
    )


@pytest.mark.parametrize("key", [key for key in SYSTEMS if MATCHES_OF[key][1] > 2])
@pytest.mark.parametrize(
    "result",
    [
        pytest.param(sides(100, 100), id="a hundred a side"),
        pytest.param(sides(*[1] * 200), id="two hundred, everyone for themselves"),
        pytest.param(sides(*[1] * 200, place=lambda number: 1 + number // 9), id="with ties"),
        pytest.param(sides(1, 50, 3, 3, 20), id="uneven"),
    ],
)
def test_very_many_players(key, result):
    small = sides(2, 2)
    check_replay([(0, get_system(key))], [small, result, result, small])


@pytest.mark.parametrize("key", [key for key in SYSTEMS if MATCHES_OF[key][2][1] > 1])
def test_small_matches_beside_large_ones(key):
    results = [
        sides(1, 1),
        sides(100, 99, first=100),
        sides(4, 5, first=300),
        sides(7, 4, first=400),
        sides(1, 2, first=500),
    ]
    check_replay([(0, get_system(key))], [*results, *results])


def test_elo_of_more_players_than_its_kernel_takes():
    check_replay([(0, get_system("elo"))], [sides(*[1] * 260), sides(130, 130)])


@pytest.mark.parametrize("size", [1, 3, 100])
def test_team_ratio_is_exact_however_high_the_ranks(size):
    ranks = [100, 999_999_999_999, 10**15 + 1, 2**53 + 1, 10**17 + 3, 2**63 - 1]
    results = [sides(size, size), sides(size, size, place=lambda number: 2 - number), sides(size, size)]
    for high in ranks:
        start = {name: State(high - (int(name) % 7 if high > 200 else 0)) for name in ids_of(results)}
        check_replay([(0, get_system("team-ratio"))], results, start)


def test_close_calls_are_settled_by_the_scalar_face():
    """25.005 is a little less in binary, its decimal isn't. Who plays on has a match more to be rated again."""
    start = {f"{number:04}": State(2501, mu=25.005) for number in range(4)}
    tie = sides(1, 1, place=lambda _: 1)
    got = check_replay([(0, get_system("elo"))], [tie, tie, sides(2, 2), tie, sides(1, 2)], start)
    assert got.after.display_hundredths[:4].tolist() == [2501] * 4


@pytest.mark.parametrize("key", [system.key for system in KERNELS])
def test_kernels_rate_nearly_everything(key):
    """Otherwise all that is tested here is the scalar face against itself."""
    knobs = {**knobs_of(key), "even": True} | ({"teams": (2, 2)} if key == "weng-lin" else {})
    results = history("kernels", matches=200, players=300, **knobs)
    ids = {name: number for number, name in enumerate(ids_of(results))}
    states = newcomers(len(ids))
    states.put(np.arange(len(ids)), get_system(key).to_state(get_system(key).newcomer()))
    part = SystemRun(get_system(key), history_of(results, ids), states, scalar_below=0)
    part.rate()
    assert part.rated_scalar.mean() < 0.15


@pytest.mark.parametrize(
    ("key", "result", "message"),
    [
        ("team-ratio", sides(1, 1, 1), "team-ratio rates results of exactly 2 teams, and this one has 3."),
        ("glicko-2", sides(2, 1), "glicko-2 is only for one against one."),
        ("elo", sides(1, 1, place=lambda _: None), "elo needs a place for every team, or a score for every team."),
        ("elo", sides(1, 1, place=lambda number: number or None), "elo needs a place for every team or for none"),
        (
            "trueskill",
            Result((Team((Entrant("0000", None, seconds=-1),), 1), Team((Entrant("0001", None),), 2))),
            "trueskill can't rate -1.0 seconds in game of player '0'.",
        ),
    ],
)
def test_what_the_system_refuses_is_refused(key, result, message):
    good = sides(1, 1)
    with pytest.raises(Refused, match=message.replace(".", r"\.")):
        replay(
            [(0, get_system(key))], history_of([good, result, good], {"0000": 0, "0001": 1, "0002": 2}), newcomers(3)
        )


def test_a_state_of_another_system_is_refused():
    with pytest.raises(Refused, match="trueskill needs a state with mu and sigma"):
        replay(
            [(0, get_system("trueskill"))],
            history_of([sides(1, 1)], {"0000": 0, "0001": 1}),
            states_of([State(100), None]),
        )


def test_who_does_not_play_stays_unknown_and_the_start_is_not_changed():
    start = states_of([None, State(2600, mu=26.0), None])
    got = replay([(0, get_system("elo"))], history_of([sides(1, 1)], {"0000": 0, "0001": 1}), start)
    assert got.final.known.tolist() == [True, True, False]
    assert start.known.tolist() == [False, True, False]
    assert start[1] == State(2600, mu=26.0)


def test_no_matches():
    got = replay([(0, get_system("elo"))], history_of([], {}), newcomers(2))
    assert (len(got.after), len(got.chance), got.final.known.any()) == (0, 0, False)


def test_segments_begin_with_match_0():
    with pytest.raises(ValueError, match="begins with match 0"):
        replay([(1, get_system("elo"))], history_of([sides(1, 1)], {"0000": 0, "0001": 1}), newcomers(2))
