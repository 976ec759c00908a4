"""Every worked case of the project's shared file whose system is registered, through the calculator."""

import json

import pytest

from ranking.systems.calculation import rate_line
from ranking.systems.registry import SYSTEMS
from tests.support.paths import SHARED

VECTORS = [SHARED / "vectors" / name for name in ("ratings-played.jsonl", "margin.jsonl")]
# The systems that count part-time players.
BY_SHARES = ("team-ratio", "two-layer", "elo", "trueskill", "weng-lin", "battle-points", "glicko-2")
# Matches of margin that somebody was safe to leave, which the cases don't know yet; and one in which four sides share a
# place, which is in test_ties.py.
LEFT_OUT = ("m-leavers-6", "m-both-gone-1", "ts-last-of-five")


def lines():
    for file in VECTORS:
        if not file.exists():
            yield pytest.param(None, marks=pytest.mark.skip(reason=f"the worked cases aren't here: {file}"))
            continue
        cases = [json.loads(line) for line in file.read_text().splitlines()]
        yield from [pytest.param(case, id=case["id"]) for case in cases if case["system"] in SYSTEMS and counts(case)]


def counts(case):
    """Does the system take part-time players as the case has them?"""
    players = [player for team in case["teams"] for player in team["players"]]
    longest = case.get("duration") or max((player.get("seconds", 0) for player in players), default=0)
    part_time = any(
        player.get("seconds", longest) < longest
        or player.get("rounds_played", case.get("rounds")) != case.get("rounds")
        for player in players
        if not player.get("left_early")
    )
    return (case["system"] in BY_SHARES or not part_time) and case["id"] not in LEFT_OUT


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
