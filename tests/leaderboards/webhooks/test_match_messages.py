"""Matches that were voided or corrected are told once to each webhook that subscribes to them."""

import datetime as dt
import json
from typing import Any

import pytest

from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks.deliveries import deliver_due
from leaderboards.webhooks.queueing import queue_replacement, queue_voids
from ranking.models import Match, Player, Void
from ranking.moderation.voids import restore, void
from ranking.players.anonymising import anonymise_player
from ranking.rules.report import PlayerReport, Report, TeamReport
from tests.support.api import get
from tests.support.factories import NOW, make_mode, make_source, record_result
from tests.support.webhooks import make_hook

pytestmark = pytest.mark.django_db
TEXTS = {"by": None, "reason": "Played twice.", "note": "Told by *a* in private."}


def later(seconds: float) -> dt.datetime:
    return NOW + dt.timedelta(seconds=seconds)


def play(*teams: tuple[str, float]) -> Match:
    """A match of these teams: the keys of their players, and the score."""
    said = tuple(TeamReport(players=tuple(map(PlayerReport, players.split())), score=score) for players, score in teams)
    report = Report(id=f"match-{Match.objects.count()}", mode="duel", ended_at=NOW, teams=said)
    return record_result(report, source=make_source(), now=NOW).record.match


@pytest.fixture
def match(hook, receiver, time_machine) -> Match:
    time_machine.move_to(later(60), tick=False)
    Webhook.objects.update(events=["match.voided", "match.corrected"])
    make_mode()
    return play(("*a*", 3), ("b", 1))


def correct(old: Match) -> Match:
    """A match that replaces the old one, as a correction leaves the two."""
    new = play(("*a*", 1), ("b", 3))
    Match.objects.filter(pk=new.pk).update(replaces=old)
    Void.objects.create(match=old, voided_at=NOW, reason="The scores were swapped.")
    queue_replacement(old, new, NOW)
    return new


def messages(receiver: Any) -> list[Any]:
    deliver_due(later(60))
    return [json.loads(request.body) for request in receiver.requests]


def answer(match: Match) -> dict[str, Any]:
    """The match as the API answers it, without what it did to ratings."""
    body = get(f"matches/{match.pk}/").body
    return {name: value for name, value in body.items() if name != "changes"}


def test_a_void_tells_the_match_and_the_reason_for_players(match, receiver):
    void([match], now=NOW, **TEXTS)
    [message] = messages(receiver)
    assert message == {
        "type": "match.voided",
        "timestamp": "2026-05-20T12:00:00Z",
        "data": {"mode": {"id": "duel", "name": "Duel"}, "match": answer(match), "reason": "Played twice."},
    }
    assert message["data"]["match"]["state"] == "void"
    assert receiver.ids == [f"match-voided_{match.pk}-{int(NOW.timestamp() * 1_000)}"]


def test_each_void_is_told_once_and_with_its_own_reason(match, receiver):
    void([match], now=NOW, **TEXTS)
    void([match], now=later(1), **TEXTS)  # it is void already
    restore([match], now=later(2), by=None, reason="No.")
    void([match], now=later(3), by=None, reason="Again.")
    restore([match], now=later(4), by=None, reason="No.")
    told = sorted((message["data"]["reason"], message["data"]["match"]["state"]) for message in messages(receiver))
    assert told == [("Again.", "rated"), ("Played twice.", "rated")]


def test_a_correction_tells_both_matches(match, receiver):
    new = correct(match)
    [message] = messages(receiver)
    assert message == {
        "type": "match.corrected",
        "timestamp": "2026-05-20T12:00:00Z",
        "data": {
            "mode": {"id": "duel", "name": "Duel"},
            "old": answer(match),
            "new": answer(new),
            "reason": "The scores were swapped.",
        },
    }
    scores = {name: [team["score"] for team in message["data"][name]["teams"]] for name in ("old", "new")}
    assert (scores, message["data"]["old"]["state"]) == ({"old": [3, 1], "new": [1, 3]}, "void")
    assert receiver.ids == [f"match-corrected_{match.pk}-{new.pk}"]


def test_discord_reads_who_played_and_no_reason(match, receiver):
    Webhook.objects.update(kind="discord")
    void([match], now=NOW, **TEXTS)
    new = correct(play(("*a*", 3), ("b", 1)))
    embeds = [message["embeds"][0] for message in messages(receiver)]
    assert sorted((embed["title"], embed["description"]) for embed in embeds) == [
        (f"Duel: match {match.pk} was voided", "(3) \\*a\\*\n(1) b"),
        (f"Duel: match {new.pk} was corrected", "(1) \\*a\\*\n(3) b"),
    ]


def test_only_subscribers_of_the_mode_are_told(match):
    make_hook(name="elsewhere", events=["match.voided", "match.corrected"], modes=[make_mode("other")])
    make_hook(name="results")
    make_hook(name="off", events=["match.voided", "match.corrected"], disabled_at=NOW)
    void([match], now=NOW, **TEXTS)
    queue_replacement(match, play(("*a*", 3), ("b", 1)), NOW)
    told = set(Delivery.objects.values_list("type", "webhook__name"))
    assert told == {("match.voided", "game"), ("match.corrected", "game")}


def test_no_message_without_a_subscriber(match):
    Webhook.objects.update(events=["match.rated"])
    void([match], now=NOW, **TEXTS)
    queue_replacement(match, play(("*a*", 3), ("b", 1)), NOW)
    assert not Delivery.objects.exists()


def test_who_has_left_for_good_is_named_in_no_message(match, receiver):
    void([match], now=NOW, by=None, reason="*a* cheated.")
    assert list(Delivery.objects.values_list("data", flat=True)) == [None]
    anonymise_player(Player.objects.get(key="*a*"), now=later(1))
    [message] = messages(receiver)
    assert "*a*" not in json.dumps(message)
    assert message["data"]["match"]["teams"][1]["players"][0]["id"] == "b"


def test_queries_are_as_many_however_many_matches(match, receiver, django_assert_num_queries):
    matches = [match, *(play(("*a*", 3), ("b", 1)) for _ in range(9))]
    for number, group in enumerate((matches[:1], matches[1:])):
        with django_assert_num_queries(3):
            queue_voids(group, later(number))
        with django_assert_num_queries(10):
            deliver_due(later(60))
    assert len(receiver.requests) == 10
