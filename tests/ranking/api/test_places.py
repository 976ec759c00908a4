"""Places in the API: in answers to results, in a player's modes and history, after a match and in the export."""

import json

import pytest

from leaderboards.accounts.data_export import export
from ranking.models import Player
from tests.support.api import call, get, make_key, post_match, result
from tests.support.factories import NOW, make_mode

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sent() -> dict:
    """The answer to a result of four, of whom two share the second place, and one has left."""
    make_mode("ffa", "weng-lin", team_count=4, team_size_max=1)
    places = {"a": 2, "b": 1, "c": 2, "d": 2}
    teams = [{"place": places[key], "players": [{"id": key, "left_early": key == "a"}]} for key in places]
    answer = post_match(result(mode="ffa", teams=teams), key=make_key("results", "read"))
    assert answer.status == 201
    return answer.body


def test_an_answer_has_places_beside_the_codes_of_outcomes(sent):
    assert [(each["player"], each["outcome"], each["place"], each["places"]) for each in sent["changes"]] == [
        ("a", "left", 4, 4), ("b", "win", 1, 4), ("c", "loss", 2, 4), ("d", "loss", 2, 4)]  # fmt: skip


def test_so_have_the_match_its_post_game_data_and_the_history(sent):
    key = make_key("read")
    match = call("GET", f"matches/{sent['number']}/", key=key).body
    assert [(each["place"], each["places"]) for each in match["changes"]] == [(4, 4), (1, 4), (2, 4), (2, 4)]
    after = call("GET", f"matches/{sent['number']}/post-game/", key=key).body
    assert [(side["place"], side["players"][0]["place"]) for side in after["teams"]] == [(4, 4), (1, 1), (2, 2), (2, 2)]
    [step] = get("players/c/history/?mode=ffa").body["items"]
    assert (step["place"], step["places"]) == (2, 4)


def test_a_player_s_mode_has_the_counters(sent):
    modes = {key: get(f"players/{key}/").body["modes"][0] for key in "abcd"}
    told = {key: tuple(mode[name] for name in ("podiums", "top_halves", "place_sum")) for key, mode in modes.items()}
    assert told == {"a": (0, 0, 0), "b": (0, 1, 1), "c": (0, 1, 2), "d": (0, 1, 2)}


def test_the_export_has_both(sent):
    told = json.loads("".join(export(Player.objects.get(key="c"), NOW)))
    [match] = told["matches"]
    assert (match["own"]["place"], match["own"]["places"]) == (2, 4)
    [rating] = told["ratings"]
    assert (rating["podiums"], rating["top_halves"], rating["place_sum"]) == (0, 1, 2)
