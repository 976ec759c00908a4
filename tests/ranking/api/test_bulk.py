"""POST /api/v1/matches/bulk/: each result answers for itself, in order."""

import json

import pytest

from ranking.models import Match
from tests.support.api import Answer, call, counts, make_key, result
from tests.support.factories import make_mode

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
        "type": "about:blank", "title": "Invalid request", "status": 400, "detail": "duration: This must be a number.",
        "errors": [{"field": "duration", "detail": "This must be a number."}],
    }  # fmt: skip


@pytest.mark.parametrize("number", [1, 500])
def test_so_many_are_taken(number):
    answer = post(*[result(id=str(index), seconds_ago=1000 - index) for index in range(number)])
    assert statuses(answer) == [201] * number


@pytest.mark.parametrize(
    "sent",
    [{"matches": []}, {"matches": [{}] * 501}, {}, [], None, {"matches": {}}, {"matches": [{}], "more": 1},
     {"match": [{}]}],
)  # fmt: skip
def test_other_shapes_are_refused_whole(sent):
    before = counts()
    answer = call("POST", "matches/bulk/", json.dumps(sent).encode(), key=make_key())
    assert (answer.status, answer.fields, counts()) == (400, ["matches"], before)


@pytest.mark.parametrize(("key", "status"), [((), 401), (("read",), 403)])
def test_who_may_not(key, status):
    answer = call("POST", "matches/bulk/", {"matches": [result()]}, key=make_key(*key) if key else "")
    assert (answer.status, counts()["Match"]) == (status, 0)


def test_ten_megabytes_are_taken_and_no_more():
    sent = json.dumps({"matches": [result()]}).encode()
    key = make_key()
    assert call("POST", "matches/bulk/", sent.ljust(10_000_001), key=key).status == 413
    assert call("POST", "matches/bulk/", sent.ljust(10_000_000), key=key).status == 200


def test_other_methods_are_refused():
    answer = call("GET", "matches/bulk/", key=make_key())
    assert (answer.status, answer.headers["Allow"]) == (405, "POST, OPTIONS")
