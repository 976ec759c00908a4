"""Every message that a webhook sends is as the schema's webhooks say."""

import datetime as dt
import json

import pytest
from django.utils import timezone

from leaderboards.models import Webhook
from leaderboards.notifications.news import Promotion
from leaderboards.webhooks.deliveries import deliver_due
from leaderboards.webhooks.events import EVENTS, REOPENED, RESTORED, STRUCK, TEST
from leaderboards.webhooks.queueing import (
    queue_aborted,
    queue_correction,
    queue_found,
    queue_promotions,
    queue_replacement,
    queue_test,
)
from ranking.models import Match, Player, Season
from ranking.moderation.renaming import reset_names
from ranking.moderation.voids import void
from ranking.operations import outbox
from ranking.rerating.reratings import rerate
from ranking.rules.tiers import tier_of
from tests.support.factories import NOW, make_mode, record
from tests.support.schema_answers import faults_of, raw_schema
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)


def faults_of_message(body: bytes, headers: dict[str, str]) -> list[str]:
    """What is wrong with a message by the schema: its body, and the headers that are there."""
    message = json.loads(body)
    post = raw_schema()["webhooks"][message["type"]]["post"]
    [content] = post["requestBody"]["content"].values()
    named = [parameter["$ref"].rpartition("/")[2] for parameter in post["parameters"]]
    return faults_of(message, content["schema"]) + [name for name in named if name not in headers]


def test_every_event_has_a_webhook_in_the_schema():
    assert set(raw_schema()["webhooks"]) == {*EVENTS, TEST}


def test_real_messages_of_every_event_keep_to_the_schema(hook, receiver, time_machine):
    time_machine.move_to(NOW + 2 * HOUR, tick=False)
    Webhook.objects.update(events=list(EVENTS))
    mode = make_mode(system="team-ratio")
    for winner, loser in ("ab", "ac", "ad", "bc"):
        record([winner], [loser])
    player = Player.objects.get(key="a")
    queue_promotions(Season.objects.get(), [Promotion(player.pk, tier_of(100), 1, 4)], NOW)
    outbox.sweep(timezone.now())
    deliver_due(timezone.now())
    lobby, teams = "a1b2", [[player.pk], [Player.objects.get(key="b").pk]]
    Player.objects.filter(key="b").update(hides_matches=True)
    queue_found(lobby, mode, region="eu", teams=teams, now=NOW)
    queue_aborted(lobby, mode, reason="The map is broken.", state="ready", players=teams[0], now=NOW)
    old, new = Match.objects.order_by("-pk")[:2]
    void([old], by=None, reason="Played twice.", now=NOW)
    queue_replacement(old, new, NOW)
    deliver_due(timezone.now())
    rerate(mode)
    season = end(mode, at=NOW + HOUR)
    outbox.sweep(timezone.now())
    for kind, who in ((STRUCK, player), (RESTORED, player)):
        queue_correction(season, kind, NOW, player=who)
    deliver_due(timezone.now())
    reset_names([player.pk], by=None, reason="Rude.", now=NOW)
    queue_correction(season, REOPENED, NOW)
    deliver_due(timezone.now())
    queue_test(hook, timezone.now())
    deliver_due(timezone.now())
    sent = [json.loads(request.body)["type"] for request in receiver.requests]
    assert set(sent) == {*EVENTS, TEST}
    assert sent.count("season.corrected") == 3
    faults = [faults_of_message(request.body, request.headers) for request in receiver.requests]
    assert faults == [[] for _ in sent]


def test_a_message_without_a_field_is_seen():
    message = {"type": "test", "timestamp": "2026-01-20T18:13:22Z", "data": {}}
    faults = faults_of_message(json.dumps(message).encode(), {})
    first, *headers = faults
    assert first.endswith('"webhook" is a required property')
    assert headers == ["webhook-id", "webhook-timestamp", "webhook-signature"]
