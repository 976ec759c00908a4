# ruff: noqa: E501 - one case a line, whole sentences
"""POST /api/v1/rate/: the calculator, for anyone; the same answers as `manage.py rate`."""

import json
from itertools import count

import pytest
from django.test import Client

from ranking.api.views.calculator_schema import LinePlayerSerializer, LineSerializer, LineTeamSerializer
from ranking.systems.calculation import LINE_KEYS, PLAYER_KEYS, TEAM_KEYS, rate_line
from ranking.systems.registry import SYSTEMS
from tests.support.api import call, counts
from tests.support.calculator import LINE


def line_of(*sizes, system="elo", **player):
    names = count()
    return {
        "system": system,
        "teams": [
            {"place": place, "players": [{"id": str(next(names)), "skill": None, **player} for _ in range(size)]}
            for place, size in enumerate(sizes, 1)
        ],
    }


def rate(body):
    return call("POST", "rate/", body)


@pytest.mark.parametrize("key", SYSTEMS)
def test_one_line_is_answered_as_the_command_does(key):
    line = line_of(1, 1, system=key)
    assert (rate(line).status, rate(line).body) == (200, rate_line(line))


def test_lines_answer_for_themselves_in_order():
    bad = {**LINE, "system": "elk"}
    assert rate({"lines": [LINE, bad, 7, LINE]}).body == {"lines": [rate_line(line) for line in (LINE, bad, 7, LINE)]}


@pytest.mark.django_db
def test_nothing_is_written_and_no_query_sent(django_assert_num_queries):
    before = counts()
    with django_assert_num_queries(0):
        assert rate(LINE).status == 200
    assert counts() == before


def with_player(**fields):
    line = json.loads(json.dumps(LINE))
    line["teams"][1]["players"][0].update(fields)
    return line


PLAYER = "teams[1].players[0]"
SYSTEM_KEYS = ", ".join(SYSTEMS)


def test_what_is_refused_names_its_field(subtests):
    for body, field, detail in [
        ({}, "system", "This must be a string that isn't empty, not None."),
        ([LINE], "", f"This must be an object, not {str([LINE])[:57]}…."),
        ({**LINE, "system": "elk"}, "system", f"There is no rating system 'elk'; choose one of {SYSTEM_KEYS}."),
        ({**LINE, "sistem": 1}, "", "This has an unknown field 'sistem'; known are system, params, duration, rounds, variant, mode_state, teams."),
        ({**LINE, "params": {"alpha": "x"}}, "params.alpha", "This must be a number, not 'x'."),
        ({**LINE, "params": {"alfa": 1}}, "params", "elo has no parameter 'alfa'; it has alpha, beta, start, scale_by_time, alpha_first, alpha_matches, staying_is_better, counts_shares."),
        ({**LINE, "duration": 1e300}, "duration", "This must be at most 1e+12, not 1e+300."),
        ({**LINE, "teams": LINE["teams"][:1]}, "", "elo rates results of at least 2 teams, and this one has 1."),
        (with_player(id="a"), "", "elo can't rate a result in which player 'a' is listed twice."),
        (with_player(id="x" * 129), f"{PLAYER}.id", "This must have at most 128 characters, not 129."),
        (with_player(id="\ud800"), f"{PLAYER}.id", "This must be text, and '\\ud800' has half of a surrogate pair."),
        (with_player(seconds=-1), f"{PLAYER}.seconds", "This must be at least 0, not -1."),
        (with_player(stats={"kills": None}), f"{PLAYER}.stats.kills", "This must be a number, not None."),
        (with_player(stats={"\udfff": 1}), f"{PLAYER}.stats", "This must be text, and '\\udfff' has half of a surrogate pair."),
        (with_player(skill={"mu": 3}), f"{PLAYER}.skill", "This can't be read: elo skill has an unknown field 'mu'; known are rating."),
        (line_of(*[1] * 17), "teams", "This must be at most 16, not 17."),
        (line_of(100, 101), "teams", "This must have at most 200 players in all, not 201."),
        ({"lines": []}, "lines", "Send 1 to 100 lines; these are 0."),
        ({"lines": [LINE] * 101}, "lines", "Send 1 to 100 lines; these are 101."),
        ({"lines": LINE}, "lines", 'Send one line, or {"lines": [line, …]}.'),
        ({"lines": [LINE], "more": 1}, "lines", 'Send one line, or {"lines": [line, …]}.'),
        ({"lines": [line_of(*[1] * 16)] * 13}, "lines", "Send at most 200 teams and 200 players in all; these are 208 and 208."),
        ({"lines": [line_of(21, 21)] * 48}, "lines", "Send at most 200 teams and 200 players in all; these are 96 and 2,016."),
    ]:  # fmt: skip
        with subtests.test(field=field, detail=detail):
            answer = rate(body)
            code = "length" if "; these are " in detail else "invalid"
            assert (answer.status, answer.body["errors"]) == (400, [{"field": field, "code": code, "detail": detail}])


@pytest.mark.parametrize("key", ["elo", "trueskill", "weng-lin"])
def test_the_largest_that_is_answered(key):
    lines = [line_of(*[1] * 16, system=key, left_early=True, seconds=1) for _ in range(12)]
    assert {tuple(line) for line in rate({"lines": lines}).body["lines"]} == {("teams",)}


@pytest.mark.parametrize(
    ("body", "status"), [(b"{", 400), (b'{"system": NaN}', 400), (b'{"a": "' + b"x" * 1_000_000 + b'"}', 413)]
)
def test_a_body_that_cannot_be_read(body, status):
    assert rate(body).status == status


def test_only_post():
    assert Client().get("/api/v1/rate/").status_code == 405


@pytest.mark.parametrize(
    ("serializer", "keys"),
    [(LineSerializer, LINE_KEYS), (LineTeamSerializer, TEAM_KEYS), (LinePlayerSerializer, PLAYER_KEYS)],
)
def test_the_schema_names_what_is_read(serializer, keys):
    assert tuple(serializer().fields) == keys
