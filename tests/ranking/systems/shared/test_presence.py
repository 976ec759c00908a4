"""Who was there for how much of a match, and who was safe to leave it: in a match, and in a plan."""

import math

import numpy as np
import pytest

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.history import history_of
from ranking.systems.batch.plan import plan_of
from ranking.systems.shared.presence import attended
from ranking.systems.shared.rules import duration_of, effective_places, left_whole, played


def player(name, seconds=None, joined_at=None, rounds_played=None):
    """ "b*": player b, who left early."""
    return Entrant(name.rstrip("*"), 0, seconds, name.endswith("*"), joined_at=joined_at, rounds_played=rounds_played)


def match(*teams, duration=600, rounds=None):
    """A match of these teams, the first of which won."""
    return Result(tuple(Team(tuple(team), place) for place, team in enumerate(teams, 1)), duration, rounds)


def shares(result):
    return [[p.share for p in team.players] for team in attended(result).teams]


def left(result):
    return {p.id for team in attended(result).teams for p in team.players if p.left_early}


def facts_of(result):
    ids = {p.id: number for number, p in enumerate(p for team in result.teams for p in team.players)}
    history = history_of([result], ids)
    return Facts(history, plan_of(history, np.zeros(1, bool)), counts_shares=True)


WHOLE = [player("x")]


@pytest.mark.parametrize(
    ("team", "expected"),
    [
        ([player("a"), player("b")], [1, 1]),
        ([player("a"), player("b", 300), player("c", 300)], [1, 0.5, 0.5]),
        ([player("a"), player("b", 900)], [1, 1]),
        ([player("a"), player("b", joined_at=450)], [1, 0.25]),
        ([player("a"), player("b", 150, joined_at=400)], [1, 0.25]),  # gone again before the end
        ([player("a"), player("b", rounds_played=3)], [1, 0.25]),
        ([player("a"), player("b", 300, rounds_played=3)], [1, 0.5]),  # seconds come first
        ([player("a"), player("b", 0)], [1, 0.0001]),
        ([player("a*", 60), player("b", 60)], [1, 0.1]),  # leavers keep their rules, and hold the team
        ([player("a", 60)], [1]),  # alone, one is as good as a full player
        ([player("a", 60), player("b", 240)], [0.2, 0.8]),
    ],
)
def test_shares(team, expected):
    result = match(team, WHOLE, rounds=12)
    assert shares(result)[0] == pytest.approx(expected)
    share = facts_of(result).share
    assert (np.ones(len(team)) if share is None else share[: len(team)]).tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("duration", "teams", "length"),
    [
        (None, ([player("a", 500)], [player("b", 200, joined_at=400)]), 600),
        (500, ([player("a", 500)], [player("b", 200, joined_at=400)]), 500),
        (None, ([player("a")], [player("b", joined_at=400)]), None),
    ],
)
def test_the_duration_is_the_longest_presence(duration, teams, length):
    result = match(*teams, duration=duration)
    assert duration_of(result) == length
    assert facts_of(result).duration.item() == pytest.approx(math.nan if length is None else length, nan_ok=True)


@pytest.mark.parametrize(
    ("teams", "gone"),
    [
        (([player("a*", 500)], [player("x*", 400), player("y*", 450)]), {"x", "y"}),
        (([player("a*", 450)], [player("x*", 400), player("y*", 450)]), {"a", "x", "y"}),  # not strictly after
        (([player("a*", 500)], [player("x*", 400), player("y")]), {"a", "x"}),
        (([player("a*", 500)], [player("x*", 400), player("y", 90, joined_at=300)]), {"x"}),
        (([player("a*", 500)], [player("x*", 400), player("y", 90)]), {"a", "x"}),  # nobody knows when y was there
        (([player("a*", 500)], [player("x*", 150, joined_at=400)]), {"a"}),
        (([player("a*", 500)], [player("b*", 400)], [player("c*", 300)]), {"b", "c"}),  # the last one there stayed
        (([player("a*", 600)], [player("x")]), set()),  # with all seconds
        (([player("a*", 0)], [player("x")]), {"a"}),
        (([player("a*")], [player("x*", 30)]), {"x"}),
    ],
)
def test_safe_to_leave(teams, gone):
    result = match(*teams)
    assert left(result) == gone
    ids = [p.id for team in teams for p in team]
    assert {name for name, flag in zip(ids, facts_of(result).left.tolist(), strict=True) if flag} == gone
    stayed = [p for team in attended(result).teams for p in team.players if p.id not in gone and p.joined_at is None]
    assert all(played(p, 600) == p.share or p.seconds < 600 for p in stayed)


def test_who_was_safe_has_all_seconds():
    result = match([player("a*", 400, joined_at=100)], [player("x*", 400)])
    safe = attended(result).teams[0].players[0]
    assert (safe.seconds, safe.joined_at, safe.share) == (600, None, 1)
    assert facts_of(result).seconds.tolist() == [600, 400]


@pytest.mark.parametrize(
    ("teams", "whole", "places"),
    [
        (([player("a*", 300), player("b", 149)], [player("x")]), (True, False), (3, 2)),
        (([player("a*", 300), player("b", 150)], [player("x")]), (False, False), (1, 2)),
        (([player("a", 300), player("b", 149)], [player("x")]), (False, False), (1, 2)),  # nobody left
        (([player("a*", 300), player("b", 1)], [player("x*", 300)]), (True, True), (1, 2)),  # b is rated as reported
        (([player("a*", 300)], [player("x*", 300)]), (True, True), (3, 3)),
    ],
)
def test_a_team_that_left_whole(teams, whole, places):
    result = attended(match(*teams))
    assert tuple(map(left_whole, result.teams)) == whole
    assert effective_places(result, (1, 2)) == places
    facts = facts_of(match(*teams))
    assert tuple(facts.left_whole.tolist()) == whole
    order = np.argsort(np.argsort(facts.effective_place, kind="stable"), kind="stable")
    assert order.tolist() == np.argsort(np.argsort(places, kind="stable"), kind="stable").tolist()


def test_presence_is_known_once():
    result = attended(match([player("a", 60), player("b", 60)], WHOLE))
    assert attended(result) is result
