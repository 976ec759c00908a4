"""Corrections of archived seasons are told once to each webhook that subscribes to them."""

import datetime as dt
import json
from typing import Any

import pytest

from leaderboards.accounts.erasure import erase_player
from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks.deliveries import deliver_due
from leaderboards.webhooks.events import REOPENED, RESTORED, STRUCK
from leaderboards.webhooks.queueing import queue_correction
from ranking.models import Player
from tests.support.factories import NOW, make_mode, record
from tests.support.seasons import end
from tests.support.webhooks import make_hook

pytestmark = pytest.mark.django_db


@pytest.fixture
def season(hook, receiver, time_machine):
    time_machine.move_to(NOW + dt.timedelta(hours=2))
    Webhook.objects.update(events=["season.corrected"])
    mode = make_mode()
    record(["*a*"], ["b"])
    return end(mode, at=NOW + dt.timedelta(hours=1))


def star() -> Player:
    return Player.objects.get(key="*a*")


def messages(receiver: Any) -> list[Any]:
    deliver_due(NOW + dt.timedelta(minutes=1))
    return sorted((json.loads(request.body) for request in receiver.requests), key=lambda body: body["timestamp"])


def test_a_strike_says_who_and_in_which_season(season, receiver):
    for _ in range(2):
        queue_correction(season, STRUCK, NOW, player=star())
    queue_correction(season, RESTORED, NOW + dt.timedelta(seconds=1), player=star())
    first, second = messages(receiver)
    assert first == {
        "type": "season.corrected",
        "timestamp": "2026-05-20T12:00:00Z",
        "data": {
            "mode": {"id": "duel", "name": "Duel"},
            "season": {"number": 1, "name": "Season 1"},
            "correction": "struck",
            "player": {"id": "*a*", "name": "*a*"},
        },
    }
    assert second["data"] == {**first["data"], "correction": "restored"}
    assert len(set(receiver.ids)) == 2


def test_an_end_that_is_taken_back_names_nobody(season, receiver):
    queue_correction(season, REOPENED, NOW)
    [message] = messages(receiver)
    assert (message["data"]["correction"], message["data"]["player"]) == ("reopened", None)


def test_discord_reads_sentences(season, receiver):
    Webhook.objects.update(kind="discord")
    queue_correction(season, STRUCK, NOW, player=star())
    queue_correction(season, RESTORED, NOW, player=star())
    queue_correction(season, REOPENED, NOW)
    deliver_due(NOW + dt.timedelta(minutes=1))
    titles = {json.loads(request.body)["embeds"][0]["title"] for request in receiver.requests}
    assert titles == {
        r"\*a\* was struck from Season 1 of Duel",
        r"\*a\* is back in Season 1 of Duel",
        "Season 1 of Duel goes on: its end was taken back",
    }


def test_only_subscribers_of_the_mode_are_told(season):
    make_hook(name="elsewhere", events=["season.corrected"], modes=[make_mode("other")])
    make_hook(name="results")
    queue_correction(season, STRUCK, NOW, player=star())
    assert list(Delivery.objects.values_list("webhook__name", flat=True)) == ["game"]


def test_no_message_names_a_player_who_leaves_for_good(season):
    queue_correction(season, STRUCK, NOW, player=star())
    queue_correction(season, STRUCK, NOW, player=Player.objects.get(key="b"))
    erase_player(star())
    assert [delivery.data["player"]["id"] for delivery in Delivery.objects.all()] == ["b"]
