"""Every worked case of the project's shared file whose system is registered, through the calculator."""

import json

import pytest

from ranking.systems.calculation import rate_line
from ranking.systems.registry import SYSTEMS
from tests.support.paths import SHARED

VECTORS = SHARED / "vectors" / "ratings-staying.jsonl"


def lines():
    if not VECTORS.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"the worked cases aren't here: {VECTORS}"))]
    cases = [json.loads(line) for line in VECTORS.read_text().splitlines()]
    return [pytest.param(case, id=case["id"]) for case in cases if case["system"] in SYSTEMS]


@pytest.mark.parametrize("case", lines())
def test_worked_case(case):
    answer, expected, tolerance = rate_line(case), case["expected"], case["tolerance"]
    if "error" in expected:
        assert list(answer) == ["error"]
        return
    assert "error" not in answer, answer
    for team, expected_team, team_in in zip(answer["teams"], expected["teams"], case["teams"], strict=True):
        if "win_probability" in expected_team:
            chance = expected_team["win_probability"]
            assert team["win_probability"] == (chance if chance is None else pytest.approx(chance, abs=1e-8))
        players = zip(team["players"], expected_team["players"], team_in["players"], strict=True)
        for player, expected_player, player_in in players:
            assert player["id"] == player_in["id"]
            assert player["display"] == expected_player["display"]
            assert player["skill"].keys() == expected_player["skill"].keys()
            for name, value in expected_player["skill"].items():
                close = value if tolerance == 0 else pytest.approx(value, rel=tolerance, abs=0)
                assert player["skill"][name] == close, name
