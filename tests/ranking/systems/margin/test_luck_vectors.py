"""Worked cases of luck, made by a second implementation from the text of the formula alone, through the calculator."""

import json
from pathlib import Path

import pytest

from ranking.systems.calculation import rate_line, read_line
from tests.ranking.systems.test_vectors import numbers
from tests.support.batch_histories import check_replay

FILE = Path(__file__).with_name("luck.jsonl")
CASES = [json.loads(line) for line in FILE.read_text().splitlines()]
by_case = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])


@by_case
def test_worked_case(case):
    answer, expected, tolerance = rate_line(case), case["expected"], case["tolerance"]
    assert "error" not in answer, answer
    players = [player.pop("id") for team in answer["teams"] for player in team["players"]]
    assert players == [player["id"] for team in case["teams"] for player in team["players"]]
    got, wanted = numbers(answer), numbers(expected)
    assert got.keys() == wanted.keys()
    for path, value in wanted.items():
        close = pytest.approx(value, rel=tolerance, abs=tolerance) if isinstance(value, float) else value
        assert got[path] == close, path


@by_case
def test_a_worked_case_at_once(case):
    system, result = read_line(case)
    start = {player.id: system.to_state(player.skill) for team in result.teams for player in team.players}
    check_replay([(0, system)], [result], start)
