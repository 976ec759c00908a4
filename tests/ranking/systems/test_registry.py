from dataclasses import replace

import pytest

from ranking.systems.base import Refused
from ranking.systems.registry import SYSTEMS, describe_params, get_system, system_choices
from ranking.systems.shared.params import Parameter


def refusal(key, params=None):
    with pytest.raises(Refused) as refused:
        get_system(key, params)
    return str(refused.value)


def test_an_unknown_key_is_answered_with_the_keys_there_are():
    assert refusal("trueskil") == f"There is no rating system 'trueskil'; choose one of {', '.join(SYSTEMS)}."


@pytest.mark.parametrize("key", SYSTEMS)
def test_every_system_bears_its_own_key_and_describes_its_parameters(key):
    system = get_system(key, {})
    assert system.key == key
    assert [choice for choice in system_choices() if choice[0] == key] == [(key, system.title)]
    described = describe_params(key)
    assert get_system(key, {p.name: p.default for p in described}) == system
    assert all(p.meaning.endswith(".") for p in described)
    assert system.counts_idle_days is (key in ("glicko-2", "margin"))


@pytest.mark.parametrize("key", SYSTEMS)
def test_a_newcomer_survives_state_and_json(key):
    system = get_system(key)
    newcomer = system.newcomer()
    assert system.from_state(system.to_state(newcomer)) == newcomer
    assert system.read_skill(system.write_skill(newcomer)) == newcomer


def test_parameters_are_described_for_people():
    alpha = Parameter("alpha", 0.07, "How much one match weighs against all before it.")
    assert replace(describe_params("elo")[0], proposed=None, why="") == alpha
    meaning = "No leaver ends better than by staying to the end and coming last."
    shares = "Players who were there for a part of a match count, and are rated, by their share of it."
    assert describe_params("team-ratio") == (
        Parameter("staying_is_better", True, meaning),
        Parameter("counts_shares", True, shares),
    )


@pytest.mark.parametrize(
    ("key", "params", "sentence"),
    [
        (
            "elo",
            {"alfa": 0.1},
            "elo has no parameter 'alfa'; it has alpha, beta, start, scale_by_time, alpha_first, alpha_matches,"
            " staying_is_better, counts_shares.",
        ),
        ("team-ratio", {"alpha": 0.1}, "team-ratio has no parameter 'alpha'; it has staying_is_better, counts_shares."),
        ("elo", {"alpha": "0.1"}, "elo: parameter alpha must be a number, not '0.1'."),
        ("elo", {"alpha": True}, "elo: parameter alpha must be a number, not True."),
        ("elo", {"alpha": None}, "elo: parameter alpha must be a number, not None."),
        ("elo", {"beta": float("nan")}, "elo: parameter beta must be a finite number, not nan."),
        ("elo", {"start": float("inf")}, "elo: parameter start must be a finite number, not inf."),
        ("elo", {"start": 10**400}, f"elo: parameter start must be a finite number, not 1{'0' * 56}…."),
        ("elo", {"beta": 0}, "elo: parameter beta must be greater than 0, not 0."),
        ("elo", {"alpha": 11}, "elo: parameter alpha must be at most 10, not 11."),
        ("weng-lin", {"ties": "rope"}, "weng-lin: parameter ties must be one of group, chain, not 'rope'."),
        ("trueskill", {"ties": ["chain"]}, "trueskill: parameter ties must be one of group, chain, not ['chain']."),
        ("elo", {"scale_by_time": 1}, "elo: parameter scale_by_time must be true or false, not 1."),
    ],
)
def test_senseless_parameters_are_refused(key, params, sentence):
    assert refusal(key, params) == sentence
