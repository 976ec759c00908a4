# ruff: noqa: E501 - one case a line, whole sentences
import copy
import json
import math

import pytest

from ranking.systems.base import Refused
from ranking.systems.calculation import calculate, rate_line
from ranking.systems.shared.fields import Malformed

LINE = {
    "system": "elo",
    "params": {},
    "duration": 600,
    "teams": [
        {"place": 1, "players": [{"id": "a", "skill": {"rating": 25.0}, "seconds": 600}]},
        {"place": 2, "players": [{"id": "b", "skill": None}]},
    ],
}


def changed(path, value):
    """LINE with the value at a path such as "teams.1.players.0.seconds" set; ... takes the key away."""
    line = copy.deepcopy(LINE)
    *parents, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = line
    for step in parents:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return line


def test_the_answer():
    assert rate_line(LINE) == {
        "teams": [
            {
                "win_probability": 0.5,
                "players": [{"id": "a", "skill": {"rating": 25.258482853257053}, "display": "25.26"}],
            },
            {
                "win_probability": 0.5,
                "players": [{"id": "b", "skill": {"rating": 24.741517146742947}, "display": "24.74"}],
            },
        ]
    }


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("id", "case-1"), ("source", 3), ("expected", {"x": 1}), ("tolerance", "any"),
        ("duration", None), ("duration", ...), ("params", None), ("params", ...), ("rounds", None), ("rounds", 9),
        ("teams.0.score", None), ("teams.0.score", -3), ("teams.0.players.0.seconds", None),
        ("teams.0.players.0.seconds", 900), ("teams.0.players.0.left_early", None), ("teams.0.players.0.weight", 0.5),
        ("teams.0.players.0.idle_days", 2), ("teams.0.players.0.party", "x"), ("teams.0.players.0.stats", {"kills": 3}),
        ("teams.0.players.0.rounds_played", 0), ("teams.0.players.0.skill.rating", 25),
    ],
)  # fmt: skip
def test_what_changes_nothing(path, value):
    assert rate_line(changed(path, value)) == rate_line(LINE)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("sistem", "elo", "The line has an unknown field 'sistem'; known are system, params, duration, rounds, variant, mode_state, teams."),
        ("teams.0.name", "Blue", "teams[0] has an unknown field 'name'; known are place, score, players."),
        ("teams.1.players.0.secs", 1, "teams[1].players[0] has an unknown field 'secs'; known are id, skill, seconds, joined_at, left_early, rounds_played, weight, idle_days, stats, party, matches."),
        ("teams.0.players.0.skill.mu", 1, "teams[0].players[0].skill can't be read: elo skill has an unknown field 'mu'; known are rating."),
        ("system", ..., "system must be a string that isn't empty, not None."),
        ("system", "elos", "There is no rating system 'elos'; choose one of {keys}."),
        ("params", [], "params must be an object, not []."),
        ("params", {"alpha": math.nan}, "params.alpha must be a finite number, not nan."),
        ("teams", ..., "teams must be an array, not None."),
        ("teams", {}, "teams must be an array, not {}."),
        ("teams.1", 7, "teams[1] must be an object, not 7."),
        ("teams.1.players", ..., "teams[1].players must be an array, not None."),
        ("teams.1.players.0", None, "teams[1].players[0] must be an object, not None."),
        ("teams.1.players.0.id", 7, "teams[1].players[0].id must be a string that isn't empty, not 7."),
        ("teams.1.players.0.id", "", "teams[1].players[0].id must be a string that isn't empty, not ''."),
        ("teams.1.players.0.skill", ..., "teams[1].players[0].skill is missing; give null for a newcomer."),
        ("teams.1.players.0.skill", "25", "teams[1].players[0].skill must be an object, not '25'."),
        ("teams.1.players.0.seconds", -5, "teams[1].players[0].seconds must be at least 0, not -5."),
        ("teams.1.players.0.seconds", "5", "teams[1].players[0].seconds must be a number, not '5'."),
        ("teams.1.players.0.seconds", True, "teams[1].players[0].seconds must be a number, not True."),
        ("teams.1.players.0.seconds", math.inf, "teams[1].players[0].seconds must be a finite number, not inf."),
        ("teams.1.players.0.joined_at", -5, "teams[1].players[0].joined_at must be at least 0, not -5."),
        ("teams.1.players.0.left_early", 1, "teams[1].players[0].left_early must be true or false, not 1."),
        ("teams.1.players.0.rounds_played", 2.5, "teams[1].players[0].rounds_played must be a whole number, not 2.5."),
        ("teams.1.players.0.weight", -1, "teams[1].players[0].weight must be at least 0, not -1."),
        ("teams.1.players.0.idle_days", -1, "teams[1].players[0].idle_days must be at least 0, not -1."),
        ("teams.1.players.0.stats", [1], "teams[1].players[0].stats must be an object, not [1]."),
        ("teams.1.players.0.stats", {"kills": "x"}, "teams[1].players[0].stats.kills must be a number, not 'x'."),
        ("teams.1.players.0.party", 3, "teams[1].players[0].party must be a string that isn't empty, not 3."),
        ("teams.1.place", 0, "teams[1].place must be at least 1, not 0."),
        ("teams.1.place", 1.0, "teams[1].place must be a whole number, not 1.0."),
        ("teams.1.score", math.nan, "teams[1].score must be a finite number, not nan."),
        ("duration", -1, "duration must be at least 0, not -1."),
        ("rounds", -1, "rounds must be at least 0, not -1."),
        ("teams.1.place", ..., "elo needs a place for every team or for none; only some have one here."),
        ("teams.1.players.0.id", "a", "elo can't rate a result in which player 'a' is listed twice."),
    ],
)  # fmt: skip
def test_what_is_refused(path, value, sentence):
    from ranking.systems.registry import SYSTEMS

    assert rate_line(changed(path, value)) == {"error": sentence.replace("{keys}", ", ".join(SYSTEMS))}


@pytest.mark.parametrize("line", [None, [], "x", 3])
def test_a_line_is_an_object(line):
    assert rate_line(line)["error"].startswith("The line must be an object")


def test_a_field_at_fault_is_known_by_its_path():
    with pytest.raises(Malformed) as malformed:
        calculate(changed("teams.1.players.0.seconds", -5))
    assert (malformed.value.path, str(malformed.value.at("This"))) == (
        "teams[1].players[0].seconds",
        "This must be at least 0, not -5.",
    )
    assert issubclass(Malformed, Refused)


def test_an_answer_never_repeats_a_long_value():
    assert len(rate_line(changed("teams.1.players.0.seconds", "9" * 10_000))["error"]) < 150


def test_minus_zero_is_displayed_as_zero():
    line = changed("teams.0.players.0.skill", {"rating": -0.001})
    line["teams"][1] |= {"place": 1, "players": [{"id": "b", "skill": {"rating": -0.001}}]}
    answer = rate_line(line)
    assert [team["players"][0]["display"] for team in answer["teams"]] == ["0.00", "0.00"]
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
