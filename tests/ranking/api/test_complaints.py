"""POST /api/v1/matches/{number}/reports/: a player's token reports another player of the match."""

import datetime as dt

import pytest
from django.utils import timezone

from ranking.models import Complaint, Match, Player
from tests.support.api import call, make_key, make_token
from tests.support.factories import make_mode, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
GOOD = {"player": "c", "reason": "words", "text": "Swore."}


@pytest.fixture
def match(db) -> Match:
    make_mode()
    now = timezone.now()
    record(["stranger"], ["e"], ended_at=now, now=now)
    return record(["me"], ["c"], ended_at=now, now=now).record.match


def send(match: Match, body: object, who: str = "me"):
    return call("POST", f"matches/{match.pk}/reports/", body, key=make_token(Player.objects.get(key=who)))


def test_a_report_and_the_same_again(match):
    answer = send(match, GOOD)
    made = Complaint.objects.get()
    assert answer.status == 201
    assert answer.body == {**GOOD, "match": match.pk, "made_at": made.made_at.isoformat().replace("+00:00", "Z")}
    again = send(match, GOOD)
    assert (again.status, again.body["detail"]) == (409, "You have reported that player for this match already.")


def test_nonsense_is_named(match, subtests):
    for body, fields in [
        ({}, ["player", "reason"]),
        ([], [""]),
        ({**GOOD, "reason": "looks"}, ["reason"]),
        ({**GOOD, "reason": "\ud800"}, ["reason"]),
        ({**GOOD, "reason": ["words"]}, ["reason"]),
        ({**GOOD, "text": "x" * 501}, ["text"]),
        ({**GOOD, "text": 7}, ["text"]),
        ({**GOOD, "more": 7}, ["more"]),
        ({**GOOD, "player": "me"}, ["player"]),
        ({**GOOD, "player": "e"}, ["player"]),
    ]:
        with subtests.test(body=body), rolled_back():
            answer = send(match, body)
            assert (answer.status, answer.fields, Complaint.objects.count()) == (400, fields, 0)


def test_who_gets_which_refusal(match):
    assert send(match, GOOD, "stranger").status == 403
    assert send(match, {**GOOD, "player": "nobody"}).status == 404
    assert send(Match(pk=999_999), GOOD).status == 404
    assert call("POST", f"matches/{match.pk}/reports/", GOOD).status == 401
    assert call("POST", f"matches/{match.pk}/reports/", GOOD, key=make_key("players", source="other")).status == 403
    Match.objects.update(ended_at=timezone.now() - dt.timedelta(days=8))
    assert send(match, GOOD).status == 409
    assert Complaint.objects.count() == 0


def test_the_eleventh_of_a_day_waits(match):
    now = timezone.now()
    matches = [record(["me"], ["c"], ended_at=now, now=now).record.match for _ in range(10)]
    assert [send(one, GOOD).status for one in (match, *matches[:9])] == [201] * 10
    Complaint.objects.filter(match=match).update(made_at=now - dt.timedelta(hours=23))
    answer = send(matches[9], GOOD)
    assert (answer.status, answer.body["code"]) == (429, "too-many-reports")
    assert 3_590 < int(answer.headers["Retry-After"]) <= 3_601


def test_a_text_has_several_lines_and_no_control_characters(match):
    answer = send(match, {**GOOD, "text": " Swore.\r\nAnd left.\n"})
    assert (answer.status, answer.body["text"]) == (201, "Swore.\nAnd left.")
    assert Complaint.objects.get().text == "Swore.\nAnd left."
    for text in ("a\tb", "a\rb", "a\u2028b", "a\0b"):
        assert send(match, {**GOOD, "text": text}).status == 400
