"""The page on which players report each other: for the players of the match, without JavaScript."""

import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from ranking.models import Complaint, Match, Player
from tests.support.factories import make_mode, record
from tests.support.page_tree import read_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(db) -> Match:
    make_mode()
    now = timezone.now()
    made = record(["me", "mate"], ["c", "d"], ended_at=now, now=now).record.match
    record(["stranger"], ["e"], ended_at=now, now=now)
    for key in ("me", "stranger"):
        Player.objects.filter(key=key).update(user=User.objects.create_user(key))
    return made


def client(name: str) -> Client:
    browser = Client()
    browser.force_login(User.objects.get(username=name))
    return browser


def test_a_player_of_the_match_reports_another(match):
    page, browser = f"/matches/{match.pk}/report/", client("me")
    assert f'href="{page}"' in browser.get(f"/matches/{match.pk}/").text
    assert [row.key for row in browser.get(page).context["players"]] == ["mate", "c", "d"]
    sent = browser.post(page, {"player": "c", "reason": "words", "text": "Swore\0 at\r\nme."}, follow=True)
    assert sent.redirect_chain == [(f"{page}?sent=c", 302)]
    assert "Your report is with the moderators." in sent.text
    assert (sent.context["sent"].key, read_page(sent.text).all("textarea")) == ("c", [])
    assert browser.get(f"{page}?sent=d").context["sent"] is None
    complaint = Complaint.objects.get()
    assert (complaint.reporter.key, complaint.reported.key, complaint.reason) == ("me", "c", "words")
    assert [row.key for row in sent.context["players"]] == ["mate", "d"]
    again = browser.post(page, {"player": "c", "reason": "words"})
    assert "You have reported that player for this match already." in again.text
    assert [row.key for row in again.context["players"]] == ["mate", "d"]


def test_the_page_of_a_player_leads_to_a_report_about_them(match):
    def link(name: str) -> str | None:
        acts = read_page(client("me").get(f"/players/{name}/").text).all("a.act")
        return next((act.attributes["href"] for act in acts if act.text == "Report"), None)

    assert (link("c"), link("e"), link("me")) == (f"/matches/{match.pk}/report/?player=c", None, None)
    page = read_page(client("me").get(link("c")).text)
    assert [row.attributes["value"] for row in page.all("input") if row.attributes["name"] == "player"] == ["c"]
    client("me").post(f"/matches/{match.pk}/report/", {"player": "c", "reason": "words"})
    assert (link("c"), link("d")) == (None, f"/matches/{match.pk}/report/?player=d")
    Match.objects.update(ended_at=timezone.now() - dt.timedelta(days=7, minutes=1))
    assert link("d") is None


def test_players_stand_by_their_side(match):
    page, browser = f"/matches/{match.pk}/report/", client("me")

    def sides() -> list[tuple[str, list[str]]]:
        found = browser.get(page).context["sides"]
        return [(title, [player.key for player in players]) for title, players in found]

    assert sides() == [("Opponents", ["c", "d"]), ("Your team", ["mate"])]
    browser.post(page, {"player": "mate", "reason": "words"})
    assert sides() == [("Opponents", ["c", "d"])]


def test_a_link_about_somebody_who_cannot_be_reported_says_why(match):
    client("me").post(f"/matches/{match.pk}/report/", {"player": "c", "reason": "words"})
    for key, sentence in (
        ("c", "You have reported that player for this match already."),
        ("me", "You can’t report yourself."),
        ("stranger", "That player wasn’t in this match."),
        ("%00", "That player wasn’t in this match."),
    ):
        response = client("me").get(f"/matches/{match.pk}/report/?player={key}")
        assert (response.context["chosen"], response.context["problem"]) == (None, sentence)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"player": "d", "reason": "looks"}, "Choose a reason."),
        ({"player": "d"}, "Choose a reason."),
        ({"reason": "words"}, "Choose a player."),
        ({}, "Choose a player. Choose a reason."),
        ({"player": "stranger", "reason": "words"}, "That player wasn’t in this match."),
        ({"player": "d", "reason": "words", "text": "x" * 501}, "Say it in at most 500 characters; these are 501."),
    ],
)
def test_what_is_refused_is_said_and_what_was_typed_stays(match, given, sentence):
    answer = client("me").post(f"/matches/{match.pk}/report/", given)
    assert (answer.status_code, sentence in answer.text, Complaint.objects.count()) == (200, True, 0)
    assert given.get("text", "") in answer.text


def test_what_is_at_fault_is_marked(match):
    page, browser = f"/matches/{match.pk}/report/", client("me")

    def marked(given: dict[str, str]) -> tuple[int, int]:
        tree = read_page(browser.post(page, given).text)
        return len(tree.all("fieldset.faulty")), len(
            [row for row in tree.all("textarea") if "aria-invalid" in row.attributes]
        )

    assert marked({}) == (3, 0)  # opponents, own team and reasons
    assert marked({"player": "d"}) == (1, 0)
    assert marked({"player": "d", "reason": "words", "text": "x" * 501}) == (0, 1)


def test_nobody_else_finds_the_page(match):
    page = f"/matches/{match.pk}/report/"
    assert client("stranger").get(page).status_code == 404
    assert client("stranger").post(page, {"player": "c", "reason": "words"}).status_code == 404
    assert Client().get(page).status_code == 302
    for browser in (client("stranger"), Client()):
        assert page not in browser.get(f"/matches/{match.pk}/").text
    assert client("me").get("/matches/999999/report/").status_code == 404


def test_a_week_later_the_page_says_that_it_is_too_late(match):
    Match.objects.update(ended_at=timezone.now() - dt.timedelta(days=7, minutes=1))
    page, browser = f"/matches/{match.pk}/report/", client("me")
    assert page not in browser.get(f"/matches/{match.pk}/").text
    assert "There is nobody left to report here" in browser.get(page).text
    late = browser.post(page, {"player": "c", "reason": "words"})
    assert "A match can be reported for 7 days after its end." in late.text
