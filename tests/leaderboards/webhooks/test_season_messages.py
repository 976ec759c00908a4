"""The end of a season and the next one's beginning are told to games, and to Discord, once each."""

import datetime as dt
import json
from typing import Any

import pytest

from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks.deliveries import deliver_due
from leaderboards.webhooks.events import REOPENED
from leaderboards.webhooks.queueing import queue_correction, queue_events
from ranking.models import Event, Player, Rating, Season
from ranking.modes.changes import change_settings
from ranking.operations import outbox
from ranking.seasons.strikes import strike_ratings
from tests.support.api import get
from tests.support.factories import NOW, make_mode, record
from tests.support.seasons import end
from tests.support.webhooks import make_hook

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)
BOTH = ["season.ended", "season.started"]


@pytest.fixture
def mode(hook, receiver, time_machine):
    time_machine.move_to(NOW + 2 * HOUR, tick=False)
    Webhook.objects.update(events=BOTH)
    mode = make_mode(system="team-ratio")
    for winner, loser in ("ab", "ac", "ad", "bc"):
        record([winner], [loser])
    return mode


def messages(receiver: Any) -> dict[str, Any]:
    """What the receiver has got, by type."""
    outbox.sweep(NOW + 2 * HOUR)
    deliver_due(NOW + 2 * HOUR)
    bodies = [json.loads(request.body) for request in receiver.requests]
    return {body["type"]: body for body in bodies}


def test_the_end_tells_the_final_standings_as_the_api_does(mode, receiver):
    season = end(mode, at=NOW + HOUR)
    told = messages(receiver)
    assert sorted(told) == BOTH
    ended = told["season.ended"]
    assert ended["timestamp"] == "2026-05-20T14:00:00Z"
    assert ended["data"]["mode"] == {"id": "duel", "name": "Duel"}
    assert ended["data"]["season"] == {
        "number": 1, "name": "Season 1", "starts_at": "2026-05-20T12:00:00Z", "ends_at": "2026-05-20T13:00:00Z",
    }  # fmt: skip
    rows = get("boards/duel/?season=1").body["items"]
    assert ended["data"]["listed"] == len(rows) == 4
    assert ended["data"]["top"] == [
        {name: row[name] for name in ("rank", "player", "rating", "percentile", "tier", "matches", "struck")}
        for row in rows
    ]
    labels = [(line["tier"]["label"], line["players"]) for line in ended["data"]["tiers"]]
    assert labels == [("Master", 1), ("Gold I", 1), ("Bronze III", 2)]
    assert told["season.started"]["data"] == {
        "mode": ended["data"]["mode"],
        "season": {"number": 2, "name": "Season 2", "starts_at": "2026-05-20T13:00:00Z", "ends_at": None},
    }
    moment = int((NOW + HOUR).timestamp())
    assert sorted(receiver.ids) == [f"season-ended_{season.pk}-{moment}", f"season-started_{season.pk}-{moment}"]


def test_told_twice_it_has_the_same_ids(mode, receiver):
    end(mode, at=NOW + HOUR)
    messages(receiver)
    events = list(Event.objects.filter(kind=Event.SEASON_END).values_list("pk", flat=True))
    queue_events(events, NOW)
    assert Delivery.objects.count() == 2


def test_no_more_than_a_hundred_are_told_and_nobody_who_is_hidden(mode, receiver):
    for number in range(60):
        record([f"x{number}"], [f"y{number}"])
    end(mode, at=NOW + HOUR)
    best = Player.objects.get(key="a")
    Player.objects.filter(pk=best.pk).update(hidden_at=NOW)
    data = messages(receiver)["season.ended"]["data"]
    assert (data["listed"], len(data["top"])) == (124, 100)
    assert data["top"][0]["player"] is None
    assert sum(line["players"] for line in data["tiers"]) == 124


def test_who_is_struck_keeps_the_rank_and_gets_no_reward(mode, receiver):
    end(mode, at=NOW + HOUR)
    strike_ratings([Rating.objects.get(player__key="b").pk], by=None, reason="Bought.", now=NOW + 2 * HOUR)
    top = messages(receiver)["season.ended"]["data"]["top"]
    assert [(row["rank"], row["struck"]) for row in top[:3]] == [(1, False), (2, True), (3, False)]


def test_what_the_mode_hides_isnt_told(mode, receiver):
    change_settings(mode, now=NOW, shows_rating=False, shows_percentile=False, shows_tier=False)
    end(mode, at=NOW + HOUR)
    data = messages(receiver)["season.ended"]["data"]
    hidden = {(row["rating"], row["percentile"], row["tier"]) for row in data["top"]}
    assert (hidden, data["tiers"]) == ({(None, None, None)}, [])


def test_a_mode_without_a_board_tells_no_standings(mode, receiver):
    change_settings(mode, now=NOW, ranked=False)
    end(mode, at=NOW + HOUR)
    data = messages(receiver)["season.ended"]["data"]
    assert (data["listed"], data["tiers"], data["top"]) == (0, [], [])


def test_an_end_that_is_taken_back_is_told_no_more(mode, receiver):
    season = end(mode, at=NOW + HOUR)
    outbox.sweep(NOW + 2 * HOUR)
    queue_correction(season, REOPENED, NOW)
    assert not Delivery.objects.exists()
    Delivery.objects.create(
        webhook=Webhook.objects.get(), type="season.ended", occasion=f"{season.pk}-1", created_at=NOW, due_at=NOW
    )
    assert messages(receiver) == {}
    assert "taken back" in Delivery.objects.get().last_error


def test_discord_reads_who_won(mode, receiver):
    Webhook.objects.update(kind="discord")
    end(mode, at=NOW + HOUR)
    Player.objects.filter(key="b").update(hidden_at=NOW)
    outbox.sweep(NOW + 2 * HOUR)
    deliver_due(NOW + 2 * HOUR)
    embeds = (json.loads(request.body)["embeds"][0] for request in receiver.requests)
    started, ended = sorted(embeds, key=lambda embed: embed["description"])
    assert ended["title"].startswith("Season 1 of Duel")
    first, second, *_ = (line.split() for line in ended["description"].splitlines())
    assert (first, [second[0], second[-1]], "b" in second) == (["**1st**", "a", "1.15"], ["**2nd**", "1.05"], False)
    assert started["title"].startswith("Season 2 of Duel")


def test_queries_are_as_many_however_many_webhooks(mode, receiver, django_assert_num_queries):
    end(mode, at=NOW + HOUR)
    outbox.sweep(NOW)
    Delivery.objects.all().delete()
    season = Season.objects.get(number=1)
    # Each webhook's messages are claimed by four queries; the second time, the rank table is in the cache.
    for number, queries in ((1, 12), (3, 19)):
        for more in range(number - 1):
            make_hook(name=str(more), url=receiver.url, events=BOTH)
        with django_assert_num_queries(5):
            queue_events([season.event_id], NOW)
        with django_assert_num_queries(queries):
            deliver_due(NOW)
        Delivery.objects.all().delete()
