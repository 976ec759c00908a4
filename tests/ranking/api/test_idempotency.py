"""Idempotency-Key: a write that is sent again is answered again and done once; what isn't the same is refused."""

import datetime as dt

import pytest
from django.db import connection
from django.db.models.signals import pre_save
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from matchmaking.models import Queue
from ranking.models import ClaimCode, KeptAnswer, Match, Mode, Player
from ranking.operations.idempotency import CLAIM, KEPT_FOR, InFlight, claim, complete, drop_old_answers
from tests.support.api import Answer, call, make_key, make_token, result
from tests.support.calculator import LINE
from tests.support.factories import NOW, make_mode

pytestmark = pytest.mark.django_db
CODE = "players/fox/claim-code/"


@pytest.fixture(autouse=True)
def fox() -> Player:
    make_mode("duel")
    return Player.objects.create(key="fox", name="fox", created_at=NOW)


@pytest.fixture
def key() -> str:
    return make_key("players", "results")


def send(path: str, key: str, again: str, body: object = None, method: str = "POST") -> Answer:
    return call(method, path, body, key=key, **{"Idempotency-Key": again})


def is_replayed(answer: Answer) -> bool:
    return answer.headers.get("Idempotency-Replayed") == "true"


def test_the_second_is_the_first_again(key):
    first, second = send(CODE, key, "a"), send(CODE, key, "a")
    assert (first.status, second.status, second.body) == (201, 201, first.body)
    assert [is_replayed(first), is_replayed(second)] == [False, True]
    assert send(CODE, key, "b").body != first.body


def test_a_result_sent_again_is_answered_as_at_first(key):
    sent = result()
    first, second = (send("matches/", key, "a", sent) for _ in range(2))
    assert (first.status, second.status, second.body, is_replayed(second)) == (201, 201, first.body, True)
    assert send("matches/", key, "b", sent).status == 200
    assert Match.objects.count() == 1


def test_a_bulk_too(key):
    sent = {"matches": [result()]}
    first, second = (send("matches/bulk/", key, "a", sent) for _ in range(2))
    assert (second.body, is_replayed(second)) == (first.body, True)


def test_a_refusal_is_not_kept(key):
    """What stood against it may have passed: here the player came."""
    path = "players/owl/claim-code/"
    first = send(path, key, "a")
    assert (first.status, KeptAnswer.objects.count()) == (404, 0)
    Player.objects.create(key="owl", name="owl", created_at=NOW)
    second = send(path, key, "a")
    assert (second.status, is_replayed(second)) == (201, False)


def test_a_queue_that_was_closed_takes_the_same_request_when_it_is_open(fox):
    queue = Queue.objects.create(mode=Mode.objects.get(), open=False)
    sent = {"mode": "duel", "player": "fox"}
    servers = make_key("servers")
    assert send("tickets/", servers, "a", sent).body["code"] == "closed"
    queue.open = True
    queue.save()
    answers = [send("tickets/", servers, "a", sent) for _ in range(2)]
    assert [(answer.status, is_replayed(answer)) for answer in answers] == [(201, False), (201, True)]


def test_a_result_that_was_refused_is_tried_again(key):
    recorded = result()
    send("matches/", key, "a", recorded)
    for again in (1, 2):
        answer = send("matches/", key, "b", {**recorded, "rounds": 3})
        assert (answer.body["code"], is_replayed(answer)) == ("result-differs", False), again


@pytest.mark.parametrize(
    ("path", "body", "status"), [("rate/", LINE, 200), ("rate/", {}, 400), ("players/fox/token/", None, 201)]
)
def test_what_stores_nothing_keeps_nothing(key, path, body, status):
    answers = [send(path, key, "a", body) for _ in range(2)]
    assert [(answer.status, is_replayed(answer)) for answer in answers] == [(status, False)] * 2
    assert KeptAnswer.objects.count() == 0


def test_an_answer_without_a_body_is_kept(fox):
    token = make_token(fox)
    Player.objects.create(key="owl", name="owl", created_at=NOW)
    answers = [send("players/me/following/owl/", token, "a", method="DELETE") for _ in range(2)]
    assert [(answer.status, is_replayed(answer)) for answer in answers] == [(204, False), (204, True)]


def test_a_player_with_a_new_token_is_answered_again(fox):
    Player.objects.create(key="owl", name="owl", created_at=NOW)
    answers = [send("players/me/following/owl/", make_token(fox), "a", method="PUT") for _ in range(2)]
    assert [is_replayed(answer) for answer in answers] == [False, True]
    assert answers[0].body == answers[1].body


def test_nothing_is_done_again_if_the_answer_cannot_be_read(key, settings):
    send(CODE, key, "a")
    settings.SECRET_KEY = "another"
    answer = send(CODE, key, "a")
    assert (answer.status, answer.body["code"], ClaimCode.objects.count()) == (422, "idempotency-key-reused", 1)


@pytest.mark.parametrize(
    ("path", "body"),
    [("matches/", {"rounds": 3}), ("matches/?dry_run=0", {}), ("matches/bulk/", {})],
)
def test_another_request_with_the_key_is_refused(key, path, body):
    sent = result()
    send("matches/", key, "a", sent)
    answer = send(path, key, "a", {**sent, **body})
    assert (answer.status, answer.body["code"]) == (422, "idempotency-key-reused")


def test_each_caller_has_keys_of_its_own(key):
    assert send(CODE, key, "a").body != send(CODE, make_key("players"), "a").body


def test_one_in_flight_is_told_to_wait(key):
    send(CODE, key, "a")
    KeptAnswer.objects.update(status=None, body=None)
    answer = send(CODE, key, "a")
    assert (answer.status, answer.body["code"]) == (409, "request-in-flight")
    assert 1 <= int(answer.headers["Retry-After"]) <= CLAIM.total_seconds()


def test_a_claim_of_a_dead_process_lapses(key):
    send(CODE, key, "a")
    KeptAnswer.objects.update(status=None, body=None, claimed_at=timezone.now() - CLAIM * 2)
    answer = send(CODE, key, "a")
    assert (answer.status, is_replayed(answer), is_replayed(send(CODE, key, "a"))) == (201, False, True)


def test_what_lost_its_claim_is_rolled_back(key, monkeypatch):
    """Another request takes over between the act and the keeping of its answer."""
    from ranking.api import idempotency as module

    complete = module.idempotency.complete

    def taken_over(row, *args, **more):
        KeptAnswer.objects.filter(pk=row.pk).update(claimed_at=timezone.now() + dt.timedelta(seconds=1))
        complete(row, *args, **more)

    monkeypatch.setattr(module.idempotency, "complete", taken_over)
    assert (send(CODE, key, "a").status, ClaimCode.objects.count()) == (409, 0)


def test_what_was_answered_late_is_not_done_again():
    """The first request takes over a minute, and is answered after the second has read its row."""
    now = timezone.now()
    pending = [claim("key-1", "a", "digest", now=now - CLAIM * 2)]

    def complete_first(execute, sql, *rest):
        if sql.startswith("UPDATE") and pending:
            complete(pending.pop(), 201, b"{}")
        return execute(sql, *rest)

    with connection.execute_wrapper(complete_first), pytest.raises(InFlight):
        claim("key-1", "a", "digest", now=now)
    assert claim("key-1", "a", "digest", now=now).status == 201


def test_a_day_later_it_is_a_new_request(key):
    first = send(CODE, key, "a")
    KeptAnswer.objects.update(claimed_at=timezone.now() - KEPT_FOR * 2)
    second = send(CODE, key, "a")
    assert (second.status, is_replayed(second), second.body == first.body) == (201, False, False)


def test_old_answers_are_dropped(key):
    send(CODE, key, "a")
    assert (drop_old_answers(timezone.now()), KeptAnswer.objects.count()) == (0, 1)
    assert (drop_old_answers(timezone.now() + KEPT_FOR * 2), KeptAnswer.objects.count()) == (1, 0)


@pytest.mark.parametrize("bad", ["", "x" * 256, "é", "a\tb"])
def test_a_bad_key_is_refused(key, bad):
    answer = send(CODE, key, bad)
    assert (answer.status, answer.body["code"]) == (400, "bad-idempotency-key")
    assert ClaimCode.objects.count() == 0


def test_who_may_not_keeps_nothing():
    assert send(CODE, make_key("read"), "a").status == 403
    assert send(CODE, "", "a").status == 401
    assert KeptAnswer.objects.count() == 0


def test_reading_keeps_nothing(key):
    assert send("players/", key, "a", method="GET").status == 200
    assert KeptAnswer.objects.count() == 0


def test_a_row_reveals_nothing(key):
    code = send(CODE, key, "a").body["code"]
    assert code.encode() not in bytes(KeptAnswer.objects.get().body)


def test_without_the_header_it_costs_nothing(key):
    with CaptureQueriesContext(connection) as queries:
        call("POST", CODE, key=key)
    assert [query["sql"] for query in queries if "keptanswer" in query["sql"]] == []


def test_a_claim_whose_rival_has_gone_meanwhile_is_sent_again():
    """Another request inserted the row first, was refused, and deleted it before this one could read it."""

    def insert_first(sender: object, instance: KeptAnswer, **more: object) -> None:
        KeptAnswer.objects.bulk_create([KeptAnswer(caller="key-1", key="a", digest="d", claimed_at=NOW)])

    pre_save.connect(insert_first, sender=KeptAnswer)  # inside the savepoint of the insert, which takes it back
    try:
        with pytest.raises(InFlight) as refused:
            claim("key-1", "a", "d", now=NOW)
    finally:
        pre_save.disconnect(insert_first, sender=KeptAnswer)
    assert refused.value.wait == 1
    assert claim("key-1", "a", "d", now=NOW).status is None
