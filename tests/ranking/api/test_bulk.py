"""POST /api/v1/matches/bulk/: each result answers for itself, in order."""

import datetime as dt
import json

import pytest
from django.utils import timezone

from matchmaking.models import Lobby, Queue
from ranking.api.views.bulk import MOST_PLAYERS
from ranking.models import Match
from ranking.validation.json_body import LARGEST_BULK
from ranking.validation.match_report import PlayerSerializer, ReportSerializer, TeamSerializer
from tests.support.api import Answer, call, counts, make_key, result
from tests.support.factories import NOW, make_mode
from tests.support.paths import ROOT
from tests.support.savepoints import rolled_back
from tests.support.schema_answers import raw_schema

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _duel():
    make_mode()


def post(*results, key: str = "") -> Answer:
    return call("POST", "matches/bulk/", {"matches": results}, key=key or make_key())


def statuses(answer: Answer) -> list[int]:
    return [item["status"] for item in answer.body["matches"]]


def test_each_answers_for_itself_in_order():
    other = make_mode("other")
    key = make_key(modes=[other])
    sent = [
        result(id="1", mode="other"),
        result(id="1", mode="other"),
        result(id="2", mode="other", duration=1),
        {},
        result(id="3"),
        result(id="1", mode="other", duration=601),
        None,
        result(id="4", mode="other", ended_at="2026-01-01T00:00:00Z"),
        [],
    ]
    sent[1]["ended_at"] = sent[0]["ended_at"]
    answer = post(*sent, key=key)
    assert (answer.status, statuses(answer)) == (200, [201, 200, 400, 400, 403, 409, 400, 201, 400])
    assert [match.external_id for match in Match.objects.order_by("event")] == ["1", "4"]


def test_an_answer_is_that_of_a_single_post():
    key, sent = make_key(), result()
    [first] = post(sent, key=key).body["matches"]
    [again] = post(sent, key=key).body["matches"]
    single = call("POST", "matches/", sent, key=key).body
    assert (first, again) == ({"status": 201, **single}, {"status": 200, **single})


def test_a_refused_one_names_its_field():
    [item] = post(result(duration="1")).body["matches"]
    assert item == {
        "type": "http://testserver/api/problems/invalid-request/", "title": "Invalid request", "status": 400,
        "code": "invalid-request", "detail": "duration: This must be a number.",
        "errors": [{"field": "duration", "code": "type", "detail": "This must be a number."}],
    }  # fmt: skip


def test_other_shapes_are_refused_whole(subtests):
    for sent in [{"matches": []}, {"matches": [{}] * 501}, {}, [], None, {"matches": {}}, {"matches": [{}], "more": 1},
    {"match": [{}]}]:  # fmt: skip
        with subtests.test(sent=sent), rolled_back():
            before = counts()
            answer = call("POST", "matches/bulk/", json.dumps(sent).encode(), key=make_key())
            assert (answer.status, answer.fields, counts()) == (400, ["matches"], before)


@pytest.mark.parametrize(("key", "status"), [((), 401), (("read",), 403)])
def test_who_may_not(key, status):
    answer = call("POST", "matches/bulk/", {"matches": [result()]}, key=make_key(*key) if key else "")
    assert (answer.status, counts()["Match"]) == (status, 0)


def test_four_megabytes_are_taken_and_no_more():
    sent = json.dumps({"matches": [result()]}).encode()
    key = make_key()
    refused = call("POST", "matches/bulk/", sent.ljust(4_000_001), key=key)
    assert (refused.status, refused.body["detail"]) == (413, "The request is over 4,000,000 bytes.")
    assert call("POST", "matches/bulk/", sent.ljust(4_000_000), key=key).status == 200


def full_result(number: int) -> dict:
    """A result of 6v6 with every optional field of a realistic size."""
    teams = [
        {"name": f"{colour} team", "score": 3 - place, "place": place, "players": [
            {"id": f"7656119{number * 12 + place * 6 + slot:010}", "name": f"Kestrel the {slot}", "seconds": 801.25,
             "joined_at": 0, "left_early": False, "bot": False, "rounds_played": 9,
             "absences": [[120.5, 180.25], [300, 310]],
             "party": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "device": "d" * 64,
             "stats": {f"statistic_{stat}": 12_345 for stat in range(12)}}
            for slot in range(6)
        ]}
        for place, colour in enumerate(("Blue", "Amber"), 1)
    ]  # fmt: skip
    more = {
        "rated": True,
        "rounds": 9,
        "variant": "Slayer on Foundry",
        "server": "eu-west-1a",
        "region": "eu-west",
        "duration": 801.25,
    }
    ended = (timezone.now() - dt.timedelta(seconds=600 - number)).isoformat()
    started = (timezone.now() - dt.timedelta(seconds=1500 - number)).isoformat()
    fields = {"id": f"eu1-{number}", "mode": "6v6", "started_at": started, "ended_at": ended, "lobby": f"{number:020}"}
    return {**fields, **more, "teams": teams}


def test_five_hundred_full_results_of_six_against_six_fit():
    queue = Queue.objects.create(mode=make_mode("6v6"), team_size=6)
    Lobby.objects.bulk_create(
        Lobby(
            key=f"{number:020}", queue=queue, state="live", teams=[], places=[], difference=0, formed_at=NOW,
            started_at=NOW,
        )
        for number in range(500)
    )  # fmt: skip
    sent = [full_result(number) for number in range(500)]
    assert {*sent[0], "no_contest"} == set(ReportSerializer().fields)  # with it nothing is rated
    assert set(sent[0]["teams"][0]) == set(TeamSerializer().fields)
    assert set(sent[0]["teams"][0]["players"][0]) == set(PlayerSerializer().fields)
    body = json.dumps({"matches": sent}).encode()
    assert 3_500_000 < len(body) <= LARGEST_BULK
    assert statuses(call("POST", "matches/bulk/", body, key=make_key())) == [201] * 500


def test_six_thousand_players_are_taken_and_no_more():
    players = {"teams": [{"players": [{}] * 200}]}
    assert statuses(post(*[players] * 30)) == [400] * 30
    answer = post(*[players] * 30, {"teams": [{"players": [{}]}]})
    assert (answer.status, answer.body["detail"]) == (
        400, "matches: Send at most 6,000 players in all; these are 6,001.",
    )  # fmt: skip


def test_the_limits_are_in_the_schema_and_the_docs():
    limits = f"{MOST_PLAYERS:,} players in all and {LARGEST_BULK:,} bytes"
    assert limits in raw_schema()["paths"]["/api/v1/matches/bulk/"]["post"]["description"]
    assert limits in (ROOT / "docs" / "integrating.md").read_text()


def test_other_methods_are_refused():
    answer = call("GET", "matches/bulk/", key=make_key())
    assert (answer.status, answer.headers["Allow"]) == (405, "POST, OPTIONS")
