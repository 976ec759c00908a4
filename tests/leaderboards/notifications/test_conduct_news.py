"""What players are told of their conduct: once each, when it is over or decided, and only those with an account."""

import datetime as dt
import json

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override

from leaderboards.accounts.data_export import export
from leaderboards.models import Notice
from leaderboards.notifications.conduct_news import tell_conduct_news
from leaderboards.notifications.notices import load_page
from leaderboards.templatetags.rungs import local_time
from ranking.models import Incident, Mode, Player, Rating
from ranking.moderation.appeals import appeal_against, decide_appeals
from ranking.moderation.notes import add_notes, warn_players, withdraw_warnings
from ranking.moderation.sanctions import hide_players, pardon_incidents, show_players
from ranking.rules.report import PlayerReport
from ranking.seasons.strikes import lift_strikes, strike_ratings
from tests.support.factories import NOW, ban_player, lift_ban, make_mode, record
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
MINUTE, HOUR, DAY = dt.timedelta(minutes=1), dt.timedelta(hours=1), dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def _players(db):
    make_mode()
    record(["me"], ["b"])
    Player.objects.filter(key="me").update(user=User.objects.create_user("me"))


def me():
    return Player.objects.get(key="me")


def leave(when=NOW, key="me"):
    match = record(["x"], [PlayerReport(id=key, left_early=True)], ended_at=when, now=max(when, NOW)).record.match
    return Incident.objects.get(match=match, player__key=key)


def ban(scope="queue", ends_at=None, who="me"):
    return ban_player(Player.objects.get(key=who), scope=scope, by=None, reason="x", now=NOW, ends_at=ends_at)


def told(now):
    """What they are told by then, the newest first; told again, nothing new."""
    tell_conduct_news(now)
    tell_conduct_news(now)
    return [line.words for line in load_page(me()).lines]


LOCKED = "You left a match: locked out for {} minutes"
BANNED = "You are banned from queues: x"
OVER = "Your lockout is over: you can queue again"


@pytest.mark.parametrize(
    ("after", "words"),
    [(10 * MINUTE - MINUTE / 60, [LOCKED.format(10)]), (10 * MINUTE, [OVER]), (DAY, [OVER]), (DAY + 10 * MINUTE, [])],
)
def test_a_lockout_that_runs_or_ended(after, words):
    leave()
    assert told(NOW + after) == words


def test_a_mode_whose_conduct_is_nonsense_keeps_nobodys_news_back():
    make_mode("broken")
    Mode.objects.filter(slug="broken").update(conduct={"lockouts": "nonsense"})
    ban(ends_at=NOW + MINUTE)
    leave()
    assert told(NOW + 10 * MINUTE) == ["Your ban from queues is over", OVER]


def test_the_last_of_several_and_not_while_another_runs():
    leave()
    leave(NOW + 5 * MINUTE)
    assert told(NOW + 12 * MINUTE) == [LOCKED.format(30)]
    assert told(NOW + 35 * MINUTE) == [OVER, LOCKED.format(30)]
    leave(NOW + 3 * HOUR)
    assert told(NOW + 6 * HOUR) == [OVER, OVER, LOCKED.format(30)]


def test_a_lockout_says_until_when_and_leads_to_the_appeal():
    leave()
    told(NOW + MINUTE)
    [line] = load_page(me()).lines
    assert (line.sign, line.ends_at, line.href) == ("locked", NOW + 10 * MINUTE, "/conduct/")
    client = Client()
    client.force_login(User.objects.get(username="me"))
    text = client.get(reverse("leaderboards:notices")).text
    assert f"{LOCKED.format(10)}, until {local_time(NOW + 10 * MINUTE)}</a>" in text


def test_a_lockout_that_was_pardoned_in_time_is_not_told():
    pardon_incidents([leave().pk], by=None, reason="x", now=NOW)
    assert told(NOW + MINUTE) == ["An incident of yours was pardoned: x"]


def test_a_ban_is_told_as_it_begins_and_ends():
    leave()
    ban(ends_at=NOW + HOUR)
    assert told(NOW + 20 * MINUTE) == told(NOW + 30 * MINUTE) == [BANNED]
    assert told(NOW + HOUR) == ["Your ban from queues is over", OVER, BANNED]


@pytest.mark.parametrize(
    ("scope", "words"),
    [("boards", "You are banned from boards: x"), ("both", "You are banned from queues and boards: x")],
)
def test_what_a_ban_is_from(scope, words):
    ban(scope)
    assert told(NOW) == [words]


def test_a_ban_that_was_lifted_and_one_from_boards():
    lift_ban(ban("both"), by=None, reason="Not them.", now=NOW + HOUR)
    ban("boards", ends_at=NOW + HOUR)
    assert told(NOW + HOUR) == ["Your ban from boards is over", "Your ban from queues and boards was lifted: Not them"]


def test_pardons_at_once_are_one():
    first, second, third = leave(), leave(), leave()
    pardon_incidents([first.pk, second.pk], by=None, reason="The server crashed.", now=NOW)
    pardon_incidents([third.pk], by=None, reason="That too.", now=NOW + MINUTE)
    words = ["An incident of yours was pardoned: That too", "2 incidents of yours were pardoned: The server crashed"]
    assert sorted(told(NOW + HOUR)) == sorted(words)


@pytest.mark.parametrize(
    ("grant", "words"),
    [
        (True, ["Your appeal was granted: Looked into"] * 2 + ["Your ban from queues was lifted: Looked into"]),
        (False, [
            "Your appeal was turned down, and the ban stays: Looked into",
            "Your appeal was turned down, and the lockout stays: Looked into",
        ]),
    ],
)  # fmt: skip
def test_decided_appeals(grant, words):
    appeals = [
        appeal_against(me(), words="No.", now=NOW, ban=ban().pk),
        appeal_against(me(), words="No.", now=NOW, incident=leave().pk),
    ]
    assert sorted(told(NOW + MINUTE)) == [BANNED, LOCKED.format(10)]
    decide_appeals([one.pk for one in appeals], grant=grant, by=None, reason="Looked into.", now=NOW + 2 * MINUTE)
    assert sorted(told(NOW + 3 * MINUTE)) == sorted([*words, BANNED, LOCKED.format(10)])


def test_nobody_without_an_account():
    leave(key="b")
    ban(ends_at=NOW + MINUTE, who="b")
    tell_conduct_news(NOW + HOUR)
    assert not Notice.objects.exists()


def test_they_lead_to_their_conduct():
    leave()
    told(NOW + HOUR)
    assert load_page(me()).lines[0].href == "/conduct/"


@pytest.mark.parametrize("players", [1, 3])
def test_as_many_queries_for_many(players):
    for number in range(players):
        leave(key=f"p{number}")
        Player.objects.filter(key=f"p{number}").update(user=User.objects.create_user(f"p{number}"))
        lift_ban(ban(who=f"p{number}"), by=None, reason="x", now=NOW)
    with CaptureQueriesContext(connection) as queries:
        tell_conduct_news(NOW + HOUR)
    assert Notice.objects.count() == 2 * players
    assert len(queries) == 21


def test_a_strike_and_its_lifting():
    record(["me"], ["other"])
    season = end(Mode.objects.get(slug="duel"), at=NOW + MINUTE)
    mine = Rating.objects.get(player=me(), season=season).pk
    strike_ratings([mine], by=None, reason="Two accounts.", now=NOW + HOUR)
    assert told(NOW + HOUR) == ["A moderator struck you from Season 1 of Duel: Two accounts"]
    lift_strikes([mine], by=None, reason="Brothers.", now=NOW + HOUR)
    assert "You count in Season 1 of Duel again: Brothers" in told(NOW + HOUR)
    with override("de"):
        assert "Du zählst wieder in Saison 1 von Duel: Brothers" in told(NOW + HOUR)
    [strike] = [json.loads("".join(export(me(), NOW)))["strikes"][0]]
    assert (strike["mode"], strike["season"], strike["reason"], strike["lift_reason"]) == (
        "duel", 1, "Two accounts.", "Brothers.",
    )  # fmt: skip


def test_what_is_taken_back_later_is_not_told_anew():
    season = end(Mode.objects.get(slug="duel"), at=NOW + MINUTE)
    mine = Rating.objects.get(player=me(), season=season).pk
    strike_ratings([mine], by=None, reason="Two accounts.", now=NOW + MINUTE)
    [warning] = warn_players([me()], by=None, reason="Mind your words.", now=NOW)
    hide_players([me().pk], by=None, reason="x", now=NOW)
    back = {"by": None, "reason": "A mix-up.", "now": NOW + 3 * DAY}
    lift_strikes([mine], **back)
    withdraw_warnings([warning.pk], **back)
    show_players([me().pk], **back)
    assert sorted(told(NOW + 3 * DAY)) == [
        "A warning was withdrawn: A mix-up",
        "You are back on the boards: A mix-up",
        "You count in Season 1 of Duel again: A mix-up",
    ]


def test_a_warning_and_its_withdrawal():
    leave()
    add_notes([me()], text="For moderators.", by=None, now=NOW)
    [warning] = warn_players([me()], by=None, reason="Mind your words.", note="x", now=NOW)
    assert "A moderator warned you: Mind your words" in told(NOW + MINUTE / 2)
    withdraw_warnings([warning.pk], by=None, reason="A mix-up.", now=NOW + HOUR)
    assert "A warning was withdrawn: A mix-up" in told(NOW + HOUR)
    document = json.loads("".join(export(me(), NOW)))
    [row] = document["warnings"]
    assert (row["reason"], row["lift_reason"]) == ("Mind your words.", "A mix-up.")
    assert "For moderators." not in str(document)
