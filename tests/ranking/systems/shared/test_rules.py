import math

import pytest

from ranking.systems.base import Entrant, Refused, Result, Team
from ranking.systems.registry import get_system
from ranking.systems.shared.rules import (
    alone_last,
    check_result,
    duration_of,
    effective_places,
    played,
    rate_with_leavers,
)

ELO, TEAM_RATIO = get_system("elo"), get_system("team-ratio")


class Duel:
    """Only the limits of a system that rates single players."""

    key, team_counts, max_team_size = "duel", (2, 2), 1


def team(players, place=None, score=None):
    """ "a b*": players a and b, of whom b left early."""
    return Team(
        tuple(Entrant(name.rstrip("*"), 0, left_early=name.endswith("*")) for name in players.split()),
        place,
        score,
    )


def result(*teams, **times):
    return Result(teams, **times)


@pytest.mark.parametrize(
    ("teams", "places"),
    [
        ([team("a", place=2), team("b", place=1)], (2, 1)),
        ([team("a", place=7), team("b", place=7)], (7, 7)),
        ([team("a", score=3), team("b", score=8)], (2, 1)),
        ([team("a", score=-1.5), team("b", score=-1.5), team("c", score=-2)], (1, 1, 3)),
        ([team("a", place=1, score=0), team("b", place=2, score=9)], (1, 2)),  # scores are only data
        ([team("a", place=1, score=0), team("b", place=2)], (1, 2)),
    ],
)
def test_places(teams, places):
    assert check_result(ELO, result(*teams)) == places


def entrants(**fields):
    return result(Team((Entrant("a", 0, **fields),), place=1), team("b", place=2))


@pytest.mark.parametrize(
    ("system", "match", "sentence"),
    [
        (ELO, result(), "elo rates results of at least 2 teams, and this one has 0."),
        (ELO, result(team("a", place=1)), "elo rates results of at least 2 teams, and this one has 1."),
        (
            TEAM_RATIO,
            result(team("a", 1), team("b", 2), team("c", 3)),
            "team-ratio rates results of exactly 2 teams, and this one has 3.",
        ),
        (
            ELO,
            result(team("a", place=1), team("", place=2)),
            "elo can't rate a team without players, and team 2 has none.",
        ),
        (
            ELO,
            result(team("a b", place=1), team("c a", place=2)),
            "elo can't rate a result in which player 'a' is listed twice.",
        ),
        (Duel, result(team("a b", 1), team("c", 2)), "duel is only for one against one."),
        (
            ELO,
            result(team("a", place=1), team("b", score=3)),
            "elo needs a place for every team or for none; only some have one here.",
        ),
        (ELO, result(team("a"), team("b")), "elo needs a place for every team, or a score for every team."),
        (
            ELO,
            result(team("a", score=1), team("b")),
            "elo needs a place for every team, or a score for every team.",
        ),
        (
            ELO,
            result(team("a", score=math.nan), team("b", score=1)),
            "elo needs scores that are finite numbers.",
        ),
        (
            ELO,
            result(team("a", place=0), team("b", place=1)),
            "elo counts places from 1, and here is a place 0.",
        ),
        (ELO, entrants(seconds=-1), "elo can't rate -1 seconds in game of player 'a'."),
        (ELO, entrants(seconds=math.nan), "elo can't rate nan seconds in game of player 'a'."),
        (
            ELO,
            result(team("a", 1), team("b", 2), duration=math.inf),
            "elo can't rate a match with a duration of inf seconds.",
        ),
    ],
)
def test_what_is_refused(system, match, sentence):
    with pytest.raises(Refused) as refused:
        check_result(system, match)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("duration", "seconds", "length", "share"),
    [
        (600, 300, 600, 0.5),
        (600, None, 600, 1),  # missing seconds are full time
        (600, 900, 600, 1),  # beyond the duration: clamped
        (None, 300, 300, 1),  # the largest seconds given
        (None, None, None, 1),  # unknown: present throughout
        (0, 0, 0, 1),  # of nothing, nobody missed anything
    ],
)
def test_time_in_game(duration, seconds, length, share):
    match = result(Team((Entrant("a", 0, seconds=seconds),), place=1), team("b", place=2), duration=duration)
    assert duration_of(match) == length
    assert played(match.teams[0].players[0], length) == share


@pytest.mark.parametrize(
    ("teams", "effective"),
    [
        ([team("a b*", 1), team("c", 2)], (1, 2)),
        ([team("a* b*", 1), team("c", 2)], (3, 2)),  # everyone left: last
        ([team("a*", 1), team("b", 2), team("c*", 1)], (3, 2, 3)),
    ],
)
def test_a_team_of_which_everyone_left_comes_last(teams, effective):
    match = result(*teams)
    assert effective_places(match, check_result(ELO, match)) == effective


def test_alone_last_is_the_match_had_nobody_left():
    left = Entrant("a", 5, seconds=10, left_early=True, rounds_played=1, weight=0.1, idle_days=3, party="x")
    match = result(Team((left,), place=1), team("b* c", 1), duration=100, rounds=9)
    last = alone_last(match, (1, 1), 0)
    assert last.teams[0] == Team((Entrant("a", 5, idle_days=3, party="x"),), place=2)
    assert last.teams[1] == team("b c", place=1)
    assert (last.duration, last.rounds) == (100, 9)


def test_leavers_are_rated_as_last_and_who_stayed_by_the_places():
    def by_places(match):
        """A formula that gives everyone the places it saw, own first, and how many had left."""
        places = [t.place for t in match.teams]
        gone = sum(p.left_early for t in match.teams for p in t.players)
        return tuple(tuple((t.place, tuple(places), gone) for _ in t.players) for t in match.teams)

    match = result(team("a b*", 1), team("c*", 2), team("d", 3))
    assert rate_with_leavers(match, (1, 2, 3), by_places) == (
        ((1, (1, 4, 3), 2), (4, (4, 2, 3), 0)),
        ((4, (1, 4, 3), 0),),
        ((3, (1, 4, 3), 2),),
    )
