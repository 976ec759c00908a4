"""GET /api/v1/matches/{number}/post-game/: the post-game page as data."""

import pytest

from ranking.models import Player
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.api import get, make_key
from tests.support.factories import NOW, hide_player, make_mode, record

pytestmark = pytest.mark.django_db


def play(*teams, **more) -> str:
    """The address of the post-game page of a match of these rosters."""
    return f"matches/{record(*teams, **more).record.match.pk}/post-game/"


def test_who_won_and_what_it_did():
    mode = make_mode()
    record(["a"], ["b"])
    publish(mode, now=NOW)
    game = get(play(["a"], ["b"])).body
    reasons = [seat.pop("reasons") for team in game["teams"] for seat in team["players"]]
    equations = [seat.pop("equation") for team in game["teams"] for seat in team["players"]]
    assert reasons[0][0] == {
        "name": "Stake (K)", "value": "0.52", "kind": "stake", "number": pytest.approx(0.51697, abs=1e-5),
        "note": "The most that one match can move a rating.",
    }  # fmt: skip
    assert equations == ["0.517 × (1 − 0.535) = +0.2404", "0.517 × (0 − 0.465) = −0.2404"]
    assert [team.pop("win_probability") for team in game["teams"]] == pytest.approx([0.55, 0.45], abs=0.05)
    number = game.pop("number")
    assert number > 0
    assert game == {
        "mode": "duel", "ended_at": "2026-05-20T12:00:00Z", "state": "rated", "uncounted": "", "reason": "",
        "headline": "a won", "teams": [
            {
                "name": name, "score": None, "place": place, "players": [
                    {
                        "player": {"id": name, "name": name, "bot": False}, "outcome": outcome, "left_early": False,
                        "rating": {"before": ratings[0], "after": ratings[1]},
                        "rank": {"before": place, "after": place},
                        "percentile": {"before": percentile, "after": percentile},
                        "listed": {"before": 2, "after": 2}, "passing": None,
                        "standing_rating": {"before": ratings[0], "after": ratings[1]},
                        "place": place, "places": 2,
                        "finish": {"ranked": place, "came": place, "of": 2}, "leaving": "",
                    }
                ],
            }
            for name, place, outcome, ratings, percentile in (
                ("a", 1, "win", ("25.26", "25.50"), 100), ("b", 2, "loss", ("24.74", "24.50"), 1),
            )
        ],
    }  # fmt: skip


def test_whom_each_player_passed_once_the_board_is_published():
    """b is at 1.10 and a at 1.05; a wins twice against another, and passes b with the first match."""
    mode = make_mode(system="team-ratio")
    for winner in "abb":
        record([winner], ["z"])
    publish(mode, now=NOW)
    paths = [play(["a"], ["y"]), play(["a"], ["y"])]
    assert [get(path).body["teams"][0]["players"][0]["passing"] for path in paths] == [None, None]
    publish(mode, now=NOW)
    nobody = {"passed": 0, "passed_by": 0, "passed_players": [], "passed_by_players": []}
    passed = {**nobody, "passed": 1, "passed_players": [{"id": "b", "name": "b"}]}
    assert [get(path).body["teams"][0]["players"][0]["passing"] for path in paths] == [passed, nobody]
    hide_player(Player.objects.get(key="b"), now=NOW)
    assert get(paths[0]).body["teams"][0]["players"][0]["passing"] == {**passed, "passed_players": []}


def test_a_match_that_was_called_off():
    make_mode()
    seen = {}
    for places in ([None, None], [1, 2]):
        game = get(play(["a"], [PlayerReport("x", bot=True)], places=places, no_contest="The map broke.")).body
        assert (game["state"], game["uncounted"], game["reason"]) == ("void", "no-contest", "The map broke.")
        seats = [seat for team in game["teams"] for seat in team["players"]]
        seen[game["headline"]] = [team["place"] for team in game["teams"]]
        seen[game["headline"]] += [(seat["place"], seat["places"], seat["player"]["bot"]) for seat in seats]
    assert seen == {
        "No contest": [None, None, (None, None, False), (None, None, True)],
        "a won": [1, 2, (1, 2, False), (2, 2, True)],
    }


def test_leavers_learn_what_staying_would_have_brought():
    make_mode(placement_matches=0)
    gone = [PlayerReport(id=name, left_early=True) for name in "ad"]
    game = get(play([gone[0], "b"], ["c", gone[1]])).body
    assert [[seat["leaving"] for seat in team["players"]] for team in game["teams"]] == [
        ["Staying would have brought 0.52 more.", ""],
        ["", "Leaving saved nothing."],
    ]


def test_leavers():
    make_mode()
    game = get(play([PlayerReport(id="a", left_early=True), "b"], ["c", "d"])).body
    assert [(seat["left_early"], seat["outcome"]) for team in game["teams"] for seat in team["players"]].count(
        (True, "left")
    ) == 1


@pytest.mark.parametrize(
    ("shows", "scopes", "rating", "rank", "explained"),
    [
        ({}, (), "25.00", 1, True),
        ({"shows_rating": False}, (), None, 1, False),
        ({"ranked": False}, (), None, None, False),
        ({"ranked": False}, ("ratings:hidden",), "25.00", 1, True),
    ],
)
def test_what_a_mode_hides_is_left_out(shows, scopes, rating, rank, explained):
    mode = make_mode(placement_matches=0, **shows)
    record(["a"], ["b"], places=(1, 1))
    publish(mode, now=NOW)
    team = get(play(["a"], ["b"]), key=make_key(*scopes) if scopes else "").body["teams"][0]
    [seat] = team["players"]
    assert (seat["rating"]["before"], seat["rank"]["before"]) == (rating, rank)
    assert bool(seat["equation"]) is explained
    assert (bool(seat["reasons"]), team["win_probability"] is not None) == (explained, explained)


@pytest.mark.parametrize("players", [1, 3])
def test_a_page_takes_as_many_queries_however_many_play(django_assert_num_queries, players):
    make_mode()
    path = play([f"a{index}" for index in range(players)], [f"b{index}" for index in range(players)])
    with django_assert_num_queries(5):
        assert len(get(path).body["teams"][0]["players"]) == players


@pytest.mark.parametrize("number", ["0", "9" * 30])
def test_no_such_match(number):
    assert get(f"matches/{number}/post-game/").body["detail"] == f"There is no match {number}."
