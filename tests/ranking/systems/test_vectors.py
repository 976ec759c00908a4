"""Every worked case of the project's shared files whose system is registered, through the calculator."""

import json

import pytest

from ranking.systems.calculation import rate_line, read_line
from ranking.systems.registry import SYSTEMS
from tests.support.batch_histories import check_replay
from tests.support.paths import SHARED

VECTORS = [SHARED / "vectors" / name for name in ("ratings-played.jsonl", "margin-played.jsonl")]
LEFT_OUT = ("ts-last-of-five",)  # in it four sides share a place: it is in test_ties.py


def lines():
    for file in VECTORS:
        if not file.exists():
            yield pytest.param(None, marks=pytest.mark.skip(reason=f"the worked cases aren't here: {file}"))
            continue
        cases = [json.loads(line) for line in file.read_text().splitlines()]
        yield from [
            pytest.param(case, id=case["id"])
            for case in cases
            if case["system"] in SYSTEMS and case["id"] not in LEFT_OUT
        ]


def numbers(value, path=""):
    """The numbers in JSON, by their paths."""
    if not isinstance(value, dict | list):
        return {path: value}
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    return {name: number for key, part in parts for name, number in numbers(part, f"{path}/{key}").items()}


@pytest.mark.parametrize("case", list(lines()))
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
    if "mode_state" in expected:
        assert numbers(answer["mode_state"]) == pytest.approx(numbers(expected["mode_state"]), rel=tolerance)


@pytest.mark.parametrize(
    "case", [case for case in lines() if "error" not in (case.values[0] or {}).get("expected", ())]
)
def test_a_worked_case_at_once(case):
    system, result = read_line(case)
    start = {player.id: system.to_state(player.skill) for team in result.teams for player in team.players}
    check_replay([(0, system)], [result], start)
