"""What every system owes to players, on random matches by Hypothesis; longer runs are in test_long_runs.py."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.matches.rating import forfeit_result
from ranking.systems.base import Entrant, Result, Team
from ranking.systems.registry import SYSTEMS, get_system
from tests.support.batch_histories import check_replay
from tests.support.examples import examples
from tests.support.promises import check, numbers, pairs
from tests.support.strategies import MATCHES_OF, matches_of

STATS = st.dictionaries(st.sampled_from(["kills", "deaths", "revives"]), st.integers(0, 40))


def seats(result):
    return [(team, player) for team in result.teams for player in team.players]


def skills(system, result):
    return [skill for team in system.rate(result) for skill in team]


def display_of(system, result, player):
    """The display rating after the match."""
    [skill] = [s for (_, p), s in zip(seats(result), skills(system, result), strict=True) if p is player]
    return system.display(skill)


def with_stats(data, result):
    """The same match with stats of some players; and with rounds."""
    some = data.draw(st.booleans())
    teams = (
        Team(tuple(replace(p, stats=data.draw(STATS) if some else {}) for p in t.players), t.place)
        for t in result.teams
    )
    return Result(tuple(teams), result.duration, rounds=data.draw(st.sampled_from([None, 10])))


def changed(result, player, instead, *, place, team):
    """The same match with another player in one's place, and with their team in another place; the same duration."""
    seconds = [p.seconds for _, p in seats(result) if p.seconds is not None]
    teams = (
        Team(tuple(instead if p is player else p for p in t.players), place if t is team else t.place)
        for t in result.teams
    )
    return Result(
        tuple(teams), max(seconds, default=None) if result.duration is None else result.duration, result.rounds
    )


EVERY = pytest.mark.parametrize("key", SYSTEMS)
FEWER = examples(30)  # for each of the systems
UNHURRIED = examples(30, deadline=None)  # each example rates a match several times


def test_every_system_is_tried():
    assert MATCHES_OF.keys() == SYSTEMS.keys()


@EVERY
@FEWER
@given(st.data())
def test_a_leavers_display_rating_never_rises(key, data):
    check(get_system(key), data.draw(matches_of(key)))


@EVERY
@UNHURRIED
@given(st.data())
def test_leaving_is_never_better_than_staying_and_coming_last(key, data):
    """With any stats; whole points of two-layer are shared out among team-mates, which may move one.

    With shares it holds if it is decided once who was free to leave: see test_part_time.py.
    """
    system, result = get_system(key, {"counts_shares": False}), with_stats(data, data.draw(matches_of(key)))
    team, player = data.draw(st.sampled_from(seats(result)))
    leaves = replace(player, left_early=True)
    left = changed(result, player, leaves, place=team.place, team=team)
    stays = replace(player, seconds=None, left_early=False, stats=data.draw(STATS))
    stayed = changed(result, player, stays, place=1 + max(t.place for t in result.teams), team=team)
    assert display_of(system, left, leaves) <= display_of(system, stayed, stays) + (key == "two-layer")


@EVERY
@UNHURRIED
@given(st.data())
def test_dropping_out_is_never_better_than_losing_with_any_stats(key, data):
    """A forfeit against the same match played to its end, the scalar face and the batch face."""
    system, drawn = get_system(key), data.draw(matches_of(key, leavers=False))
    players = [player for _, player in seats(drawn)]
    numbers = iter(range(len(players)))
    teams = [[next(numbers) for _ in team.players] for team in drawn.teams]
    dropper = data.draw(st.sampled_from(range(len(players))))
    forfeit = forfeit_result(teams, dropper, lambda number: players[number].skill)
    [gone] = [player for _, player in seats(forfeit) if player.left_early]
    [own] = [team for team in forfeit.teams if gone in team.players]
    stays = replace(gone, seconds=None, left_early=False, stats=data.draw(STATS))
    lost = changed(forfeit, gone, stays, place=own.place, team=own)
    assert display_of(system, forfeit, gone) <= display_of(system, lost, stays)
    start = {str(number): system.to_state(player.skill) for number, player in enumerate(players)}
    for result in (forfeit, lost) if key in SYSTEMS else ():  # systems on trial have no batch face
        check_replay([(0, system)], [result], start)


@EVERY
@UNHURRIED
@given(st.data())
def test_nobody_elses_skill_changes_by_it(key, data):
    result = with_stats(data, data.draw(matches_of(key)))
    system, old = get_system(key), get_system(key, {"staying_is_better": False})
    for (_, player), new, before in zip(seats(result), skills(system, result), skills(old, result), strict=True):
        assert new == before or (player.left_early and system.display(new) < system.display(before))


@EVERY
@FEWER
@given(st.data())
def test_the_order_of_teams_and_players_does_not_matter(key, data):
    """But for whole points of two-layer: of players whose rounding errors tie, the first in the roster get one more.

    Such a point can also decide which of the two skills a leaver gets, the one by the rule for leavers or the one by
    staying and coming last. Then mu and sigma are others, but the MMR differs by that point at most.
    """
    system, result = get_system(key), data.draw(matches_of(key, most_teams=2))
    backwards = Result(tuple(Team(t.players[::-1], t.place) for t in result.teams[::-1]), result.duration)
    after = {player.id: numbers(system, skill) for player, skill in pairs(backwards, system.rate(backwards))}
    for player, skill in pairs(result, system.rate(result)):
        got, expected = after[player.id], numbers(system, skill)
        if key == "two-layer":
            (*got, got_mmr), (*expected, mmr) = got, expected
            assert abs(got_mmr - mmr) <= 1
            if player.left_early:
                continue
        assert got == pytest.approx(expected, rel=1e-9, abs=1e-9)


@EVERY
@FEWER
@given(st.data())
def test_swapping_the_teams_swaps_the_win_probability(key, data):
    system, result = get_system(key), data.draw(matches_of(key, most_teams=2))
    teams = [team.players for team in result.teams]
    p, q = system.win_probability(teams)
    assert 0 <= p <= 1
    assert p + q == pytest.approx(1, abs=1e-12)
    assert system.win_probability(teams[::-1]) == pytest.approx((q, p), abs=1e-12)


@EVERY
@FEWER
@given(st.data())
def test_the_win_probability_knows_nothing_of_the_match(key, data):
    system, result = get_system(key), data.draw(matches_of(key))
    before = [
        [Entrant(p.id, p.skill, party=p.party, idle_days=p.idle_days) for p in team.players] for team in result.teams
    ]
    assert system.win_probability([team.players for team in result.teams]) == system.win_probability(before)


@EVERY
@FEWER
@given(st.data())
def test_state_and_json_keep_every_skill_exactly(key, data):
    system, result = get_system(key), data.draw(matches_of(key))
    for _, skill in pairs(result, system.rate(result)):
        state = system.to_state(skill)
        assert system.from_state(state) == skill
        assert state.display_hundredths == system.display(skill) * 100
        assert system.read_skill(system.write_skill(skill)) == skill


@EVERY
@FEWER
@given(st.data())
def test_every_player_is_told_why(key, data):
    system, result = get_system(key), data.draw(matches_of(key))
    for _, factors in pairs(result, system.explain(result)):
        assert factors
        assert all(math.isfinite(f.value) and f.name and f.note.endswith(".") for f in factors)
        assert {f.kind for f in factors} <= {"stake", "share", "times", "amount", "floor", "number"}
        assert all(f.value != 1 for f in factors if f.kind == "times")
