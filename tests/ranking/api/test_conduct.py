"""GET players/{id}/conduct/: may they queue; if not, why and until when; asked by whom."""

import datetime as dt

import pytest
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from ranking.models import Ban, Incident, Player
from ranking.models.access import SCOPES
from tests.support.api import get, make_key, make_token, post_match, with_player
from tests.support.factories import ban_player, make_mode, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _players():
    make_mode()
    record(["a"], ["b"])


def ask(id: str = "b", **more):
    return get(f"players/{id}/conduct/", key=more.get("key") or make_key("read"))


def player(key: str = "b") -> Player:
    return Player.objects.get(key=key)


def test_a_key_needs_the_scope_read(subtests):
    for scope in SCOPES:
        with subtests.test(scope=scope), rolled_back():
            answer = ask(key=make_key(scope))
            if scope == "read":
                assert answer.body == {"id": "b", "may_queue": True, "points": 0.0, "bar": None}
            else:
                assert (answer.status, answer.body["detail"]) == (
                    403,
                    "This is for players, and for keys with the scope 'read'.",
                )


def test_who_else_may_ask():
    answers = [get("players/b/conduct/"), ask(key=make_token(player())), ask(key=make_token(player("a")))]
    assert [answer.status for answer in answers] == [401, 200, 403]
    assert [get(f"players/{who}/conduct/", key=make_key("read")).status for who in ("nobody", "%00")] == [404, 404]


def test_a_leave_locks_out_for_ten_minutes():
    post_match(with_player(left_early=True, seconds=30))
    incident, answer = Incident.objects.get(), ask().body
    bar = answer["bar"]
    assert (answer["may_queue"], answer["points"]) == (False, 3.0)
    assert (bar["reason"], bar["number"]) == ("lockout", incident.pk)
    assert parse_datetime(bar["until"]) == incident.happened_at + dt.timedelta(minutes=10)
    assert bar["sentence"].startswith("You left a match on ")


@pytest.mark.parametrize("days", [1, None])
def test_a_ban_says_until_when(days):
    now = timezone.now()
    ban_player(player(), scope="both", by=None, reason="x", now=now, ends_at=days and now + dt.timedelta(days=days))
    bar, ban = ask().body["bar"], Ban.objects.get()
    assert (bar["reason"], bar["number"]) == ("ban", ban.pk)
    assert (bar["until"] and parse_datetime(bar["until"])) == ban.ends_at


def test_unknown_parameters_are_refused():
    assert (ask("b").status, get("players/b/conduct/?mode=duel", key=make_key("read")).fields) == (200, ["mode"])
