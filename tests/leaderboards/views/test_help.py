"""The guide for players, and the links that lead to its parts."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from ranking.models import Player
from tests.support.factories import make_mode, record
from tests.support.paths import ROOT

pytestmark = pytest.mark.django_db
TEMPLATES = ROOT / "templates"


def sections_of(page: str) -> list[str]:
    return re.findall(r'<section id="([\w-]+)">', page)


@pytest.mark.parametrize(
    ("language", "title", "sentence"),
    [
        ("en", "Help · Rungs", "only you and moderators see your rating"),
        ("de", "Hilfe · Rungs", "nur du und die Moderation sehen deine Wertung"),
    ],
)
def test_both_languages(client: Client, language: str, title: str, sentence: str) -> None:
    answer = client.get(f"/help/?lang={language}")
    page = answer.content.decode()
    assert (answer.status_code, f'<html lang="{language}"' in page) == (200, True)
    assert (f"<title>{title}</title>" in page, sentence in page) == (True, True)
    assert re.search(r'<meta name="description" content="(How to get a rank|Wie du zu einem Rang)', page)


def test_the_contents_lead_to_each_part_in_order(client: Client) -> None:
    page = client.get("/help/").content.decode()
    contents = page.partition('<nav class="help-contents"')[2].partition("</nav>")[0]
    assert re.findall(r'href="#([\w-]+)"', contents) == sections_of(page) != []


def test_german_says_nothing_in_english(client: Client) -> None:
    english, german = (
        set(
            re.findall(
                r"<(?:p|h2|li)>(.*?)</(?:p|h2|li)>",
                client.get(f"/help/?lang={language}").content.decode().partition("<main")[2].partition("</main>")[0],
            )
        )
        for language in ("en", "de")
    )
    assert len(english) > 40
    assert english & german == set()


def test_links_lead_to_parts_that_exist(client: Client) -> None:
    sections = set(sections_of(client.get("/help/").content.decode()))
    anchors = {
        anchor
        for path in TEMPLATES.rglob("*.html")
        for anchor in re.findall(
            r"""(?:\{% url ['"]leaderboards:help['"] %\}|\{\{ help \}\})#([\w-]+)""", path.read_text()
        )
    }
    own = set(re.findall(r'href="#([\w-]+)"', client.get("/help/").content.decode())) - {"main"}
    assert anchors == {"leaving", "link", "lockouts", "placement", "stakes", "tiers"}
    assert anchors | own == sections


def test_every_page_leads_there(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel")
    record(["me"], ["b"])
    stranger = client.get("/boards/duel/").content.decode()
    log_in("me")
    known = client.get("/boards/duel/").content.decode()
    assert (stranger.count('href="/help/"'), known.count('href="/help/"')) == (2, 3)  # menu, foot; the account's menu


def test_one_query(client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    client.get("/help/")
    with django_assert_num_queries(1):  # the header's boards
        client.get("/help/")


def test_only_reading(client: Client) -> None:
    assert client.post("/help/").status_code == 405


def test_tiers_say_more(client: Client) -> None:
    make_mode("duel")
    assert 'href="/help/#tiers"' in client.get("/boards/duel/tiers/").content.decode()
