"""Messages reach a real receiver: signed, retried, once an event, whatever the receiver does."""

import datetime as dt
import json
import re
import socket

import pytest

from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks._sending import Message, WebhookConnection
from leaderboards.webhooks.deliveries import ATTEMPTS, deliver_due, try_again
from leaderboards.webhooks.queueing import queue_events, queue_test
from leaderboards.webhooks.signing import secret_of, sign
from ranking.operations import outbox
from tests.support.api import get
from tests.support.factories import NOW, make_mode, record
from tests.support.webhooks import cut_head, drip, drip_body, drip_head, flood, hang, hang_up, make_hook

pytestmark = pytest.mark.django_db


IMPATIENT = 0.3  # seconds, for receivers that keep one waiting; others may take longer on a busy machine


def play(number: int = 1) -> list[int]:
    return [record(["a"], ["b"]).record.match.event_id for _ in range(number)]


def later(**delay: float) -> dt.datetime:
    return NOW + dt.timedelta(**delay)


def state() -> tuple[int, int | None, str]:
    return Delivery.objects.values_list("attempts", "status", "last_error").get()


def test_a_result_arrives_signed_and_says_what_the_api_says(hook, receiver):
    make_mode()
    [event] = play()
    outbox.sweep(NOW)
    assert deliver_due(NOW) == 1
    [request] = receiver.requests
    number = Delivery.objects.get().occasion
    assert (request.path, number) == ("/hook?x=1", str(event))
    assert request.headers["webhook-id"] == f"match-rated_{event}"
    assert request.headers["webhook-timestamp"] == str(int(NOW.timestamp()))
    signature = sign(secret_of(hook), f"match-rated_{event}", int(NOW.timestamp()), request.body)
    assert request.headers["webhook-signature"] == signature
    said = json.loads(request.body)
    assert (said["type"], said["timestamp"]) == ("match.rated", "2026-05-20T12:00:00Z")
    assert said["data"] == get(f"matches/{said['data']['number']}/").body
    done = Delivery.objects.get()
    assert (done.status, done.delivered_at, done.claimed_until) == (204, NOW, None)
    assert deliver_due(later(days=1)) == 0


def test_the_consumer_run_twice_doubles_nothing(hook, receiver):
    make_mode()
    events = play(3)
    for order in (events, events[::-1]):
        queue_events(order, NOW)
        deliver_due(NOW)
    assert sorted(receiver.ids) == sorted(f"match-rated_{event}" for event in events)


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        (500, 500, "500: Internal Server Error"),
        (404, 404, "404: Not Found"),
        (301, 301, "301: redirects aren't followed"),
        (307, 307, "307: redirects aren't followed"),
        (hang, None, "No answer within 0.3 seconds."),
        (drip, None, "No answer within 0.3 seconds."),
        (drip_head, None, "No answer within 0.3 seconds."),
        (cut_head, None, "IncompleteHead: the connection was closed within the head of the answer"),
        (hang_up, None, "The connection was closed without an answer."),
    ],
)
def test_what_fails_is_tried_again_with_the_same_id_and_a_new_timestamp(hook, receiver, answer, status, said):
    make_mode()
    play()
    outbox.sweep(NOW)
    receiver.answers = [answer, 200]
    assert deliver_due(NOW, timeout=IMPATIENT) == 0
    assert state() == (1, status, said)
    assert deliver_due(later(seconds=9)) == 0
    assert deliver_due(later(seconds=10)) == 1
    first, second = receiver.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    times = [int(request.headers["webhook-timestamp"]) for request in receiver.requests]
    assert (second.path, first.body == second.body, times[1] - times[0]) == ("/hook?x=1", True, 10)
    assert state() == (1, 200, "")


@pytest.mark.parametrize("answer", [flood, drip_body])
def test_an_answer_whose_body_has_no_end_is_an_answer(hook, receiver, answer):
    make_mode()
    play()
    outbox.sweep(NOW)
    receiver.answers = [answer]
    assert deliver_due(NOW, timeout=IMPATIENT) == 1


def test_who_asks_for_patience_gets_it(hook, receiver):
    make_mode()
    play()
    outbox.sweep(NOW)
    receiver.answers = [429]
    deliver_due(NOW)
    assert Delivery.objects.get().due_at == later(seconds=90)


def test_it_is_parked_in_the_end_and_sent_again_by_hand(hook, receiver):
    make_mode()
    play()
    outbox.sweep(NOW)
    receiver.answers = [500] * ATTEMPTS
    waits, now = [], NOW
    for _ in range(ATTEMPTS):
        assert deliver_due(now) == 0
        due = Delivery.objects.get().due_at
        waits.append((due - now).total_seconds())
        now = due
    assert waits == [10 * 4**number for number in range(ATTEMPTS)]
    assert Delivery.objects.get().parked_at is not None
    assert deliver_due(later(days=9)) == 0
    assert try_again(Delivery.objects.all(), now=now) == 1
    assert deliver_due(now) == 1


def test_who_is_gone_is_switched_off(hook, receiver):
    make_mode()
    play()
    outbox.sweep(NOW)
    receiver.answers = [410]
    deliver_due(NOW)
    assert Webhook.objects.get().disabled_at == NOW
    play()
    outbox.sweep(NOW)
    assert Delivery.objects.count() == 1


def deliver(now: dt.datetime) -> tuple[int, set[str]]:
    """How many arrived, however long a slow machine takes for them, and what went wrong with others."""
    arrived = deliver_due(now, clock=lambda: 0.0)
    return arrived, set(Delivery.objects.exclude(last_error="").values_list("last_error", flat=True))


def test_connections_are_kept(hook, receiver):
    make_mode()
    play(40)
    outbox.sweep(NOW)
    assert deliver(NOW) == (40, set())
    assert len(receiver.connections) == 4


def test_one_that_the_receiver_closed_is_made_anew(receiver):
    line = WebhookConnection(receiver.url, allow_private=True)
    receiver.answers = [204, hang_up, 200]
    assert [line.send(Message(b"x", {})).status for _ in range(2)] == [204, 200]
    assert len(receiver.connections) == 2
    line.close()


def test_a_message_does_not_wait_for_its_head_to_be_acknowledged(receiver):
    line = WebhookConnection(receiver.url, allow_private=True)
    line.send(Message(b"x", {}))
    assert line._connection.sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
    line.close()


def test_one_that_hangs_holds_up_nobody_else(hook, receiver):
    make_mode()
    dead = make_hook(name="dead", url=f"http://127.0.0.1:{receiver.port}/dead")
    receiver.by_path["/dead"] = hang
    play(20)
    outbox.sweep(NOW)
    assert deliver_due(NOW, timeout=2.0) == 20  # more than the other receiver needs on a busy machine
    assert Delivery.objects.filter(webhook=hook, delivered_at=NOW).count() == 20
    left = Delivery.objects.filter(webhook=dead, delivered_at=None, claimed_until=None)
    assert sorted(left.values_list("attempts", flat=True)) == [0] * 16 + [1] * 4  # one for each line


def test_a_test_is_sent_before_all_others(hook, receiver):
    make_mode()
    play(6)
    outbox.sweep(NOW)
    queue_test(hook, NOW)
    receiver.answers = [503] * 4
    deliver_due(NOW)
    assert Delivery.objects.get(type="test").attempts == 1


def test_only_what_was_asked_for_is_sent(hook, receiver):
    duel, other = make_mode(), make_mode("other")
    make_hook(name="other", url=receiver.url, modes=[other])
    make_hook(name="promotions", url=receiver.url, events=["player.promoted"])
    make_hook(name="off", url=receiver.url, disabled_at=NOW)
    play()
    record(["a"], ["b"], mode="other")
    outbox.sweep(NOW)
    sent = Delivery.objects.order_by("webhook__name", "id").values_list("webhook__name", flat=True)
    assert list(sent) == ["game", "game", "other"]
    assert duel.webhooks.count() == 0


def test_a_claim_keeps_others_out(hook, receiver):
    make_mode()
    play()
    outbox.sweep(NOW)
    Delivery.objects.update(claimed_until=later(minutes=2))
    assert deliver_due(later(minutes=1)) == 0
    assert deliver_due(later(minutes=3)) == 1


def test_a_private_address_is_refused_where_it_is_connected_to(hook, receiver, settings):
    settings.WEBHOOK_ALLOW_PRIVATE = False
    make_mode()
    play()
    outbox.sweep(NOW)
    Webhook.objects.update(url=f"http://localhost:{receiver.port}/")
    deliver_due(NOW)
    assert receiver.requests == []
    assert state()[2].split()[:2] in (["Forbidden:", "127.0.0.1"], ["Forbidden:", "::1"])


def test_for_discord_names_are_plain_and_nobody_is_called(hook, receiver):
    Webhook.objects.update(kind="discord")
    make_mode()
    record(["**bold**@everyone"], ["b"])
    outbox.sweep(NOW)
    deliver_due(NOW)
    [request] = receiver.requests
    said = json.loads(request.body)
    assert said["allowed_mentions"] == {"parse": []}
    assert said["embeds"][0]["title"] == r"Duel: \*\*bold\*\*\@everyone won"
    assert said["embeds"][0]["description"].splitlines()[1].startswith("**2nd** b ")
    assert "webhook-signature" not in request.headers


def test_more_than_two_teams_are_told_by_place(hook, receiver):
    make_hook(name="discord", kind="discord", url=receiver.url)
    make_mode(team_count=4, team_size_max=1)
    record(["a"], ["b"], ["c"], ["d"], places=(3, 1, 1, 4))
    outbox.sweep(NOW)
    deliver_due(NOW)
    said = [json.loads(request.body) for request in receiver.requests]
    [event] = [body["data"] for body in said if "data" in body]
    assert [(change["player"], change["place"], change["places"]) for change in event["changes"]] == [
        ("a", 3, 4), ("b", 1, 4), ("c", 1, 4), ("d", 4, 4)]  # fmt: skip
    [embed] = [body["embeds"][0] for body in said if "embeds" in body]
    assert embed["title"].startswith("Duel: 2 share")
    assert [line.split()[0] for line in embed["description"].splitlines()] == [
        "**1st**",
        "**1st**",
        "**3rd**",
        "**4th**",
    ]


def test_one_that_cannot_be_written_holds_up_nobody_else(hook, receiver):
    """A message of an earlier version, say, whose data has another shape."""
    broken = make_hook(name="broken", kind="discord", url=receiver.url)
    given = {"webhook": broken, "type": "player.promoted", "created_at": NOW, "due_at": NOW}
    delivery = Delivery.objects.create(occasion="1", data={"player": "nobody"}, **given)
    make_mode()
    play()
    outbox.sweep(NOW)
    assert deliver_due(NOW) == 2  # the result, to both
    delivery.refresh_from_db()
    assert (delivery.attempts, delivery.delivered_at, delivery.claimed_until) == (1, None, None)
    assert re.findall(r"\((\w+)\)", delivery.last_error) == ["TypeError"]


def test_queries_are_as_many_however_many_messages(hook, receiver, django_assert_num_queries):
    make_mode()
    for number in (1, 12):
        events = play(number)
        with django_assert_num_queries(4):
            queue_events(events, NOW)
        with django_assert_num_queries(11):
            assert deliver_due(NOW) == number
