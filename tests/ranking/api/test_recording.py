"""POST /api/v1/matches/: what it answers, and that what it refuses writes nothing."""

import json

import pytest
from django.utils import timezone

from ranking.models import Match, Participation, Player
from ranking.standings.publishing import publish
from tests.support.api import counts, make_key, moment, post_match, raw, result, with_player, with_team
from tests.support.factories import make_mode
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _duel():
    make_mode()


# --- what is recorded --------------------------------------------------------------------------------


def test_a_result_is_recorded_and_rated():
    answer = post_match(result())
    assert (answer.status, answer.body) == (
        201,
        {
            "id": "m-1", "number": Match.objects.get().pk, "state": "rated", "late": False,
            "changes": [
                {
                    "player": player, "outcome": outcome, "rating": {"before": "25.00", "after": rating},
                    "place": place, "places": 2,
                    "rank": {"before": None, "after": None}, "percentile": {"before": None, "after": None},
                    "listed": {"before": None, "after": None}, "standing_rating": {"before": None, "after": None},
                }
                for player, place, outcome, rating in (("a", 1, "win", "25.26"), ("b", 2, "loss", "24.74"))
            ],
            "notes": [], "strangers": [], "missing": [], "alike": [], "overlaps": [],
        },
    )  # fmt: skip


def test_the_same_again_is_answered_with_what_was_recorded():
    key, sent = make_key(), result()
    first, before = post_match(sent, key=key), counts()
    again = post_match(dict(reversed(sent.items())), key=key)
    assert (again.status, again.body, counts()) == (200, first.body, before)


def test_another_result_under_the_same_id_is_refused():
    key = make_key()
    post_match(result(), key=key)
    before = counts()
    answer = post_match(result(duration=601), key=key)
    sentence = "Another result is recorded as 'm-1': duration differs. Nothing was changed. "
    assert (answer.status, answer.body["detail"].startswith(sentence)) == (409, True)
    assert counts() == before


def test_keys_of_one_source_share_its_ids_and_those_of_another_do_not():
    sent = result()
    statuses = [post_match(sent, key=make_key(source=source)).status for source in ("one", "one", "two")]
    assert statuses == [201, 200, 201]


def test_what_passes(subtests):
    for sent in [
        with_player(seconds=605),
        with_player(seconds=0),
        with_player(absences=[[0, 605]]),
        with_player(name="東京Tower"),
        with_player(name="  Kestrel "),
        with_player(id="a/b?c#d%é"),
        with_player(id="x" * 128),
        with_player(stats={f"s{n}": n for n in range(64)}),
        with_team(name="Blue 💙", score=1e12),
        result(duration=0.69, teams=[{"score": 1, "players": [{"id": "a", "seconds": 5.69}]},
                                                  {"score": 2, "players": [{"id": "b"}]}]),
        result(ended_at=moment(minutes=4, seconds=50)),
        result(ended_at="2026-01-31T18:00:00.123456789Z"),
        result(ended_at="2026-01-31T18:00:00+14:00"),
        result(ended_at="2026-01-31T18:00Z"),
        result(ended_at=None, started_at=moment(minutes=-20)),
        result(duration=None, started_at=moment(days=-30, minutes=2)),
        b"\xef\xbb\xbf" + json.dumps(result()).encode(),
    ]:  # fmt: skip
        with subtests.test(sent=sent), rolled_back():
            assert post_match(sent).status == 201


def test_names_are_trimmed_and_kept():
    post_match(with_player(name=" Kestrel "))
    assert Player.objects.get(key="b").name == "Kestrel"


def test_minus_zero_is_zero():
    post_match(
        raw(
            duration="-0.0", teams='[{"score": -0.0, "players": [{"id": "a"}]}, {"score": 1, "players": [{"id": "b"}]}]'
        )
    )
    match = Match.objects.get()
    assert (str(match.duration), str(match.teams[0]["score"])) == ("0.0", "0.0")


# --- what a mode shows ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shows", "scopes", "shown"),
    [
        ({}, ("results",), ("25.00", 1, 100)),
        ({"shows_rating": False}, ("results",), (None, 1, 100)),
        ({"shows_percentile": False}, ("results",), ("25.00", 1, None)),
        ({"ranked": False}, ("results",), (None, None, None)),
        ({"ranked": False, "shows_rating": False}, ("results", "ratings:hidden"), ("25.00", 1, 100)),
    ],
)
def test_what_a_mode_hides_is_left_out(shows, scopes, shown):
    mode = make_mode("shy", placement_matches=0, **shows)
    key = make_key(*scopes)
    post_match(result(id="1", mode="shy", teams=[{"score": 1, "players": [{"id": name}]} for name in "ab"]), key=key)
    publish(mode, now=timezone.now())
    change = post_match(result(id="2", mode="shy"), key=key).body["changes"][0]
    assert tuple(change[name]["before"] for name in ("rating", "rank", "percentile")) == shown


def test_parts_are_kept_as_they_were_sent():
    post_match(
        with_player(seconds=5, left_early=True, rounds_played=2, absences=[[1, 2.5]], party="x", stats={"kills": 3})
    )
    part = Participation.objects.get(player__key="b")
    assert (part.seconds, part.left_early, part.rounds_played, part.absences, part.party, part.stats) == (
        5.0, True, 2, [[1.0, 2.5]], "x", {"kills": 3.0},
    )  # fmt: skip
