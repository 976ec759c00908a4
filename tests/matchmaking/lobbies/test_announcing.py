"""Lobbies are told to webhooks: once they are ready, and when they are aborted."""

import json
from typing import Any

import pytest

from leaderboards.accounts.erasure import erase_player
from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks.deliveries import deliver_due
from matchmaking.lobbies import accepting
from matchmaking.lobbies.announcing import announce_aborted, announce_found
from matchmaking.models import Lobby
from ranking.models import Player
from ranking.moderation.merges import merge_players
from ranking.players.anonymising import anonymise_player
from tests.support.factories import hide_player
from tests.support.matchmaking import (
    accept_all,
    form,
    later,
    make_lobby,
    make_player,
    make_queue,
    make_server,
    people_of,
    queue_up,
    settle,
    start,
)
from tests.support.webhooks import Receiver, make_hook, receive

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
BOTH = ["match.found", "lobby.aborted"]


@pytest.fixture
def receiver(db: None, settings: Any) -> Any:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receive() as listening:
        make_hook(url=listening.url, events=BOTH)
        yield listening


def messages(receiver: Receiver, at: float = 60) -> list[Any]:
    deliver_due(later(at))
    return [json.loads(request.body) for request in receiver.requests]


def gather(*names: str, **settings: Any) -> Lobby:
    """A lobby of these players; as many as the queue's teams take."""
    queue = make_queue(servers="auto", size=len(names) // 2, **settings)
    make_server(queue.mode, capacity=2)
    for name in names:
        queue_up(queue, make_player(name), at=0, width=100)
    [lobby] = form(queue)
    return lobby


def test_a_match_is_told_when_its_lobby_is_ready(receiver):
    lobby = gather("*a*", "b")
    assert messages(receiver) == []
    accept_all(lobby, at=5)
    [message] = messages(receiver)
    teams = [[{"id": player.key, "name": player.name}] for player in people_of(lobby)]
    assert message == {
        "type": "match.found",
        "timestamp": "2026-05-20T12:00:05Z",
        "data": {
            "lobby": lobby.pk,
            "mode": {"id": "duel", "name": "Duel"},
            "region": "eu",
            "teams": [{"players": team} for team in teams],
        },
    }
    assert receiver.ids == [f"match-found_{lobby.pk}"]


def test_nothing_is_told_while_a_lobby_is_blind_or_falls_through(receiver):
    lobby = gather("a", "b")
    accepting.accept(lobby.pk, Player.objects.get(key="a"), now=later(2))
    assert not Delivery.objects.exists()
    accepting.decline(lobby.pk, Player.objects.get(key="b"), now=later(3))
    assert not Delivery.objects.exists()


def test_a_lobby_that_waits_for_a_server_is_told_when_it_has_one(receiver):
    lobby = gather("a", "b")
    lobby.queue.mode.servers.update(busy=2)
    accept_all(lobby)
    assert (lobby.state, messages(receiver)) == ("accepting", [])
    lobby.queue.mode.servers.update(busy=0)
    settle(lobby.pk, now=later(9))
    assert [message["timestamp"] for message in messages(receiver)] == ["2026-05-20T12:00:09Z"]


def test_a_queue_that_asks_nobody_tells_the_lobby_too(receiver):
    queue = make_queue(accept_seconds=0)
    lobby, _ = make_lobby(queue)
    settle(lobby.pk, now=later(2))
    [message] = messages(receiver)
    assert (message["data"]["lobby"], message["data"]["region"]) == (lobby.pk, "")


def test_a_lobby_is_told_once(receiver):
    lobby = accept_all(gather("a", "b"))
    announce_found(lobby, later(30))
    assert len(messages(receiver)) == 1


def test_players_who_hide_or_have_gone_have_no_name(receiver):
    lobby = gather("a", "b", "c", "d", "e", "f")
    accept_all(lobby)
    assert {name for name in "abcdef" if f'"{name}"' in str(Delivery.objects.values_list("data"))} == set()
    Player.objects.filter(key="a").update(hides_matches=True)
    Player.objects.filter(key="d").update(hides_playing=True)
    hide_player(Player.objects.get(key="b"), now=later(3))
    anonymise_player(Player.objects.get(key="c"), now=later(3))
    merge_players(make_player("x"), Player.objects.get(key="e"), by=None, reason="One.", now=later(3))
    [message] = messages(receiver)
    people = [player for team in message["data"]["teams"] for player in team["players"]]
    assert sorted(player["name"] or "" for player in people) == ["", "", "", "", "f", "x"]
    assert [player["id"] for player in people if player["name"] is None] == [None] * 4


def test_an_abort_tells_the_reason_and_how_far_it_was(receiver):
    ready = accept_all(gather("*a*", "b"))
    announce_aborted(ready, "The map is broken.", later(6))
    live = start(ready, at=7)
    Delivery.objects.all().delete()
    announce_aborted(live, "The server crashed.", later(8))
    [message] = messages(receiver)
    assert message == {
        "type": "lobby.aborted",
        "timestamp": "2026-05-20T12:00:08Z",
        "data": {
            "lobby": live.pk,
            "mode": {"id": "duel", "name": "Duel"},
            "from": "live",
            "reason": "The server crashed.",
        },
    }


def test_a_ready_lobby_was_aborted_before_its_start(receiver):
    lobby = accept_all(gather("a", "b"))
    announce_aborted(lobby, "The map is broken.", later(6))
    told = {message["type"]: message["data"].get("from") for message in messages(receiver)}
    assert told == {"match.found": None, "lobby.aborted": "ready"}


def test_the_reason_goes_with_a_player_who_leaves_for_good(receiver):
    lobby = accept_all(gather("*a*", "b"))
    announce_aborted(lobby, "*a* asked for it.", later(6))
    erase_player(make_player("stranger"))
    assert Delivery.objects.get(type="lobby.aborted").data["reason"] == "*a* asked for it."
    erase_player(Player.objects.get(key="*a*"))
    [reason] = [message["data"]["reason"] for message in messages(receiver) if message["type"] == "lobby.aborted"]
    assert reason == ""


def test_discord_reads_the_teams_and_no_reason(receiver):
    Webhook.objects.update(kind="discord")
    lobby = gather("*a*", "b", "c", "d")
    accept_all(lobby)
    Player.objects.filter(key="b").update(hides_matches=True)
    announce_aborted(lobby, "*a* asked for it.", later(6))
    embeds = [message["embeds"][0] for message in messages(receiver)]
    called_off, found = sorted(embeds, key=lambda embed: embed["description"])
    lines = found["description"].splitlines()
    assert sorted(name for line in lines for name in line.split(", ")) == ["Somebody", "\\*a\\*", "c", "d"]
    assert (len(lines), called_off["description"]) == (2, "")
    assert ("in Europe" in found["title"], "called off" in called_off["title"]) == (True, True)


def test_without_a_subscriber_of_the_mode_no_row_is_written(db):
    make_hook(name="results")
    make_hook(name="elsewhere", events=BOTH, modes=[make_queue("other").mode])
    make_hook(name="off", events=BOTH, disabled_at=later(0))
    announce_aborted(accept_all(gather("a", "b")), "The map is broken.", later(6))
    assert not Delivery.objects.exists()


def test_queries_are_as_many_however_many_players(receiver, django_assert_num_queries):
    for number, size in enumerate((1, 3)):
        names = (f"{number}-{player}" for player in range(2 * size))
        lobby = accepting.get_lobby(gather(*names, slug=f"mode{number}").pk)
        with django_assert_num_queries(3):
            announce_found(lobby, later(3))
        with django_assert_num_queries(8):
            deliver_due(later(4))
