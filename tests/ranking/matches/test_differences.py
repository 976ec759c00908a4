"""A result that is sent again is the same one, or the answer names the field that differs."""

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from ranking.matches.recording import CONFLICT, KNOWN, RATED, record_results
from ranking.models import Match
from ranking.moderation.merges import merge_players
from ranking.players.players import find_player
from ranking.rules.report import PlayerReport, Report, TeamReport
from tests.support.factories import LATER, NOW, make_mode, make_source

pytestmark = pytest.mark.django_db
A = PlayerReport("a", seconds=600.0, stats={"kills": 3.0}, party="p", device="phone")
B = PlayerReport("b", left_early=True, seconds=100.0, absences=((0.0, 10.0),))
C = PlayerReport("c", joined_at=20.0, seconds=580.0)
D = PlayerReport("d", seconds=600.0, rounds_played=3)
ONE, TWO = TeamReport((A, B), "Red", 2.0), TeamReport((C, D), "Blue", 1.0)
SENT = Report(
    "m", "duel", NOW, (ONE, TWO), started_at=NOW - dt.timedelta(minutes=11), duration=600.0, rounds=3, variant="dust",
    server="s1", region="eu",
)  # fmt: skip


def first(**changes: Any) -> tuple[TeamReport, TeamReport]:
    return (replace(ONE, **changes), TWO)


def a_is(**changes: Any) -> tuple[TeamReport, TeamReport]:
    return first(players=(replace(A, **changes), B))


SAME = {
    "names of players": {"teams": a_is(name="Anna")},
    "names of teams": {"teams": first(name="The Reds")},
    "devices": {"teams": a_is(device="tablet")},
    "order of players": {"teams": first(players=(B, A))},
    "order of teams": {"teams": (TWO, ONE)},
    "all of that": {"teams": (replace(TWO, players=(D, C)), replace(ONE, players=(B, replace(A, name="Anna"))))},
}
DIFFERENT = {
    "ended_at": {"ended_at": NOW - dt.timedelta(seconds=1)},
    "started_at": {"started_at": None},
    "duration": {"duration": 601.0},
    "rounds": {"rounds": 4},
    "variant": {"variant": "nuke"},
    "server": {"server": "s2"},
    "region": {"region": ""},
    "lobby": {"lobby": "x"},
    "mode": {"mode": "other"},
    "teams[0].score": {"teams": first(score=3.0)},
    "teams[1].score": {"teams": (ONE, replace(TWO, score=None))},
    "teams[0].place": {"teams": (replace(ONE, place=1), replace(TWO, place=2))},
    "teams[0].players[1].id": {"teams": first(players=(A, PlayerReport("e")))},
    "teams[0].players": {"teams": first(players=(A,))},
    "teams": {"teams": (ONE,)},
    "teams[0].players[0].seconds": {"teams": a_is(seconds=599.0)},
    "teams[0].players[0].stats": {"teams": a_is(stats={"kills": 3.0, "deaths": 1.0})},
    "teams[0].players[0].party": {"teams": a_is(party="")},
    "teams[0].players[0].left_early": {"teams": a_is(left_early=True)},
    "teams[0].players[0].joined_at": {"teams": a_is(joined_at=1.0)},
    "teams[0].players[1].absences": {"teams": first(players=(A, replace(B, absences=((0.0, 11.0),))))},
    "teams[1].players[1].rounds_played": {"teams": (ONE, replace(TWO, players=(C, replace(D, rounds_played=2))))},
}


def send(*reports: Report) -> list[tuple[str, str]]:
    return [(one.state, one.differs) for one in record_results(reports, source=make_source(), now=NOW)]


@pytest.mark.parametrize("at_once", [True, False])
def test_the_same_result_and_others(at_once: bool, subtests: pytest.Subtests) -> None:
    make_mode()
    make_mode("other")
    cases = [(name, change, (KNOWN, "")) for name, change in SAME.items()]
    cases += [(path, change, (CONFLICT, path)) for path, change in DIFFERENT.items()]
    assert at_once or send(SENT) == [(RATED, "")]
    for number, (name, change, wanted) in enumerate(cases):
        with subtests.test(name=name):
            again = replace(SENT, **change)
            if at_once:  # in the same batch
                again, own = replace(again, id=f"m-{number}"), replace(SENT, id=f"m-{number}")
                assert send(own, again) == [(RATED, ""), wanted]
            else:
                assert send(again) == [wanted]
    assert Match.objects.count() == (len(cases) if at_once else 1)


def test_a_mode_whose_lowest_score_wins() -> None:
    make_mode("race", least_is_best=True)
    teams = (TeamReport((PlayerReport("a"),), score=61.5), TeamReport((PlayerReport("b"),), score=60.0))
    sent = Report("m", "race", NOW, teams)
    assert send(sent) == [(RATED, "")]
    assert send(replace(sent, teams=teams[::-1])) == [(KNOWN, "")]
    faster = replace(sent, teams=(replace(teams[0], score=59.0), teams[1]))
    assert send(faster) == [(CONFLICT, "teams[0].score")]


def test_a_player_who_was_merged_since() -> None:
    make_mode()
    assert send(SENT) == [(RATED, "")]
    send(
        Report("n", "duel", NOW, (TeamReport((PlayerReport("x"),), place=1), TeamReport((PlayerReport("y"),), place=2)))
    )
    kept, merged = find_player("x"), find_player("a")
    assert kept is not None
    assert merged is not None
    merge_players(kept, merged, by=None, reason="One person.", now=LATER)
    assert send(replace(SENT, teams=a_is(name="Anna"))) == [(KNOWN, "")]


def test_as_many_queries_for_any_number_of_players(django_assert_num_queries: Any) -> None:
    make_mode()
    send(SENT)
    with django_assert_num_queries(9 if connection.vendor == "postgresql" else 8):  # one shares the mode
        send(replace(SENT, teams=(TWO, ONE)))
